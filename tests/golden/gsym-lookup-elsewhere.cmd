dir=$(mktemp -d)
trap "rm -rf $dir" EXIT
cp gsym/prog "$dir/prog"
(cd "$dir" && cairn gsym lookup prog 0x400110)
mkdir -p "$dir/tree/.build-id/01" "$dir/named" "$dir/cache/cairn"
id=23456789abcdef0123456789abcdef01234567
cp gsym/prog.gsym "$dir/tree/.build-id/01/$id.gsym"
(cd "$dir" && cairn gsym lookup --directory nowhere:tree prog 0x400110)
cp ../fuzz/corpus/gsym/first.v1le.gsym "$dir/named/prog.gsym"
(cd "$dir" && cairn gsym lookup --directory named:tree prog 0x400110)
cp gsym/prog.gsym "$dir/cache/cairn/01$id.gsym"
(cd "$dir" && XDG_CACHE_HOME="$dir/cache" cairn gsym lookup prog 0x400110)
(cd "$dir" && cairn gsym lookup --force --directory named prog 0x1000)

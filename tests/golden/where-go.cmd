for go in 1.15 1.15-32-big 1.15-pie 1.16-pie-bare 1.18 1.20-bare 1.26-pie; do
	echo "go$go"
	cairn where --no-cache ../fuzz/corpus/gopclntab/go$go 0x1000 0x101c 0x1045 0x105f
done
dir=$(mktemp -d)
trap "rm -rf $dir" EXIT
cairn gsym create --verify -o "$dir/go.gsym" ../fuzz/corpus/gopclntab/go1.18 | sed "s|$dir/||"
cairn gsym lookup "$dir/go.gsym" 0x101c
cairn symbfile create --quiet --only ranges -o "$dir/go" ../fuzz/corpus/gopclntab/go1.18
cairn symbfile lookup "$dir/go.ranges" 0x101c

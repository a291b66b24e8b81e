# a GSYM file as a symbfile, that as GSYM, and that as a symbfile again
dir=$(mktemp -d)
cairn symbfile create --quiet -o "$dir/a" gsym/prog.gsym
cairn symbfile dump "$dir/a.ranges"
cairn gsym create --quiet -o "$dir/b.gsym" "$dir/a.ranges"
cairn symbfile create --quiet -o "$dir/c" "$dir/b.gsym"
cmp "$dir/a.ranges" "$dir/c.ranges" && echo same
rm -r "$dir"

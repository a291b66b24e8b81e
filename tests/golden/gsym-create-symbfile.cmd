work=$(mktemp -d)
cairn symbfile create --quiet --raw-names --only ranges dwarf/named -o "$work/named"
cairn gsym create "$work/named.ranges" -o "$work/named.gsym" | sed "s,$work/,,"
cairn gsym lookup "$work/named.gsym" 0x401040 0x401002
rm -r "$work"

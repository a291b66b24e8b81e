cairn gsym create --verify dwarf/named -o - 2>&1 >/dev/null

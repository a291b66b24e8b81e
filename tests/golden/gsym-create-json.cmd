cairn gsym create --json dwarf/named -o - 2>&1 >/dev/null

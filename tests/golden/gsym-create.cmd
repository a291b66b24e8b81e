cairn gsym create dwarf/named -o - 2>&1 >/dev/null

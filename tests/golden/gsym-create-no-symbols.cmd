cairn gsym create dwarf/dwz.alt -o -

cairn gsym create dwarf/dwz.a -o - | cairn gsym dump -

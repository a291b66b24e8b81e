cairn gsym create --quiet dwarf/named -o - | cairn gsym dump -

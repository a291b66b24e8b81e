cairn where --no-cache gsym/prog.c 0x1

cairn gsym create gsym/prog.c -o -

cairn gsym create gsym/prog -o -

cairn gsym lookup gsym/prog 0x400110 0x400115

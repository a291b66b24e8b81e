cairn gsym lookup gsym/prog.compressed 0x400110
cairn gsym stats gsym/prog.compressed
cairn gsym verify gsym/prog.compressed

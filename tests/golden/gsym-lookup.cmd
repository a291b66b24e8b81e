cairn gsym lookup ../fuzz/corpus/gsym/first.v1le.gsym 0x1000 0x100a 4144 0x1021

printf '0x1000\r\n\n0x100a\n0x1030' | cairn gsym lookup ../fuzz/corpus/gsym/first.v1le.gsym

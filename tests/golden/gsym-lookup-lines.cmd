cairn gsym lookup --lines ../fuzz/corpus/gsym/first.v2be.gsym 0x1000 0x100a 4144 0x1021 here

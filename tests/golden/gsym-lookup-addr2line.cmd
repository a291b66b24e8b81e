cairn gsym lookup --addr2line ../fuzz/corpus/gsym/first.v1le.gsym 1000 0x100a 1030 1021

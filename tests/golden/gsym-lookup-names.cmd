cairn gsym lookup ../fuzz/corpus/gsym/paths.gsym 0x1000 0x1020 0x1040
cairn gsym lookup --lines ../fuzz/corpus/gsym/paths.gsym 0x1000 0x1020 0x1040

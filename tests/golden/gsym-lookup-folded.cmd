cairn gsym lookup ../fuzz/corpus/gsym/merged-calls.v1.gsym 0x1008
cairn gsym lookup --lines ../fuzz/corpus/gsym/merged-calls.v2.gsym 0x1008
cairn gsym lookup --json ../fuzz/corpus/gsym/merged-calls.v1.gsym 0x1008

cairn gsym lookup ../fuzz/corpus/gsym/bad-inline-cut.gsym 0x1006
cairn gsym lookup --lines ../fuzz/corpus/gsym/bad-file-past.gsym 0x1006
cairn gsym lookup --json ../fuzz/corpus/gsym/bad-inline-ranges-huge.gsym 0x1006

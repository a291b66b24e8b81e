cairn gsym verify --lines ../fuzz/corpus/gsym/first.v1le.gsym ../fuzz/corpus/gsym/bad-rows-back.gsym gsym/prog.c

cairn gsym diff ../fuzz/corpus/gsym/first.v1le.gsym ../fuzz/corpus/gsym/first.v2be.gsym

cairn gsym dump ../fuzz/corpus/gsym/first.v1le.gsym

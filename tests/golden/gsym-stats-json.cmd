cairn gsym stats --json ../fuzz/corpus/gsym/first.v1be.gsym

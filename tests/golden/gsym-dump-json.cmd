cairn gsym dump --json ../fuzz/corpus/gsym/merged-calls.v1.gsym ../fuzz/corpus/gsym/first.v2be.gsym

cairn gsym dump ../fuzz/corpus/gsym/merged-calls.v2.gsym

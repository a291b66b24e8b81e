cairn gsym dump ../fuzz/corpus/gsym/bad-inline-cut.gsym
cairn gsym dump --json ../fuzz/corpus/gsym/bad-merged-in-merged3.gsym

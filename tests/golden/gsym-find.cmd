cairn gsym find ../fuzz/corpus/gsym/first.v1le.gsym run nothing
cairn gsym find --contains --lines ../fuzz/corpus/gsym/paths.gsym f
cairn gsym find --json ../fuzz/corpus/gsym/merged-calls.v1.gsym twin_b twin_a

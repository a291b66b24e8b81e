cairn gsym stats ../fuzz/corpus/gsym/first.v1le.gsym ../fuzz/corpus/gsym/merged-calls.v2.gsym gsym/prog

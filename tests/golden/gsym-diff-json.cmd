cairn gsym diff --json --call-sites --merged-functions ../fuzz/corpus/gsym/first.v1le.gsym ../fuzz/corpus/gsym/merged-calls.v1.gsym

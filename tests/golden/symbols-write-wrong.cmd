cairn symbols write gsym/prog.gsym -o -
cairn symbols write --machine amd64 gsym/prog.gsym
cairn symbols write --machine vax gsym/prog.gsym -o -
cairn symbols write --machine amd64 --for gsym/prog gsym/prog.gsym -o -
cairn symbols write --for gsym/prog ../fuzz/corpus/gsym/first.v1le.gsym -o - | wc -c
cairn symbols write --for gsym/prog --force -q ../fuzz/corpus/gsym/first.v1le.gsym -o - | wc -c
cairn symbols write --machine amd64 gsym/prog.c -o -
cairn symbols write --machine amd64 gsym/prog.gsym -o nosuch/folder

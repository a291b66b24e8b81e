cairn profile convert --to folded ../fuzz/corpus/pprof/named
cairn profile convert --to folded --no-symbolize ../fuzz/corpus/pprof/mapped
cairn profile convert --to folded ../fuzz/corpus/pprof/mapped
cairn profile convert --to svg ../fuzz/corpus/pprof/mapped
cairn profile convert
cairn profile convert a b
cairn profile convert --to folded gsym/prog.gsym
cairn profile convert --to folded --sample-type bytes ../fuzz/corpus/pprof/named

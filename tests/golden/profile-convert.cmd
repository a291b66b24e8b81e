cairn profile convert --to folded ../fuzz/corpus/pprof/named
cairn profile convert --to folded --no-symbolize ../fuzz/corpus/pprof/mapped
cairn profile convert --to folded ../fuzz/corpus/pprof/mapped
cairn profile convert --to svg ../fuzz/corpus/pprof/mapped
cairn profile convert
cairn profile convert a b
cairn profile convert --to folded gsym/prog.gsym
cairn profile convert --to folded --sample-type bytes ../fuzz/corpus/pprof/named
cairn profile convert --to folded ../fuzz/corpus/otlp/1.9
cairn profile convert --to folded --otlp-version 1.10 ../fuzz/corpus/otlp/1.9
cairn profile convert --otlp-version 1.7 ../fuzz/corpus/otlp/1.9
cairn profile convert --to folded ../fuzz/corpus/otlp/1.5
cairn profile convert --to otlp-json -o - --no-symbolize ../fuzz/corpus/otlp/1.7
cairn profile convert --to otlp-json -o - --no-symbolize ../fuzz/corpus/otlp_json/1.7
cairn profile convert --to otlp-json -o - --no-symbolize ../fuzz/corpus/otlp_json/1.5
cairn profile convert --to otlp-json -o - --no-symbolize ../fuzz/corpus/otlp/1.8-comments
cairn profile convert --to otlp-json -o - --no-symbolize ../fuzz/corpus/otlp_json/1.8
cairn profile convert --to otlp ../fuzz/corpus/pprof/mapped

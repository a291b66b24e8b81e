cairn profile convert --to folded --no-symbolize ../fuzz/corpus/perfdata/pipe
head -c 4600 ../fuzz/corpus/perfdata/pipe | cairn profile convert --to folded --no-symbolize -
cairn profile convert --to firefox --no-symbolize ../fuzz/corpus/perfdata/pipe

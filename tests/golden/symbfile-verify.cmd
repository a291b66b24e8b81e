cairn symbfile verify gsym/prog ../fuzz/corpus/symbfile/pb-group-unterminated.symbfile ../fuzz/corpus/symbfile/pad-unpacked.symbfile

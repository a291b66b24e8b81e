cairn symbfile verify --json ../fuzz/corpus/symbfile/pb-group-unterminated.symbfile

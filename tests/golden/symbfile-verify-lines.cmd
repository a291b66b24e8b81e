cairn symbfile verify --lines ../fuzz/corpus/symbfile/pb-group-unterminated.symbfile

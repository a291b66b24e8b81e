cairn symbfile dump ../fuzz/corpus/symbfile/pb-group-unterminated.symbfile

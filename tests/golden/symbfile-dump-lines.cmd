cairn symbfile dump --lines ../fuzz/corpus/symbfile/lookup-covered-parent.symbfile ../fuzz/corpus/symbfile/pb-group-unterminated.symbfile ../fuzz/corpus/symbfile/utf8-embedded-nul.symbfile

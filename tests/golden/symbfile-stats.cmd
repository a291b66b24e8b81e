cairn symbfile stats ../fuzz/corpus/symbfile/lookup-covered-parent.symbfile

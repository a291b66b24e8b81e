cairn symbfile stats --json ../fuzz/corpus/symbfile/lookup-covered-parent.symbfile

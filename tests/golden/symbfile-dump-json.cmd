cairn symbfile dump --json ../fuzz/corpus/symbfile/lookup-covered-parent.symbfile ../fuzz/corpus/symbfile/pad-delta-chain.symbfile

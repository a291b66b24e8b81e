cairn symbfile lookup --no-cache ../fuzz/corpus/symbfile/lookup-covered-parent.symbfile 0x640 0x650 0x664

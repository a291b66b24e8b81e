cairn symbfile lookup --no-cache --return --with ../fuzz/corpus/symbfile/pad-delta-chain.symbfile ../fuzz/corpus/symbfile/lookup-covered-parent.symbfile 0x501 0x651 0x500

XDG_CACHE_HOME=$(mktemp -d)
export XDG_CACHE_HOME
f=../fuzz/corpus/symbfile/lookup-covered-parent.symbfile
cairn symbfile lookup "$f" 0x650
# a damaged one, and one of other symbols, are made anew
index=$(ls "$XDG_CACHE_HOME"/cairn/*.symindex)
printf 'x' | dd of="$index" bs=1 seek=700 conv=notrunc 2>/dev/null
cairn symbfile lookup "$f" 0x650
printf 'x' >"$index"
cairn symbfile lookup "$f" 0x658
ls "$XDG_CACHE_HOME"/cairn | wc -l
rm -r "$XDG_CACHE_HOME"

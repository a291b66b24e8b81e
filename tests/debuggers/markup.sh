#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbolizer markup held in memory, in a live process and in a core, and in a file.
. "$(dirname "$0")/lib.sh"
. "$here/answers/lines.sh"
need "$GDB" "$CC_TARGET"
commands=${MODULE%/plugin/*}/scripts/cairn.gdb

"$CC_TARGET" -g -O0 -Wl,--build-id=0xca1f00112233445566778899 "$programs/ring.c" -o "$tmp/ring"

plain() {
	sed -n '/^begin/,$p' | mask_answers
}

session() {
	set -- "$@" -ex 'echo begin\n'
	while read -r line; do
		set -- "$@" -ex "echo (gdb) $line\n" -ex "$line"
	done <"$here/answers/markup.gdb"
	debug without "$tmp/ring" -ex "source $commands" "$@" | plain
}

step=$(find_line ring.c step) main=$(find_line ring.c main) mark=$(find_line ring.c mark) twice=$(find_line ring.c twice)
fill_lines ring.c step main mark twice <"$here/answers/markup.out" >"$tmp/wanted"

check() {
	diff "$tmp/wanted" "$tmp/$1" || fail "$1"
}

session -ex 'break stop_here' -ex run >"$tmp/live"
check live
debug without "$tmp/ring" -ex 'break stop_here' -ex run -ex "generate-core-file $tmp/core" -ex kill \
	>"$tmp/made"
[ -s "$tmp/core" ] || { cat "$tmp/made"; skip 'no core could be made'; }
session -ex "core-file $tmp/core" >"$tmp/dead"
check dead

# in the machine interface all of it comes as records of text
printf '%s\n' "1-interpreter-exec console \"source $commands\"" \
	"2-interpreter-exec console \"core-file $tmp/core\"" \
	'3-interpreter-exec console "cairn markup -json -string ring"' 'cairn markup -string ring' \
	4-gdb-exit | within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' \
	-iex 'set auto-load no' "$tmp/ring" 2>/dev/null >"$tmp/mi"
objects=$(grep '^~' "$tmp/mi" | grep -o '{\\"type\\"' | wc -l)
[ "$objects" = "$(grep -c '^{"type"' "$tmp/wanted")" ] && grep -q '^3^done' "$tmp/mi" &&
	grep -q '^~".*    #2 .* step ring\.c:' "$tmp/mi" || {
	tail -20 "$tmp/mi"
	fail "the machine interface: $objects objects"
}

# with the symbols of a GSYM file, of which GDB knows nothing: inlined calls, too
cairn=${MODULE%/plugin/*}/core/cli/cairn
if [ -x "$cairn" ] && command -v objcopy >/dev/null; then
	"$cairn" gsym create --quiet -o "$tmp/bare.gsym" "$tmp/ring"
	objcopy -g "$tmp/ring" "$tmp/bare"
	cat >"$tmp/bare-wanted" <<END
    #0    ADDRESS step ring.c:$step:0 (MODULE) counter
 at main[ring.c:$main] red
    #2.1  ADDRESS twice ring.c:$mark:0 (MODULE)
    #2    ADDRESS step ring.c:$twice:0 (MODULE)
END
	for form in live core; do
		set -- -ex 'break stop_here' -ex run
		[ $form = live ] ||
			set -- -ex "core-file $tmp/core"
		debug without "$tmp/bare" -ex "source $commands" "$@" -ex 'echo begin\n' \
			-ex 'cairn markup -string &ring' | plain |
			sed 's/([^()]*[a-zA-Z]+ADDRESS)/(MODULE)/' |
			sed -n '/#[02]/p; / at main/p' >"$tmp/bare.$form"
		diff "$tmp/bare-wanted" "$tmp/bare.$form" || fail "GSYM, $form"
	done
fi

# a long text is there whole
debug without "$tmp/ring" -ex "source $commands" -ex "core-file $tmp/core" -ex 'echo begin\n' \
	-ex 'cairn markup -string large' | sed -n '/^begin/,$p' >"$tmp/long"
lines=$(grep -c '^line at [0-9]* ' "$tmp/long")
[ "$lines" -gt 3000 ] && grep -q '^line at 0 x$' "$tmp/long" || fail "long text: $lines lines"

# a text that tells of its modules, which lay elsewhere: the build is what counts
address=$(nm "$tmp/ring" | awk '$3 == "step" { print $1 }')
cat >"$tmp/log" <<END
{{{module:0:old:elf:ca1f00112233445566778899}}}
{{{mmap:0x7e0000000000:0x10000:load:0:rx:0x0}}}
{{{bt:0:0x7e0000$(echo "$address" | sed 's/^.*\(......\)$/\1/'):pc}}}
END
case $address in
0000000000000*)
	debug without "$tmp/ring" -ex "source $commands" -ex "core-file $tmp/core" \
		-ex "cairn markup -file $tmp/log" |
		grep -q '#0    .* step ring.c:.* (old+0x' || fail 'a log of another process'
	;;
esac

# what is not a regular file is refused at once: a FIFO would keep GDB waiting for its writer
mkfifo "$tmp/fifo"
debug without "$tmp/ring" -ex "source $commands" -ex "cairn markup -file $tmp/fifo" \
	-ex 'p $cairn_ok' -ex "cairn markup -file $tmp" >"$tmp/out"
[ "$(grep -c ' is not a regular file; copy its contents to a regular file$' "$tmp/out")" = 2 ] &&
	grep -q '^\$1 = 0$' "$tmp/out" || {
	cat "$tmp/out"
	fail 'a FIFO'
}

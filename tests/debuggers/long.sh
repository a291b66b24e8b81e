#!/bin/sh
# SPDX-License-Identifier: MIT
# Answers whose text is one line of megabytes: GDB is given no command longer than a bound, for it
# puts what a printf prints on its stack, and what is printed is the whole text.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET"
commands=${MODULE%/plugin/*}/scripts/cairn.gdb
longest=20480 # bytes of a command that the module makes; see REPLY_LINE_MAX in plugin/gdb/protocol/gdb_call.c

"$CC_TARGET" -g -O0 "$programs/long.c" -o "$tmp/long"

# session NAME COMMAND: what it prints, into $tmp/NAME; the longest command of the last reply, into
# $tmp/NAME.longest
session() {
	debug without "$tmp/long" -ex "source $commands" -ex 'break stop_here' -ex run \
		-ex 'echo begin\n' -ex "$2" -ex 'echo end\n' \
		-ex "shell LC_ALL=C awk 'length(\$0) > m { m = length(\$0) } END { print m }' \
/proc/\$PPID/fd/184 >$tmp/$1.longest" >"$tmp/out" || :
	grep -q '^end$' "$tmp/out" || {
		tail -c 300 "$tmp/out"
		fail "$1: GDB died"
	}
	sed -n '/^begin$/,/^end$/p' "$tmp/out" | sed '1d;$d' >"$tmp/$1"
	[ "$(cat "$tmp/$1.longest")" -le "$longest" ] ||
		fail "$1: a command of $(cat "$tmp/$1.longest") bytes"
}

# more than the stack that GDB has
ulimit -s 2048
session text 'cairn markup text 2500000'
LC_ALL=C awk 'BEGIN { for (i = 0; i < 92; i++) x = x "x"
	for (i = 0; i < 25000; i++) printf "$a%%d\"\\\303\251%s", x
	print "" }' \
	>"$tmp/wanted"
cmp "$tmp/wanted" "$tmp/text" || fail 'a text without an end of line'

session json 'cairn cbf -json blob 54002'
[ "$(wc -c <"$tmp/json")" -gt 500000 ] && [ "$(wc -l <"$tmp/json")" = 1 ] ||
	fail "JSON of $(wc -c <"$tmp/json") bytes, $(wc -l <"$tmp/json") lines"
[ "$(grep -o '"kind":"ra"' "$tmp/json" | wc -l)" = 6000 ] || fail 'frames are missing'
echo 'long lines are printed whole, in commands that are short'

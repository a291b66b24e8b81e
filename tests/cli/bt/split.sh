#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Of a program that crashed on the third of its stacks cairn bt prints of a pipe what it prints of the file.
#
#	split.sh CAIRN SPLIT_PROGRAM POUR
set -u
LC_ALL=C
export LC_ALL
cairn=$1
program=$2
pour=$3
. "$(dirname "$0")/../../lib/test.sh"

cp "$program" "$work/split"
(
	cd "$work" || exit 1
	ulimit -c unlimited
	./split >/dev/null 2>&1
)
core=$(find "$work" -name 'core*' -type f | head -n 1)
[ -n "$core" ] || skip 'the system writes no core into the folder of the program'
"$cairn" bt --quiet "$core" >"$work/of-file" || fail "exit status $? of the file"
grep -q ' in crash_here ' "$work/of-file" || fail 'no crash_here'
grep -q ' in __morestack ' "$work/of-file" || skip 'the stack is not split'
grep -q ' in interrupt_here ' "$work/of-file" || fail 'no interrupt_here'
grep -q ' in main ' "$work/of-file" || fail 'no main'
"$pour" "$core" | "$cairn" bt --quiet - >"$work/of-stream" || fail "exit status $? of the stream"
diff "$work/of-file" "$work/of-stream" || fail 'the stream shows another stack'
"$cairn" bt --quiet - <"$core" | cmp "$work/of-file" - || fail 'a file on standard input shows another stack'
[ "$failed" = 0 ] || cat "$work/of-file"
exit "$failed"

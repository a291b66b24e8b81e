#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn bt` of a process and of its core names code that libcairn-jit has registered, with files and lines, and goes on through it by the
# rules that were given, without any file of the process; and `cairn bt` of their minidumps does.
#
#	bt_list.sh CAIRN RULES RULES_WITHOUT_SYMBOLS

cairn=$1 program=$2 stripped=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/test.sh"
. "$here/start.sh"
export CAIRN_CACHE="$work/cache"

cat >"$work/expected" <<'END'
made_pushed (...) at /made/up.js:12
made_aligned (...) at /made/up.js:12
made_region (...) at /made/up.js:12
made_fixed (...) at /made/up.js:12
made_pointer (...) at /made/up.js:12
main (...)
END

# check WHAT: of the frames in $work/stack, those of made code, and main at the end
check() {
	sed -n 's/^#[0-9]* *0x[0-9a-f]* in \(made_.*\)/\1/p; s/^#[0-9]* *0x[0-9a-f]* in \(main (...)\).*/\1/p' "$work/stack" >"$work/made"
	cmp -s "$work/expected" "$work/made" || {
		cat "$work/stack"
		fail "$1"
	}
}

# check_minidump WHAT OF...: of the minidump of that core or process
check_minidump() {
	what=$1
	shift
	"$cairn" minidump --quiet -o "$work/dump" "$@" || fail "exit status $? of the minidump $what"
	"$cairn" bt "$work/dump" >"$work/stack" 2>&1 || fail "exit status $? of bt $what"
	! grep -F '[scan]' "$work/stack" || fail "a frame is searched for $what"
	check "of the minidump $what"
}

start "$program" wait
"$cairn" bt --pid "$pid" >"$work/stack" 2>&1
check 'of a process'
check_minidump 'of a process' --pid "$pid"
kill "$pid"

cp "$program" "$work/rules"
(
	cd "$work" || exit 1
	ulimit -c unlimited
	./rules crash >/dev/null 2>&1
)
core=$(find "$work" -name 'core*' -type f | head -n 1)
[ -n "$core" ] || skip 'the system writes no core beside the program'
"$cairn" bt "$core" >"$work/stack" 2>&1
check 'of a core'
check_minidump 'of a core' "$core"

# objects that a debugger would have been told of, one for each function
start env CAIRN_JIT=events "$program" wait
"$cairn" bt --pid "$pid" >"$work/stack" 2>&1
check 'of single objects'
check_minidump 'of single objects' --pid "$pid"
kill "$pid"

# Of more than there is room for it has what frames are in.
start env CAIRN_JIT=events "$program" crowd
check_minidump 'of a crowd' --pid "$pid"
kill "$pid"
size=$(wc -c <"$work/dump")
[ "$size" -gt $((3 << 20)) ] && [ "$size" -lt $((9 << 19)) ] || fail "the minidump of a crowd has $size bytes"

# the files for perf, without the list: a jitdump has lines and rules, a map names alone
start env CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY="$work" "$program" wait
"$cairn" bt --pid "$pid" >"$work/stack" 2>&1
kill "$pid"
[ -s "$work/jit-$pid.dump" ] || fail 'no jitdump was written'
check 'by a jitdump'

# The program's file is gone, and with it its symbols: the list is found in its memory.
sed -i '/^main/d' "$work/expected"
(
	cd "$work" || exit 1
	rm -f "$core"
	ulimit -c unlimited
	echo 0x3f >/proc/self/coredump_filter
	./rules crash >/dev/null 2>&1
)
mv "$work/rules" "$work/elsewhere"
core=$(find "$work" -name 'core*' -type f | head -n 1)
"$cairn" bt "$core" >"$work/stack" 2>&1
sed -i '/ in main /d' "$work/stack"
check 'of a core without its program'
mv "$work/elsewhere" "$work/rules"
start "$work/rules" wait
rm "$work/rules"
"$cairn" bt --pid "$pid" >"$work/stack" 2>&1
sed -i '/ in main /d' "$work/stack"
check 'of a process without its program'
kill "$pid"

# A program without symbols: its minidump has what the list is found by.
start "$stripped" wait
check_minidump 'of a process without symbols' --pid "$pid"
kill "$pid"
exit "$failed"

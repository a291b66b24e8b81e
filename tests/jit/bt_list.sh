#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn bt` of a process and of its core names code that libcairn-jit has registered, with files and lines, and goes on through it by the
# rules that were given, without any file of the process.
#
#	bt_list.sh CAIRN RULES

cairn=$1 program=$2
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

start "$program" wait
"$cairn" bt --pid "$pid" >"$work/stack" 2>&1
kill "$pid"
check 'of a process'

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

# objects that a debugger would have been told of, one for each function
start env CAIRN_JIT=events "$program" wait
"$cairn" bt --pid "$pid" >"$work/stack" 2>&1
kill "$pid"
check 'of single objects'

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
kill "$pid"
sed -i '/ in main /d' "$work/stack"
check 'of a process without its program'
exit "$failed"

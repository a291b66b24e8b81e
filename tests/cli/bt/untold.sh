#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program and a thread of a C library without unwind tables: does `cairn bt` come to the first frame of each stack, of the
# process and of a minidump, and GDB of the core that `cairn open` makes?
#
#	untold.sh CAIRN UNTOLD_PROGRAM
cairn=$(realpath "$1")
program=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/untold.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "$1:"; cat out; exit 1; }

cd "$work" || exit 2
"$program" >said &
pid=$!
tries=0
until grep -qs ready said; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 200 ] || { echo 'failed: the program is not ready'; exit 1; }
done

cat >want <<'END'
Thread 1
call_kernel
wait_here
main_function
run_program
_start
Thread 2
call_kernel
wait_here
thread_function
run_thread
start_thread
END

frames() { sed -n 's/^\(Thread [0-9]*\).*/\1/p; s/^#[0-9]* *0x[0-9a-f]* in \([a-z_]*\) .*/\1/p' out; }

"$cairn" bt --quiet --pid $pid >out 2>&1
status=$?
if grep -q 'cannot be traced' out; then
	echo 'skipped: processes may not be traced here'
	exit 77
fi
[ $status = 0 ] || fail "of the process: status $status"
frames | cmp -s - want || fail 'of the process: other frames'

"$cairn" minidump --pid $pid -o it.dmp >out 2>&1 || fail 'no minidump'
"$cairn" bt --quiet it.dmp >out 2>&1 || fail "of the minidump: status $?"
frames | cmp -s - want || fail 'of the minidump: other frames'

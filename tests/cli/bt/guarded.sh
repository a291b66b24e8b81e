#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A thread's stack overflows into a guard that is part of its mapping: the stack is whole in the process, in its minidump and in its
# core, which is told what happened. On the way: a signal's frame is not one that lacks symbols, and a debug file has no code.
#
#	guarded.sh CAIRN GUARDED_PROGRAM
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
program=$2
. "$(dirname "$0")/../../lib/test.sh"
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
cp "$program" "$work/program"
cd "$work" || exit 2

# whole WHAT: the stack of the thread leads from the overflow to where threads begin
whole() {
	[ "$(grep -c ' in overflow ' out)" -gt 500 ] && grep -q ' in run ' out && ! grep -q 'Backtrace stopped' out ||
		fail "$1: $(tail -n 3 out; cat errors)"
}

./program wait >said &
pid=$!
tries=0
until grep -q ready said; do
	sleep 0.1
	tries=$((tries + 1))
	kill -0 $pid 2>/dev/null && [ $tries -lt 300 ] || skip 'the kernel has no such guards'
done
"$cairn" bt --pid $pid >out 2>errors
! grep -q 'cannot be traced' errors || skip 'processes may not be traced here'
whole 'the process'
grep -q ' in <signal handler called>$' out || fail "the signal's frame: $(grep 'signal handler' out)"
! grep -q 'no symbols for .*libc' errors || fail "symbols of the library are said to be missing: $(cat errors)"
"$cairn" minidump -o dump --pid $pid >said || fail "the minidump: exit status $?"
"$cairn" bt dump >out 2>errors
whole 'the minidump'
kill -KILL $pid
pid=

{ (ulimit -c unlimited && exec ./program) || :; } 2>/dev/null
set -- core*
[ -s "$1" ] || { echo 'not tested: the core, which was not written here'; exit $failed; }
"$cairn" bt -1 "$1" program >out 2>errors
whole 'the core'
grep -q ' at 0x[0-9a-f]*: just below the stack of thread [0-9]*, which overflowed\.$' out || fail "what happened: $(head -n 2 out)"
objcopy --only-keep-debug program program.debug
eu-strip -f program.packed -o stripped program 2>/dev/null || cp program.debug program.packed
mv program away
for file in program.debug program.packed; do
	"$cairn" bt -1 -n 3 "$1" $file >out 2>errors
	! grep -q 'Backtrace stopped' out || grep -q 'its file is a debug file, which has no code' out || fail "$file: $(cat out)"
	grep -q ' in overflow ' out || fail "$file gives no names: $(cat out)"
done
"$cairn" bt -1 "$1" >out 2>errors
grep -q 'its file is missing too: give it as PROGRAM' errors || fail "no program: $(cat errors)"
exit $failed

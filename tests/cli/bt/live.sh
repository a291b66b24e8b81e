#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn bt --pid` print the stacks of a running process, and leave the process as it was?
#
#	live.sh CAIRN LIVE_THREADS
cairn=$1
threads=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/live.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0

fail() {
	echo "not as it should be: $1"
	failed=1
}

# A program with its arguments; $pid is it, its output goes to a file.
start() {
	: >"$work/said"
	"$@" >"$work/said" &
	pid=$!
	tries=0
	until grep -q ready "$work/said"; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "the program did not start"; exit 1; }
	done
}

# It tells what it has been through; $1: what it should be.
finish() {
	kill -CONT $pid
	kill -TERM $pid
	wait $pid
	pid=
	grep -qx "$1" "$work/said" || { fail "it should tell '$1' and told"; cat "$work/said"; }
}

# Is a thread held by a tracer, or stopped by one?
held() {
	for status in /proc/$pid/task/*/status; do
		grep -Eq '^State:[[:space:]]+t|^TracerPid:[[:space:]]+[1-9]' "$status" && return 0
	done
	return 1
}

start "$threads" 500
"$cairn" bt --json --pid $pid >"$work/out" 2>"$work/errors"
status=$?
if grep -q 'cannot be traced' "$work/errors"; then
	echo 'skipped: processes may not be traced here'
	exit 77
fi
[ $status = 0 ] || { fail "exit status $status"; cat "$work/errors"; }
held && fail "a thread is held"
[ "$(wc -l <"$work/out")" = 500 ] || fail "500 threads, but $(wc -l <"$work/out") lines"
[ "$(grep -c '"complete":true' "$work/out")" = 500 ] || fail "some stacks have no end"
[ "$(grep -c '"function":"wait_here"' "$work/out")" = 499 ] || fail "wait_here in each thread but one"
[ "$(grep -o '"function":"use_stack[".]' "$work/out" | wc -l)" = $((4 * 499)) ] || fail "four frames in each"
[ "$(grep -c '"function":"main"' "$work/out")" = 1 ] || fail "main once"
[ "$(grep -c '"stopped_nanoseconds":[1-9]' "$work/out")" = 500 ] || fail "how long each stood still"
[ "$("$cairn" bt --dedup --folded --pid $pid | wc -l)" = 2 ] || fail "two different stacks"

# As markup it is resolved elsewhere, into the same frames.
"$cairn" bt --markup --pid $pid >"$work/markup" || fail "exit status $? of --markup"
grep -q use_stack "$work/markup" && fail "names in the markup"
"$cairn" markup --module-paths "$work/markup" >"$work/resolved" 2>/dev/null
[ "$(grep -c 'use_stack' "$work/resolved")" = $((4 * 499)) ] || fail "four frames in each thread of the markup"
[ "$(grep -c 'wait_here.*live_threads\.c:' "$work/resolved")" = 499 ] || fail "files and lines of the markup"

# One that is stopped stays so, and its stacks are there.
kill -STOP $pid
sleep 0.2
[ "$("$cairn" bt --json --pid $pid | grep -c '"complete":true')" = 500 ] || fail "stacks of a stopped process"
sleep 0.2
grep -q '^State:[[:space:]]*T' /proc/$pid/status || fail "a stopped process goes on"
finish 'signals 0 disturbed 0 going on'

# Signals that arrive meanwhile are passed on, none of them lost or twice.
start "$threads" 50 busy
i=0
while [ $i -lt 20 ]; do
	"$cairn" bt --quiet --pid $pid >/dev/null 2>&1 &
	pass=$!
	for each in 1 2 3 4 5; do kill -34 $pid; done
	wait $pass
	i=$((i + 1))
done
held && fail "a thread is held after many passes"
finish 'signals 100 disturbed 0 going on'

# Killed at any moment, cairn holds nothing.
start "$threads" 300 busy
for delay in 0.002 0.004 0.006 0.008 0.010 0.015 0.020 0.030; do
	timeout -s KILL $delay "$cairn" bt --quiet --pid $pid >/dev/null 2>&1
	timeout -s INT $delay "$cairn" bt --quiet --pid $pid >/dev/null 2>&1
done
sleep 0.1
held && fail "a thread is held by a cairn that was killed"
[ "$("$cairn" bt --json --pid $pid | grep -c '"complete":true')" -ge 299 ] || fail "stacks after that"
finish 'signals 0 disturbed 0 going on'

# Of a stack that is too large the innermost part is there, and it is told.
start "$threads" 2 deep
"$cairn" bt --json --pid $pid >"$work/out"
status=$?
[ $status = 1 ] || fail "a cut stack: exit status $status"
[ "$(grep -c '"stack_cut":true' "$work/out")" = 1 ] || fail "one stack is cut"
[ "$(grep '"stack_cut":true' "$work/out" | grep -o '"function":"use_stack[".]' | wc -l)" -gt 1900 ] || fail "8 MiB of it"
"$cairn" bt --pid $pid >"$work/out"
grep -q '^Backtrace stopped: .*only the innermost part' "$work/out" || fail "why it ends"
case $(head -n 1 "$work/out") in
"Process $pid: "*"$(basename "$threads")"*) ;;
*) fail "its head: $(head -n 1 "$work/out")" ;;
esac
finish 'signals 0 disturbed 0 going on'

# A file that was deleted since is read where it is still mapped, by who may.
cp "$threads" "$work/gone"
start "$work/gone" 3
rm "$work/gone"
"$cairn" bt --pid $pid >"$work/out" 2>&1
if [ "$(id -u)" = 0 ] && readlink "/proc/$pid/map_files/$(sed -n '1s/ .*//p' /proc/$pid/maps)" >/dev/null; then
	grep -q ' in use_stack[ .]' "$work/out" || { fail "a deleted file"; cat "$work/out"; }
fi
finish 'signals 0 disturbed 0 going on'

# Headers that are writable, as patchelf makes them, are headers; of a file of 64 bits whose least byte comes first.
cp "$threads" "$work/patched"
if [ "$(od -An -tu1 -j4 -N2 "$work/patched" | tr -d ' ')" = 21 ]; then
	header=64
	until [ $(($(od -An -tu4 -j$header -N4 "$work/patched"))) = 1 ]; do header=$((header + 56)); done
	printf '\006' | dd of="$work/patched" bs=1 seek=$((header + 4)) conv=notrunc 2>"$work/errors"
	start "$work/patched" 3
	grep -q 'rw-p 00000000 .*/patched' /proc/$pid/maps || fail "the first page is not writable"
	"$cairn" bt --pid $pid >"$work/out" 2>&1
	grep -q ' in use_stack[ .]' "$work/out" || { fail "a program whose headers are writable"; cat "$work/out"; }
	finish 'signals 0 disturbed 0 going on'
fi

# The first thread has ended, and the others go on.
start "$threads" 3 alone
tries=0
until grep -q '^State:[[:space:]]*Z' /proc/$pid/status; do
	sleep 0.05
	tries=$((tries + 1))
	[ $tries -lt 100 ] || { fail 'the first thread does not end'; break; }
done
"$cairn" bt --json --pid $pid >"$work/out" || fail "without the first thread: exit status $?"
[ "$(grep -c '"complete":true' "$work/out")" = 3 ] || fail "three threads are left: $(wc -l <"$work/out")"
[ "$(grep -c '"function":"wait_here"' "$work/out")" = 2 ] || fail 'names without the first thread'
finish 'signals 0 disturbed 0 going on'

# Nobody there.
"$cairn" bt --pid 4194304 >"$work/out" 2>"$work/errors"
status=$?
[ $status = 3 ] && grep -q 'No such process' "$work/errors" || fail "no such process: $status"
exit $failed

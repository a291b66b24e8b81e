#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn bt --pid` wait for threads that get a processor late, tell which one cannot be stopped and have the others, and
# do without those that end meanwhile?
#
#	busy.sh CAIRN BUSY_THREADS
cairn=$1
program=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/busy.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0

fail() {
	echo "not as it should be: $1"
	cut -c 1-300 "$work/out" "$work/errors" | head -n 20
	failed=1
}

# start CASE: $pid is it
start() {
	[ -z "$pid" ] || { kill -KILL $pid; wait $pid; } 2>/dev/null
	: >"$work/said"
	"$program" "$1" >"$work/said" &
	pid=$!
	tries=0
	until grep -q ready "$work/said"; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "the program did not start"; exit 1; }
	done
}

look() {
	"$cairn" bt --json --pid $pid >"$work/out" 2>"$work/errors"
	status=$?
	if grep -q 'cannot be traced' "$work/errors"; then
		echo 'skipped: processes may not be traced here'
		exit 77
	fi
}

frames() {
	grep -c "\"function\":\"$1[.\"]" "$work/out" # a clone has another name after a dot
}

# Four threads come to their turn once in a while: they are waited for.
start starved
look
[ $status = 0 ] && [ "$(frames count_on)" = 4 ] || fail "threads without a processor: exit status $status"

# A parent after vfork() cannot be stopped: it is named, and the stacks of the others are there.
start vfork
until grep -q '^State:[[:space:]]*D' /proc/$pid/status; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 600 ] || { echo 'skipped: the kernel does not show that a thread waits for a child of vfork()'; exit $failed; }
done
look
[ $status = 1 ] || fail "vfork: exit status $status"
grep -qx "cairn: process $pid: threads: a thread waits in the kernel, for a disk or a child of vfork(), and cannot be stopped (LWP $pid); .*" "$work/errors" ||
	fail "vfork: which thread"
[ "$(frames wait_here)" = 3 ] || fail "vfork: the other threads"

# Threads that end between the list and the stop are none of the process any more. One that has just begun may be in code
# that has no unwind information, so that the status tells nothing.
start coming
i=0
while [ $i -lt 40 ]; do
	look
	[ ! -s "$work/errors" ] && [ "$(frames come_and_go)" = 1 ] || fail "threads that end: exit status $status"
	i=$((i + 1))
done
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A minidump of a running process shows the stacks that the process itself shows.
#
#	process.sh CAIRN LIVE_THREADS
set -u
LC_ALL=C
export LC_ALL
cairn=$1
threads=$2
. "$(dirname "$0")/../../lib/test.sh"
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT

: >"$work/said"
"$threads" 4 >"$work/said" &
pid=$!
tries=0
until grep -q ready "$work/said"; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { echo "the program did not start"; exit 1; }
done
"$cairn" bt --quiet --pid $pid >"$work/live" 2>"$work/errors" || {
	grep -q 'cannot be traced' "$work/errors" && skip 'processes may not be traced here'
	fail "the process: $?"
}
"$cairn" minidump --pid $pid >"$work/dump" || fail "exit status $?"
"$cairn" minidump --quiet --pid $pid -o "$work/out" || fail "exit status $? with -o"
frames() {
	grep '^#\|^Thread' "$1"
}
frames "$work/live" >"$work/expected"
grep -q ' in wait_here ' "$work/expected" || fail 'no wait_here'
for dump in dump out; do
	"$cairn" bt --quiet "$work/$dump" >"$work/minidump" || fail "its minidump: $?"
	frames "$work/minidump" | diff "$work/expected" - || fail "$dump: not the same stacks"
done
exit $failed

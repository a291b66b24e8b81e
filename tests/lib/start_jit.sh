# SPDX-License-Identifier: MIT
# Sourced by the tests of JIT code that a perf map names: start_jit PROGRAM ARGUMENT... starts it and waits until its map is
# written. Sets $work (a directory), $pid and $failed (0); process, map and directory end with the test.
start_jit() {
	work=$(mktemp -d "${TMPDIR:-/tmp}/jit.XXXXXX")
	pid=
	trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; [ -z "$pid" ] || rm -f "/tmp/perf-$pid.map"; rm -rf "$work"' EXIT
	failed=0
	"$@" >"$work/said" &
	pid=$!
	tries=0
	until grep -q ready "$work/said"; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { echo 'skipped: the program cannot write to /tmp'; exit 77; }
	done
}

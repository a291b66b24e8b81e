#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists the processor time of tests and of all processes that they start, the most expensive first, beside the time on a
# clock; the first line is the sum:
#
#	scripts/test_times.sh DIRECTORY ARGUMENTS...
#
# The arguments are those of `meson test`: names of tests, or --suite NAME. Needs perf, whose counters also follow the
# processes that nobody waits for.
set -eu
directory=$1
shift
command -v perf >/dev/null || {
	echo 'test_times.sh: no program "perf" on this machine (Debian package linux-perf)' >&2
	exit 77
}
status=0
meson test -C "$directory" --no-rebuild --wrapper 'perf stat -e task-clock' "$@" >"$directory/times.txt" 2>&1 || status=$?
sed -n -E 's/^\{"name": "([^"]*)".*"result": "([A-Z]*)".*"duration": ([0-9.]+).*[n ]([0-9,.]+) msec task-clock.*/\4 \3 \2 \1/p' \
	"$directory/meson-logs/testlog-perf.json" |
	awk '{
		gsub(/,/, "", $1)
		spent = $1 / 1000; wall = $2; result = $3 == "OK" ? "" : " (" $3 ")"
		$1 = $2 = $3 = ""
		sub(/^ */, "")
		printf "%8.1f %8.1f  %s%s\n", spent, wall, $0, result
		sum += spent; walls += wall
	}
	END { printf "%8.1f %8.1f  %d tests\n", sum, walls, NR }' | LC_ALL=C sort -rn
[ $status = 0 ] || tail -n 3 "$directory/times.txt" >&2
exit $status

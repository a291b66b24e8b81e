#!/bin/sh
# SPDX-License-Identifier: MIT
# near_limits.sh DIRECTORY: what Meson's last run of tests in this build nearly exceeded, a line each: tests that took
# more than half of the time that they have on a machine with nothing else to do, whatever the run allowed them, and
# the lines "near its limit: ..." in which tests report figures of their own.
set -eu
directory=$1

# list_timeouts: "SUITES / NAME<tab>SECONDS" of each test, suites with a plus between them
list_timeouts() {
	sed 's/"name": "/\n&/g' "$directory/meson-info/intro-tests.json" |
		sed -n -E 's/^"name": "([^"]*)".*"timeout": ([0-9]+), "suite": \[([^]]*)\].*/\3 \/ \1	\2/p' |
		sed -e 's/", "/+/g' -e 's/^"//' -e 's/" \/ / \/ /' -e 's/cairn://g'
}

# list_runs: "SUITES / NAME<tab>SECONDS<tab>OUTPUT" of each test; old versions of Meson name a test
# cairn:SUITES / NAME, new ones SUITES - cairn:NAME
list_runs() {
	sed -n -E 's/^\{"name": "([^"]*)", ("stdout": "(([^"\\]|\\.)*)", )?.*"duration": ([0-9.]+).*/\1	\5	\3/p' \
		"$directory/meson-logs/testlog.json" |
		sed -E -e 's|^cairn:||' -e 's|^([^	]*) - cairn:|\1 / |'
}

{
	list_timeouts
	printf '\n\n' # Meson leaves its last line open
	list_runs
} | awk -F '\t' '
	$0 == "" { runs = 1; next }
	!runs { limit[$1] = $2; next }
	limit[$1] > 0 && $2 * 2 > limit[$1] { printf "near its limit: %s: %d of %d s\n", $1, $2, limit[$1] }
	{
		count = split($3, lines, /\\n/)
		for (i = 1; i <= count; i++)
			if (sub(/^near its limit: /, "", lines[i])) {
				gsub(/\\"/, "\"", lines[i])
				print "near its limit: " $1 ": " lines[i]
			}
	}'

#!/bin/sh
# SPDX-License-Identifier: MIT
# Is the memory of `cairn serve` flat?  serve_memory.sh CAIRN SERVE_NAMES PROGRAM [SECONDS [BUILDS [BYTES]]]
#
# For SECONDS (3,600) two clients ask for batches of 1,000 random addresses in BUILDS (100) builds made of PROGRAM, never the same ones twice, five
# batches a second at most, of a service that may keep BYTES (256 MiB) of symbols. Prints a line every minute: what all processes have of their own
# (anonymous memory; pages of files are the system's), and how many workers were replaced.
# Exit status 1: in the last third of the time it was a tenth more than in the one before.
set -eu
cairn=$1 names=$2 program=$3 seconds=${4:-3600} count=${5:-100} bytes=${6:-268435456}
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-serve.XXXXXX")
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$work"
. "$(dirname "$0")/serve_builds.sh"
make_builds "$program" "$count"
"$cairn" serve --quiet --max-memory "$bytes" --unix "$work/socket" --directory "$work/tree" >"$work/out" 2>"$work/err" &
service=$!
until [ -S "$work/socket" ]; do sleep 0.1; done

# allocated PROCESS...: kB
allocated() {
	for process in "$@"; do
		awk '/^Anonymous:/ { print $2 }' "/proc/$process/smaps_rollup"
	done | awk '{ sum += $1 } END { print sum }'
}

begin=$(date +%s) first=0 minute=0
while now=$(($(date +%s) - begin)) && [ $now -lt "$seconds" ]; do
	"$names" load "$work/builds" "$work/socket" 5 2 $first >"$work/load"
	first=$((first + 5))
	sleep 1
	[ $((now / 60)) -ge $minute ] || continue
	minute=$((now / 60 + 1))
	spawner=$(pgrep -P "$service")
	# shellcheck disable=SC2046 # words
	echo "$now $first $(allocated "$service") $(allocated $(pgrep -P "$spawner")) $(
		curl -s --unix-socket "$work/socket" http://localhost/metrics | awk '/^cairn_workers_replaced_total/ { print $2 }')" |
		tee -a "$work/lines" |
		awk '{ print $1 " s: " $2 " batches, " $3 " kB the process that speaks HTTP, " $4 " kB the workers, " $5 " replaced" }'
done
awk '
	{ front[NR] = $3; workers[NR] = $4 }
	END {
		for (i = 1; i <= NR; i++) {
			third = int((i - 1) * 3 / NR)
			if (front[i] > most_front[third]) most_front[third] = front[i]
			if (workers[i] > most_workers[third]) most_workers[third] = workers[i]
		}
		if (NR < 3) { print "too short to tell"; exit 1 }
		printf "the most in each third: %d, %d, %d kB the process that speaks HTTP, %d, %d, %d kB the workers\n", most_front[0], most_front[1],
			most_front[2], most_workers[0], most_workers[1], most_workers[2]
		exit most_front[2] > 1.1 * most_front[1] || most_workers[2] > 1.1 * most_workers[1]
	}' "$work/lines"

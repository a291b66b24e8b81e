#!/bin/sh
# SPDX-License-Identifier: MIT
# large_cores.sh CAIRN LARGE_CORE: the stacks of cores of 4 GB with 500 threads of 50 frames, with holes and
# without, with few segments and with more than the header can count, of a file and in a pipe. The answers are
# checked first. Processor time of cairn in milliseconds, start included: the best of three, and its memory.
set -eu
LC_ALL=C
export LC_ALL
cairn=$1
large_core=$2
rounds=3
[ -x /usr/bin/time ] || { echo 'skipped: no /usr/bin/time'; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/large.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# What /usr/bin/time has counted, added to a list.
run_once() {
	if [ "$1" = file ]; then
		/usr/bin/time -o "$tmp/spent" -f '%U %S %M' "$cairn" bt --dedup "$tmp/core" >"$tmp/out"
	else
		cat "$tmp/core" | /usr/bin/time -o "$tmp/spent" -f '%U %S %M' "$cairn" bt --dedup - >"$tmp/out"
	fi
	[ "$(grep -c '^#' "$tmp/out")" = 50 ] && grep -q 'and 499 more with this stack' "$tmp/out" || {
		echo "$1: not 500 threads of 50 frames"
		exit 1
	}
	awk '{ print 1000 * ($1 + $2), $3 }' "$tmp/spent" >>"$tmp/all"
}

printf '%-10s %-7s %-7s %8s %10s\n' kind data input ms KB
for kind in stacks segments; do
	for data in sparse dense; do
		"$large_core" $kind $data "$tmp/core" 2>"$tmp/errors" || {
			echo "$kind $data: skipped: $(cat "$tmp/errors")"
			continue
		}
		for input in file pipe; do
			: >"$tmp/all"
			for _ in $(seq $rounds); do
				run_once $input
			done
			sort -n "$tmp/all" | awk -v k=$kind -v d=$data -v i=$input \
				'NR == 1 { printf "%-10s %-7s %-7s %8d %10d\n", k, d, i, $1, $2 }'
		done
	done
done

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Minidumps of large cores, made by large_core.c, which come through a pipe: how large they are, in how much memory they are
# made, and that they show the stacks of the core.  No program is at hand, so the first caller is a guess and `bt` ends
# with status 1.
#
#	sizes.sh CAIRN LARGE_CORE POUR
set -u
LC_ALL=C
export LC_ALL
cairn=$1
large_core=$2
pour=$3
. "$(dirname "$0")/../../lib/test.sh"

# show CORE OUTPUT: the stacks, with the status that a guess has
show() {
	"$cairn" bt --dedup "$1" >"$2"
	[ $? = 1 ]
}

# check KIND BYTES KIB: the file has at most so many bytes, made in at most so much memory
check() {
	"$large_core" "$1" sparse "$work/core" || skip 'no room for a large file with holes'
	show "$work/core" "$work/of-core" || fail "$1: exit status $? of the core"
	"$pour" "$work/core" | (
		ulimit -t 30
		if command -v time >/dev/null; then
			exec time -q -f %M -o "$work/memory" "$cairn" minidump - >"$work/dump"
		fi
		exec "$cairn" minidump - >"$work/dump"
	) || fail "$1: exit status $?"
	[ "$(wc -c <"$work/dump")" -le "$2" ] || fail "$1: $(wc -c <"$work/dump") bytes"
	if [ -s "$work/memory" ]; then
		[ "$(tail -n 1 "$work/memory")" -le "$3" ] || fail "$1: $(tail -n 1 "$work/memory") KiB of memory"
	fi
	show "$work/dump" "$work/of-dump" || fail "$1: exit status $? of the minidump"
	cmp "$work/of-core" "$work/of-dump" || fail "$1: the minidump shows other stacks"
	[ "$1" = hundred ] || return 0
	"$cairn" minidump --quiet -o "$work/of-file" "$work/core" || fail "$1: exit status $? of the file"
	show "$work/of-file" "$work/of-written"
	cmp "$work/of-core" "$work/of-written" || fail "$1: the minidump of a file shows other stacks"
}

# compare_time: three times the stream of the core in `core`; the minidump takes at most twice the processor time of `cairn bt`, and a tick or two
compare_time() {
	command -v time >/dev/null || return 0
	for verb in bt minidump; do
		for run in 1 2 3; do
			"$pour" "$work/core" | command time -q -f '%U %S' -a -o "$work/$verb.times" "$cairn" $verb - >/dev/null 2>&1
			status=$?
			case $verb$status in bt1 | minidump0) ;; *) fail "$verb: exit status $status, run $run" ;; esac
		done
	done
	awk 'FNR == 1 { n++ } { sum[n] += $1 + $2 } END { printf "minidump %.2f s, bt %.2f s\n", sum[2], sum[1]; exit sum[2] > 2 * sum[1] + 0.06 }' "$work/bt.times" "$work/minidump.times" >"$work/times" ||
		fail "processor time of three: $(cat "$work/times")"
}

check hundred 1000000 24576
compare_time
check threads 1500000 24576
check many 32000000 65536

# Of two threads of 100,000 frames the one that crashed is whole, and as much of the other as a stream keeps of it.
"$large_core" deep sparse "$work/core" || exit 2
"$cairn" bt --quiet - <"$work/core" >"$work/of-core" 2>&1
"$cairn" minidump - <"$work/core" >"$work/dump" || fail "deep: exit status $?"
"$cairn" bt --quiet "$work/dump" >"$work/of-dump" 2>&1
sed '/^Thread 2 /,$d' "$work/of-core" >"$work/first"
sed '/^Thread 2 /,$d' "$work/of-dump" | cmp - "$work/first" || fail "deep: the crashed thread is not whole"
[ "$(grep -c '^#' "$work/of-dump")" -gt 160000 ] || fail "deep: too little of a stack was kept"
[ $failed = 0 ] && [ ! -s "$work/times" ] || cat "$work/times"
exit $failed

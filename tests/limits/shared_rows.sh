#!/bin/sh
# SPDX-License-Identifier: MIT
# SFrame tables whose functions share their rows: what is printed of one is bounded by its size, however often a row
# is found to be wrong, and what is not printed is counted.
#
#	shared_rows.sh CAIRN MAKE_SHAPE
set -u
cairn=$1 make=$2
. "$(dirname "$0")/../lib/test.sh"

fail() {
	echo "shared rows: $1"
	exit 1
}

"$make" sframe 13 >"$work/table" || fail 'no table'
most=$((4194304 + 200 * $(wc -c <"$work/table")))
for verb in verify dump stats; do
	for form in '' --json --lines; do
		[ "$verb $form" != 'stats --lines' ] || continue
		# shellcheck disable=SC2086 # none means none
		"$cairn" sframe $verb $form "$work/table" >"$work/out" 2>"$work/err"
		status=$?
		[ $status -le 3 ] || fail "status $status: sframe $verb $form"
		[ "$(wc -c <"$work/out")" -le $most ] || fail "$(wc -c <"$work/out") bytes of $most: sframe $verb $form"
		[ $verb != verify ] || grep -q 'unprinted\|[0-9] faults and notes are counted, but not printed' "$work/out" ||
			fail "sframe verify $form: nothing is told"
	done
done

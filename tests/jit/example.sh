#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The example of docs/jit.md: `cairn bt` of its core names the function that it has made, with the line of its source.
#
#	example.sh CAIRN EXAMPLE

cairn=$1 program=$2
. "$(dirname "$0")/../lib/test.sh"
export CAIRN_CACHE="$work/cache"
cp "$program" "$work/jit"
printf 'area 6 7\ntotal 1 2 3\nbroken 4 0\n' >"$work/sums"
(
	cd "$work" || exit 1
	ulimit -c unlimited
	./jit sums >said 2>/dev/null
)
[ "$(cat "$work/said")" = 'area = 13
total = 6' ] || fail 'the code that it makes does not work'
core=$(find "$work" -name 'core*' -type f | head -n 1)
[ -n "$core" ] || skip 'the system writes no core beside the program'
"$cairn" bt "$core" >"$work/stack" 2>&1
grep -q ' in broken (...) at sums:3$' "$work/stack" && grep -q ' main (' "$work/stack" || {
	cat "$work/stack"
	fail 'the stack'
}
exit "$failed"

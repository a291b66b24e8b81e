#!/bin/sh
# SPDX-License-Identifier: MIT
# What most tests begin with, to be read by "." before anything else: a directory of the test's own in `work`, which is
# removed at the end; `failed`, which a test ends with as its status; and these functions.
# shellcheck disable=SC2034 # for who reads this

test_name=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-$test_name.XXXXXX") || exit 2
trap 'tell_near_limits; rm -rf "$work"' EXIT
failed=0

# fail WORD...: says what is not as it should be, and the test goes on.
fail() {
	echo "$test_name: $*"
	failed=1
}

# skip WHY: ends the test, which could not run here.  A list that is empty is no reason.
skip() {
	case $* in '' | *[:\ ]) set -- "$*(nothing more is known; see the output of $test_name)" ;; esac
	echo "skipped: $*"
	exit 77
}

# spend SECONDS COMMAND...: becomes COMMAND, in a subshell: with so much processor time and no more. How much it
# took is kept, where the program time is there.
spend() {
	ulimit -t "$1"
	limit_of_time=$1
	shift
	! command -v time >/dev/null || set -- time -a -q -o "$work/.spent" -f "%U %S $limit_of_time %C" "$@"
	exec "$@"
}

# tell_near_limits: each command that took more than half of its seconds; scripts/test.sh repeats these lines at its end.
tell_near_limits() {
	[ ! -f "$work/.spent" ] || sed "s|$work/||g" "$work/.spent" |
		awk '$3 + 0 > 0 && ($1 + $2) * 2 > $3 {
			figure = $1 + $2 " of " $3 " s: "
			$1 = $2 = $3 = ""
			sub(/^ +/, "")
			print "near its limit: " figure $0
		}'
}

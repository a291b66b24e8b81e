#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A return address where nothing is mapped: does `cairn bt` show it, as GDB does, and end there with the reason?
#
#	astray.sh CAIRN ASTRAY_PROGRAM
cairn=$(realpath "$1")
program=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/astray.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "$1:"; cat out; exit 1; }

cd "$work" || exit 2
"$program" >said &
pid=$!
tries=0
until grep -qs ready said; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 200 ] || { echo 'failed: the program is not ready'; exit 1; }
done
"$cairn" bt --quiet --pid $pid >out 2>&1
status=$?
if grep -q 'cannot be traced' out; then
	echo 'skipped: processes may not be traced here'
	exit 77
fi
[ $status = 1 ] || fail "status $status"
sed -n '/ in smash /,$p' out | sed -e 's/^#[0-9]* *//' -e 's/^0x[0-9a-f]* in smash.*/smash/' >tail
printf '%s\n' smash '0x0000123456789000 in ?? ()' 'Backtrace stopped: the pc is in no module' | cmp -s - tail ||
	fail 'not the address and the reason'

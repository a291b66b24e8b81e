#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Code of a program that is mapped a second time, elsewhere, as V8 does with its builtins: does `cairn bt` name it and
# walk through it by the rules of the first, of the process and of its core, which does not hold that mapping?
#
#	remapped.sh CAIRN REMAPPED_PROGRAM
cairn=$(realpath "$1")
program=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/remapped.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0
fail() { echo "$1:"; cat out; failed=1; }

cd "$work" || exit 2
"$program" >said &
pid=$!
tries=0
until grep -qs ready said; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 200 ] || { echo 'failed: the program is not ready'; exit 1; }
done

# walks WHAT: the frame of the second mapping has its name, and main() is above it
walks() {
	sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\(wait_here\|relay\|main\) .*/\2/p' out | tr '\n' ' ' >names
	[ "$(cat names)" = 'wait_here relay main ' ] || fail "$1"
	pc=$(sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\) in relay .*/\1/p' out)
	[ -n "$pc" ] && [ $((pc)) -ge $((low)) ] && [ $((pc)) -lt $((high)) ] || fail "$1: not in the second mapping"
	grep -q 'outermost\|_start' out || fail "$1: no end"
}

low=0 high=0
# the mapping of the code that is not the first
sed -n "s|^\([0-9a-f]*\)-\([0-9a-f]*\) r-xp .* $program\$|0x\1 0x\2|p" "/proc/$pid/maps" >ranges
if [ "$(wc -l <ranges)" != 2 ]; then
	echo 'skipped: the list of mappings does not show both'
	exit 77
fi
read -r one two <ranges
last=$(tail -1 ranges)
low=${last% *} high=${last#* }
"$cairn" bt --quiet --pid $pid >out 2>&1
if grep -q 'cannot be traced' out; then
	echo 'skipped: processes may not be traced here'
	exit 77
fi
# whichever was mapped higher
grep -q 'in relay ' out || fail 'the process: no name'
pc=$(sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\) in relay .*/\1/p' out)
[ $((pc)) -ge $((low)) ] && [ $((pc)) -lt $((high)) ] || low=$one high=$two
walks 'the process'
"$cairn" bt --json --list-modules --pid $pid | tr -d ' \n' >out
[ "$(grep -o '"remapped":true,"module":"'"$program"'"' out | wc -l)" = 1 ] || fail 'the modules in JSON'

if command -v gcore >gcore.path; then
	gcore -o core $pid >gcore.said 2>&1
	if [ -f core.$pid ]; then
		"$cairn" bt --quiet core.$pid >out 2>&1
		walks 'the core'
	else
		cat gcore.said
	fi
else
	echo 'without a core: no gcore'
fi
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt where no code is: after a call through a null or garbage pointer the caller is found.  And
# stacks that are longer than what is shown: each cut is reported, and can be lifted.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build nowhere.c nowhere -O1

# walk KIND ARGUMENTS COMMAND...: what is printed after the crash.
walk() {
	kind=$1 arguments=$2
	shift 2
	for command; do
		set -- "$@" -ex "$command"
		shift
	done
	debug without "$tmp/$kind/nowhere" -ex "source $CAIRN_GDB" -ex "run $arguments" "$@" \
		>"$tmp/said"
}

for kind in eh no; do
	for address in 0 0x10 data; do
		walk $kind $address 'cairn bt 4' 'cairn bt -explain 1'
		said 2 '^#0   0x0*[0-9a-f]* in '
		said 1 '^#1   0x[0-9a-f]* in through + '
		said 1 '^#2   0x[0-9a-f]* in middle + '
		said 1 '^#3   0x[0-9a-f]* in main + '
		said 1 '^     by call, cfa 0x'
		said 0 'More frames'
	done
done

# the null call, through, middle, 37,001 times deep, main, and what called it
walk no '0 37000' 'cairn bt' 'echo all\n' 'cairn bt 40000' 'echo outermost\n' 'cairn bt -4' \
	'echo json\n' 'cairn bt -json'
said 1 '^(More frames follow\.  "cairn bt COUNT" shows up to 65536\.)$'
said 1 '^{"frames":.*,"more":true}$'
sed -n '1,/^all$/p' "$tmp/said" >"$tmp/first"
sed -n '/^all$/,/^outermost$/p' "$tmp/said" >"$tmp/all"
sed -n '/^outermost$/,/^json$/p' "$tmp/said" >"$tmp/outermost"
[ "$(grep -c '^#' "$tmp/first")" = 1000 ] || fail 'not 1000 frames without a number'
[ "$(grep -c ' in deep + ' "$tmp/all")" = 37001 ] || fail 'not all frames'
grep -q ' in main + ' "$tmp/all" || fail 'the walk does not come to main'
[ "$(grep '^#' "$tmp/all" | tail -n 4)" = "$(grep '^#' "$tmp/outermost")" ] ||
	fail 'the outermost frames are not the last ones'
echo 'found'

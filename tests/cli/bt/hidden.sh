#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Crashes in code that is not at hand: a call through a null pointer, also in the handler of a signal, and a fault in a
# leaf of the C library.  Without the program or the library `cairn bt` has all frames that it has with them, and marks
# guesses; a stack that was overwritten ends alike in a core and in its minidump.
#
#	hidden.sh CAIRN HIDDEN_PROGRAM
cairn=$(realpath "$1")
program=$(realpath "$2")
. "$(dirname "$0")/../../lib/test.sh"
read -r pattern </proc/sys/kernel/core_pattern
[ "$pattern" = core ] || skip "the kernel writes no file 'core' here: core_pattern is $pattern"
cd "$work" || exit 2
mkdir none cache
export XDG_CACHE_HOME="$work/cache"
cp "$program" program && objcopy --only-keep-debug program program.debug || exit 2

# make_core MODE: the kernel's, which has no code.  GDB's has the code in which GDB had breakpoints.
make_core() {
	(ulimit -c unlimited 2>/dev/null && exec ./program "$1") >/dev/null 2>&1
	mv core* "$1.core" 2>/dev/null || skip 'the kernel wrote no core'
}

# addresses INPUT ARGUMENT...: those of the frames, and the exit status in `status`.
addresses() {
	"$cairn" bt --quiet --json "$@" 2>errors >json
	echo $? >status
	grep -o '"pc":"[^"]*"' json
}

# check MODE WHAT INPUT ARGUMENT...: the first frames, $count of them, are those in `expected`, and a guess is marked;
# what a signal has interrupted is no guess where the program is at hand.
check() {
	name="$1: $2"
	shift 2
	addresses "$@" | head -n "$count" >got
	head -n "$count" expected | cmp -s - got || { fail "$name: other frames"; diff expected got; cat json; }
	[ "$(cat status)" = 1 ] || fail "$name: exit status $(cat status)"
	grep -q '"complete":false' json || fail "$name: complete"
	[ "$name" != 'handler: without the library' ] || return 0
	grep -q '"guessed":true' json || fail "$name: no guess"
	"$cairn" bt --quiet --folded "$@" >/dev/null 2>&1
	[ $? = 1 ] || fail "$name: not exit status 1 with --folded"
	"$cairn" bt --quiet "$@" 2>/dev/null | grep -q '^#.* \[\(call\|frame-pointer\|scan\)\]$' || fail "$name: no mark"
	"$cairn" bt json 2>/dev/null | grep -q '^#.* \[\(call\|frame-pointer\|scan\)\]$' || fail "$name: no mark of the report"
}

for mode in call leaf handler; do
	make_core $mode
	case $mode in handler) count=6 ;; *) count=4 ;; esac
	addresses $mode.core program >expected
	[ "$(cat status)" = 0 ] || fail "$mode: exit status $(cat status) with the program"
	"$cairn" bt --quiet $mode.core program | grep -q '^#[1-9].* in inner ' || fail "$mode: no inner"
	"$cairn" minidump -o $mode.dmp $mode.core program >/dev/null 2>&1 || fail "$mode: no minidump"
	mv program elsewhere
	if [ $mode != leaf ]; then # whose code only the library has
		check $mode 'the core alone' $mode.core
		check $mode 'with its debug file' $mode.core program.debug
		check $mode 'its minidump' $mode.dmp
	fi
	check $mode 'without files' --sysroot "$work/none" $mode.core
	mv elsewhere program
	[ $mode = call ] || check $mode 'without the library' --sysroot "$work/none" $mode.core "$work/program"
done

make_core smash
addresses smash.core program >expected
[ "$(cat status)" = 1 ] || fail "smash: exit status $(cat status)"
[ "$(tail -n 1 expected)" = '"pc":"0x4141414141414141"' ] || fail "smash: $(cat expected)"
"$cairn" minidump -o smash.dmp smash.core program >/dev/null 2>&1
addresses smash.dmp program >got
[ "$(cat status)" = 1 ] || fail "smash: exit status $(cat status) of the minidump"
cmp -s expected got || { fail 'smash: other frames in the minidump'; cat json; }
exit $failed

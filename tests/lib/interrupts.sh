# SPDX-License-Identifier: MIT
# What the tests share that interrupt commands (interrupt.c); to be read by "." with these set: $cairn, the command;
# $library, the loaded one; fail.  They work in the present directory, where the directory `start` is that of each run.

# run AT WORDS...: the command, interrupted before its call AT, or never when that is 0; back when it and its workers
# have ended
run() {
	at=$1
	shift
	rm -rf out
	cp -Rp start out
	INTERRUPT_AT=$at CALLS=$work/calls LD_PRELOAD=$library setsid "$cairn" "$@" >printed 2>&1 </dev/null &
	group=$!
	wait $group
	status=$?
	tries=0
	while kill -s 0 -- -$group 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 6000 ] || {
			fail "$*: workers do not end"
			return
		}
		sleep 0.01
	done
}

# look WORDS...: what the command has left
look() {
	find out -type f >found
	while read -r path; do
		name=${path#out/}
		cmp -s "$path" "start/$name" || cmp -s "$path" "whole/$name" || fail "$*: interrupted at call $at, $name is left"
	done <found
}

# each LEAST WORDS...: the command at each of its calls; those of workers, which do not count themselves, are LEAST at most
each() {
	calls=$1
	shift
	run 0 "$@"
	[ "$status" = 0 ] || fail "$*: exit status $status: $(cat printed)"
	rm -rf whole
	mv out whole
	[ -s calls ] || {
		fail "$*: the library is not loaded: $(cat printed)"
		return
	}
	! diff -r start whole >/dev/null || fail "$*: nothing is written"
	[ "$(cat calls)" -le "$calls" ] || calls=$(cat calls)
	ended=0
	at=0
	while [ "$at" -lt "$calls" ]; do
		run $((at + 1)) "$@"
		[ "$status" = 130 ] && ended=$((ended + 1))
		[ "$status" = 130 ] || [ "$status" = 0 ] || fail "$*: interrupted at call $at, exit status $status: $(cat printed)"
		look "$@"
	done
	echo "$*: $calls calls, $ended runs ended by the signal"
	[ "$ended" -gt 0 ] || fail "$*: never interrupted"
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C leaves nothing half-made: interrupted.sh CAIRN INTERRUPT_LIBRARY COMPILER...
#
# Each verb that writes files is interrupted before each of its calls that change something on the disk (interrupt.c).
# After that each file in its folder has the bytes that it had before, or those of a run that nobody interrupted, and
# there is no other file.
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") library=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2
HOME=$work/out XDG_CACHE_HOME=$work/out/cache
export HOME XDG_CACHE_HOME
failed=0
fail() {
	echo "interrupted: $*"
	failed=1
}

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

mkdir start
echo 'int twice(int n) { return n + n; } int main(void) { return twice(0); }' >prog.c
"$@" -g -Wl,--build-id=sha1 prog.c -o prog 2>/dev/null || {
	echo 'skipped: no program can be linked'
	exit 77
}
each 0 gsym create --quiet prog -o out/prog.gsym
each 0 gsym create --quiet --embed prog -o out/prog
each 0 gsym create --quiet --format 2 --segment-size 600 prog -o out/prog
each 0 symbfile create --quiet prog -o out/prog
each 0 symbols write --quiet --for prog prog -o out/prog.o
# the cache records the times of a file only when it is older than the tick of any clock
while [ $(($(date +%s) - $(stat -c %Z prog))) -le 3 ]; do
	sleep 0.2
done
each 0 where prog 0x1000
each 0 setup --write gdb
echo 'set width 0' >start/.gdbinit
each 0 setup --write gdb
mkdir tree
cp prog tree/prog
each 12 gsym create --quiet --tree tree -o out/store
# a file that is there, and is not whole
for file in $(cd whole && find store -type f); do
	mkdir -p "start/${file%/*}"
	head -c 300 "whole/$file" >"start/$file"
done
each 12 gsym create --quiet --tree tree -o out/store
rm -rf start
mkdir start
"$cairn" gsym create --quiet prog -o start/prog.gsym || exit 2
each 0 gsym create --quiet --format 2 prog -o out/prog.gsym
cp -R start out
"$cairn" where prog 0x1000 >printed || exit 2
rm -rf start
mv out start
each 0 cache clear
exit $failed

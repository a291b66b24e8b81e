#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2317 # what interrupts.sh uses
# Ctrl-C leaves nothing half-made: interrupted.sh CAIRN INTERRUPT_LIBRARY COMPILER...
#
# Each verb that writes files is interrupted before each of its calls that change something on the disk (interrupt.c).
# After that each file in its directory has the bytes that it had before, or those of a run that nobody interrupted, and
# there is no other file.
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") library=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")" && pwd)
shift 2
. "$(dirname "$0")/../../lib/test.sh"
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2
HOME=$work/out XDG_CACHE_HOME=$work/out/cache
export HOME XDG_CACHE_HOME
. "$here/../../lib/interrupts.sh"

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
each 0 store add --store out/store prog
each 0 symbols write --quiet --for prog prog -o out/prog.o
cp "$here/../../fuzz/corpus/core_stacks/threads.core" core
each 0 minidump --quiet core -o out/core.dmp
each 0 sframe create --quiet prog -o out/prog.sframe
"$cairn" sframe create --quiet prog -o start/prog.sframe || exit 2
each 0 sframe convert --quiet --to 2 start/prog.sframe -o out/prog.sframe
rm start/prog.sframe
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

#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn gsym create --embed`: the program runs as before and keeps its bytes, answers come from the section after
# strip and objcopy too, a second time changes nothing, and what cannot have a section is left as it is.
#
#	embedded.sh CAIRN FIND_SYMBOLS CC...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
find_symbols=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
fixtures=$(cd "$(dirname "$0")/../../fixtures" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
fail() {
	echo "embed: $*"
	exit 1
}
for tool in strip objcopy readelf nm; do
	command -v $tool >/dev/null || {
		echo "embed: no $tool: not tested here"
		exit 77
	}
done

cat >prog.c <<'END'
#include <stdio.h>
static inline int __attribute__((always_inline)) twice(int x)
{
	volatile int y = x;
	return y * 2;
}
int work(int a)
{
	return twice(a) + 1;
}
int main(int argc, char **argv)
{
	(void)argv;
	return printf("%d\n", work(argc)) == 2 ? 0 : 1;
}
END
"$@" -O1 -g -Wl,--build-id -o prog prog.c || {
	echo 'embed: no program can be built: not tested here'
	exit 77
}
address=0x$(nm prog | sed -n 's/ T work$//p')
"$cairn" where --no-cache prog "$address" >expected
grep -q 'inlined into work' expected || fail "the program: $(cat expected)"

"$cairn" gsym create --embed -o copy prog >out 2>&1 || fail "status $?: $(cat out)"
./copy >out && [ "$(cat out)" = 3 ] || fail 'the copy does not run as the program does'
# all bytes but the header's, which says where the section table is
size=$(wc -c <prog)
[ "$(cmp -l prog copy 2>/dev/null | awk -v size="$size" '$1 > 64 && $1 <= size' | wc -l)" = 0 ] || fail 'bytes of the program changed'
readelf -lW prog | grep -v '^Section to\|^  *[0-9][0-9] ' >segments
readelf -lW copy | grep -v '^Section to\|^  *[0-9][0-9] ' | cmp - segments || fail 'segments changed'
strip -o stripped copy && strip --strip-unneeded -o unneeded copy && objcopy stripped copied || fail 'binutils reject the copy'
for program in stripped unneeded copied; do
	./$program >out && [ "$(cat out)" = 3 ] || fail "$program does not run"
	nm $program 2>/dev/null | grep -q ' work$' && [ $program = stripped ] && fail 'strip left symbols'
	"$cairn" where --no-cache ./$program "$address" | cmp - expected || fail "where in $program"
	"$cairn" gsym lookup ./$program "$address" | cmp - expected || fail "lookup in $program"
	"$cairn" gsym verify ./$program >out || fail "verify of $program: $(cat out)"
	[ "$("$find_symbols" "$work/$program")" = "$work/$program" ] || fail "debuggers do not find it in $program"
done

# in place, and again: nothing changes; with other symbols the file does not grow by the old ones
cp prog place
"$cairn" gsym create --quiet --embed place && cmp place copy || fail 'in place differs from a copy'
"$cairn" gsym create --quiet --embed place && cmp place copy || fail 'a second time changed it'
"$cairn" gsym create --quiet --format 2 --embed place && "$cairn" gsym create --quiet --embed place && cmp place copy ||
	fail 'the old section stays in the file'
[ -x place ] || fail 'it may not be run any more'
objcopy copy moved
"$cairn" gsym create --quiet --embed -o moved2 moved
./moved2 >out && [ "$(cat out)" = 3 ] || fail 'a section that is not the last one'

# symbols of another build are not used
strip -o other copy
"$find_symbols" "$work/prog" | grep -q "$work" && fail 'debuggers find symbols that are not there'
"$@" -O0 -g -Wl,--build-id -o prog2 prog.c
"$cairn" gsym create --quiet -o prog2.gsym prog2
objcopy --update-section .gsym=prog2.gsym other
"$cairn" where --no-cache ./other "$address" >out 2>&1
"$find_symbols" "$work/other" | grep -q "$work" && fail 'debuggers use symbols of another build'
grep -q 'prog.c' out && fail 'symbols of another build are used'

# what cannot have one
cp "$fixtures/dwarf/v5.o" object
"$cairn" gsym create --quiet --embed object >out 2>&1
[ $? = 3 ] && grep -q 'a symbol section can be added only to an ELF program or library' out && cmp object "$fixtures/dwarf/v5.o" ||
	fail "an object: $(cat out)"
head -c "$(($(readelf -hW prog | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p') + 100))" prog >cut
cp cut before
"$cairn" gsym create --quiet --keep-going --embed cut >out 2>&1
[ $? != 0 ] && cmp cut before || fail "a program that is cut short: $(cat out)"
cp prog unnamed
printf '\0\0' | dd of=unnamed bs=1 seek=62 conv=notrunc 2>/dev/null # e_shstrndx
cp unnamed before
"$cairn" gsym create --quiet --embed unnamed >out 2>&1
[ $? = 3 ] && grep -q 'sections without names, or too many of them.*; cannot add a section' out && cmp unnamed before ||
	fail "sections without names: $(cat out)"
"$cairn" gsym create --embed --segment-size 4096 prog >out 2>&1
[ $? = 2 ] && grep -q -e '--embed creates one file and cannot be used with --tree or --segment-size' out || fail "pieces: $(cat out)"
"$cairn" gsym create --quiet --embed -o missing/prog prog >out 2>&1
[ $? = 3 ] && grep -q 'missing/prog: cannot write' out || fail "no folder: $(cat out)"
echo 'embed: the program as before, its symbols in a section'

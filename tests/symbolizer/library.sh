#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The verbs and the library agree about an address.  The library names what `cairn where` names: functions, inlined
# calls, files and lines, with libcairn-dwarf; and with libcairn alone at least the functions.  A file of symbols is used
# where there is one, and one of another build is not.
#
#	library.sh CAIRN SYMBOLIZE COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
symbolize=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
. "$(dirname "$0")/../lib/test.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cd "$work" || exit 2
for tool in objcopy strip nm; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
cat >prog.c <<'END'
#include <stdio.h>
static inline __attribute__((always_inline)) int inner(volatile int *n)
{
	*n += 3;
	return *n;
}
__attribute__((noinline)) int outer(volatile int *n)
{
	int sum = inner(n);
	return sum + inner(n);
}
int main(void) { volatile int n = 1; puts("end"); return outer(&n); }
END
"$@" -O2 -g -Wl,--build-id prog.c -o prog || exit 2
start=$(nm prog | awk '$3 == "outer" { print $1 }')
addresses=$(for i in 0 1 2 3 4 5 6 7 8 9 10 11; do printf '0x%x ' $((0x$start + i)); done)
main=$(nm prog | awk '$3 == "main" { print "0x" $1 }')

# same NAME FILE: the library says what the verb says, but for columns, which the verb may not print
same() {
	"$cairn" where --no-cache --json "$2" $addresses $main >where.json || fail "$1: where: $?"
	"$symbolize" "$2" $addresses $main | sed 's/,"column":[0-9]*//g' >library.json
	sed -i 's/,"column":[0-9]*//g' where.json
	cmp -s where.json library.json || { diff where.json library.json; fail "$1: another answer"; }
}
same 'a program' prog
grep -q '"inlined":true' library.json || fail 'no inlined call is among the addresses'
"$symbolize" prog $main | grep -q '"column":[1-9]' || fail 'no column'

# the same address has the same answer in every verb: from the cache, from a GSYM file, in a stack
plain() { sed 's/,"column":[0-9]*//g' "$@"; }
for round in conversion cache; do
	XDG_CACHE_HOME=$work/kept "$cairn" where --json prog $addresses $main >where.json || fail "where, by $round: $?"
	"$symbolize" prog $addresses $main | plain >library.json
	plain -i where.json
	cmp -s where.json library.json || { diff where.json library.json; fail "by $round: another answer"; }
done
[ -n "$(find "$work/kept" -name '*.gsym')" ] || fail 'nothing is in the cache'
"$cairn" gsym create --quiet prog -o other.gsym || fail 'gsym create'
"$cairn" gsym lookup --json other.gsym $addresses $main | plain >gsym.json
cmp -s gsym.json library.json || { diff gsym.json library.json; fail 'gsym lookup: another answer'; }
rm -f other.gsym

# function and line of an inlined call and of the function around it, in a stack and by `where` for the same address
cat >waits.c <<'END'
#include <unistd.h>
static inline __attribute__((always_inline)) int inner(volatile int *n)
{
	pause();
	return *n;
}
__attribute__((noinline)) int outer(volatile int *n)
{
	return inner(n) + 1;
}
int main(void) { volatile int n = 1; return outer(&n); }
END
"$@" -O2 -g -Wl,--build-id waits.c -o waits || exit 2
./waits &
waits=$!
for try in 1 2 3 4 5 6 7 8 9 10; do
	"$cairn" bt --json --pid $waits >bt.json 2>bt.err
	grep -q '"function":"outer"' bt.json && break
	sleep 1
done
kill $waits
if grep -q 'may not be traced' bt.err; then
	echo 'stacks of processes are not compared: processes may not be traced here'
else
	tr '{' '\n' <bt.json | grep '"module":"[^"]*/waits"' >frames
	at=$(sed -n '/"function":"inner"/s/.*"va":"\(0x[0-9a-f]*\)".*/\1/p' frames)
	[ -n "$at" ] || fail 'the inlined call is not in the stack'
	tr '{' '\n' <bt.json | sed -n '/"function":"\(inner\|outer\)"/s/.*"function":"\([a-z]*\)".*"line":\([0-9]*\).*/\1 \2/p' >in-stack
	"$cairn" where --json waits 0x$(printf %x $((at - 1))) | tr '{' '\n' |
		sed -n 's/.*"function":"\([a-z]*\)".*"line":\([0-9]*\).*/\1 \2/p' >in-where
	cmp -s in-stack in-where || { diff in-stack in-where; fail 'bt: another answer'; }
fi

objcopy --only-keep-debug prog prog.debug
strip -o stripped prog
objcopy --add-gnu-debuglink=prog.debug stripped
same 'a stripped program' stripped

# libcairn alone has the functions, with their beginnings, and the names of the PLT
"$symbolize" --table prog $main >table.json
grep -q '"function":"main"' table.json || fail 'no name by the symbol table'
grep -q '"file"' table.json && fail 'a symbol table knows no file'

# a file of symbols beside the program is asked first, if it is of the same build
"$cairn" gsym create --quiet prog -o prog.gsym 2>/dev/null || "$cairn" gsym create prog -o prog.gsym >/dev/null 2>&1
"$symbolize" --table prog $main | grep -q '"line":' || fail 'a file of symbols is not used'
"$@" -O1 -g -Wl,--build-id prog.c -o another
mv another prog
"$symbolize" --table prog $main | grep -q '"line":' && fail 'a file of another build is used'

# what is no program at all has no names
printf junk >junk
"$symbolize" junk 0x1000 | grep -q '"outcome":"not-found"' || fail 'junk has names'
exit $failed

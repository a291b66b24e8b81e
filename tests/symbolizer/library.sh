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

# same NAME FILE: the library says what the verb says
same() {
	"$cairn" where --no-cache --json "$2" $addresses $main >where.json || fail "$1: where: $?"
	"$symbolize" "$2" $addresses $main >library.json
	cmp -s where.json library.json || { diff where.json library.json; fail "$1: another answer"; }
}
same 'a program' prog
grep -q '"inlined":true' library.json || fail 'no inlined call is among the addresses'
"$symbolize" prog $main | grep -q '"column":[1-9]' || fail 'no column'

# the same address has the same answer in every verb: from the cache, from a GSYM file, which has no columns, in a stack
plain() { sed 's/,"column":[0-9]*//g' "$@"; }
for round in conversion cache; do
	XDG_CACHE_HOME=$work/kept "$cairn" where --json prog $addresses $main >where.json || fail "where, by $round: $?"
	"$symbolize" prog $addresses $main >library.json
	cmp -s where.json library.json || { diff where.json library.json; fail "by $round: another answer"; }
done
plain -i library.json
[ -n "$(find "$work/kept" -name '*.gsym')" ] || fail 'nothing is in the cache'
"$cairn" gsym create --quiet prog -o other.gsym || fail 'gsym create'
"$cairn" gsym lookup --json other.gsym $addresses $main | plain >gsym.json
cmp -s gsym.json library.json || { diff gsym.json library.json; fail 'gsym lookup: another answer'; }
rm -f other.gsym

# a function with several symbols, and some that only lines describe, among so many addresses that an index is made
cat >many.c <<'END'
static inline __attribute__((always_inline)) int inner(volatile int *n) { *n += 3; return *n; }
__attribute__((noinline)) int outer(volatile int *n) { return inner(n) + inner(n); }
int zeta(volatile int *n) __attribute__((alias("outer")));
int __alpha(volatile int *n) __attribute__((alias("outer")));
int bare(int n);
int main(void) { volatile int n = 1; return outer(&n) + bare(n); }
END
cat >bare.s <<'END'
	.file 1 "bare.c"
	.text
	.globl bare
	.type bare,@function
bare:
	.loc 1 5 3
	nop
	nop
	.loc 1 6 1
	nop
	.size bare,.-bare
	.globl last
last:
	.loc 1 9 1
	nop
	ret
	.size last,.-last
	.section .note.GNU-stack,"",@progbits
END
sed 's/bare/rare/g; s/last/rest/g' bare.s >rare.s
build_id=0102030405060708090a0b0c0d0e0f10
if "$@" -O2 -g -c many.c && "$@" -c bare.s rare.s && "$@" -Wl,--build-id=0x$build_id many.o bare.o rare.o -o many; then
	many=$(nm -S many | awk '$4 ~ /^(main|outer|bare|last|rest)$/ { print $1, $2 }' | while read -r at size; do
		for i in $(seq 0 $((0x$size - 1))); do printf '0x%x\n' $((0x$at + i)); done
	done)
else
	many=
fi

# normal KEY: "VA FUNCTION@FILE:LINE ..." for each line of JSON, whose address is the value of KEY
normal() {
	awk -v key="\"$1\":\"" '
	function text(of, name,   at) {
		at = index(of, "\"" name "\":\"")
		if (at == 0) return ""
		of = substr(of, at + length(name) + 4)
		return substr(of, 1, index(of, "\"") - 1)
	}
	function number(of, name,   at) {
		at = index(of, "\"" name "\":")
		return at ? substr(of, at + length(name) + 3) + 0 : 0
	}
	index($0, key) {
		out = substr($0, index($0, key) + length(key))
		out = substr(out, 1, index(out, "\"") - 1)
		count = split($0, part, /\{"function":/)
		for (i = 2; i <= count; i++) {
			part[i] = "\"function\":" part[i]
			out = out " " text(part[i], "function") "@" text(part[i], "file") ":" number(part[i], "line") (part[i] ~ /"inlined":true/ ? " in" : "")
		}
		print out
	}'
}
# agrees WHO: the normal answers in `told` are those of `where`
agrees() {
	cmp -s where.told told || { diff where.told told | head; fail "$1: another answer"; }
}
if [ -n "$many" ]; then
	"$cairn" where --no-cache --json many $many | normal address >where.told
	[ "$(wc -l <where.told)" -gt 20 ] || fail 'too few addresses are compared'
	grep -q ' inner@.* in outer@.*many.c:2$' where.told || fail "no inlined call: $(head -3 where.told)"
	grep -q ' last@.*bare.c:9$' where.told && grep -q ' rest@.*rare.c:9$' where.told ||
		fail "no line where only lines are: $(tail -2 where.told)"
	for round in conversion cache; do
		XDG_CACHE_HOME=$work/kept "$cairn" where --json many $many | normal address >told
		agrees "where by $round"
	done
	for va in $many; do "$cairn" where --no-cache --json many "$va"; done | normal address >told
	agrees 'where, each alone'
	# shellcheck disable=SC2086 # one address a line
	printf '%s\n' $many | "$cairn" where --no-cache --json many | normal address >told
	agrees 'where, from standard input'
	"$symbolize" many $many >told.json
	normal address <told.json >told
	agrees 'the library'
	# columns, too, for which GSYM has no place
	columns() { sed 's/"column":/\n&/g' | sed -n 's/^"column":\([0-9]*\).*/\1/p'; }
	columns <told.json >library.columns
	"$cairn" gsym create --quiet many -o apart.gsym || fail 'gsym create'
	"$cairn" gsym lookup --json apart.gsym $many | normal address >told
	agrees 'gsym lookup'
	"$cairn" gsym create --quiet --embed many -o embedded || fail 'gsym create --embed'
	for verb in where 'gsym lookup'; do
		"$cairn" $verb --json embedded $many | normal address >told
		agrees "$verb, from a section .gsym"
	done
	rm apart.gsym embedded # they would answer, without columns
	{
		echo "{{{module:0:many:elf:$build_id}}}"
		echo '{{{mmap:0x7f0000000000:0x1000000:load:0:rx:0}}}'
		for va in $many; do printf '{{{pc:0x%x:pc}}}\n' $((0x7f0000000000 + va)); done
	} >log
	"$cairn" markup --json --no-demangle --exe=many log | grep '"type":"pc"' >marked
	normal relative <marked >told
	agrees markup
	sed 's,.*"locations",,' marked | columns >markup.columns
	[ "$(wc -l <library.columns)" -gt 20 ] || fail 'the library has no columns'
	cmp -s library.columns markup.columns || { diff library.columns markup.columns | head; fail 'markup: other columns'; }
	printf 'M 64 Linux ok\nI 0x7f0000000000 0x7f0001000000 %s %s/many\n' $build_id "$work" >images
	"$cairn" cbf encode --image-map images >images.hex || fail 'cbf encode'
	for va in $many; do printf 'p%x\n' $((0x7f0000000000 + va)); done >frames
	"$cairn" cbf encode frames >frames.hex || fail 'cbf encode'
	"$cairn" cbf decode --json --symbols --images images.hex frames.hex |
		sed 's/{"number":/\n&/g' | grep '^{"number"' | normal offset >told
	agrees cbf
else
	echo 'not run: a program with a function that only lines describe could not be made'
fi

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
if grep -q 'cannot be traced' bt.err; then
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

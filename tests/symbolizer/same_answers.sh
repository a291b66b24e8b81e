#!/bin/sh
# SPDX-License-Identifier: MIT
# same_answers.sh CAIRN CC: one address has the same functions, files, lines and columns in `where`, `symbolize` and `markup`:
# each third byte of a program's code, stubs of its PLT and the bytes between functions among them, with DWARF, and with symbol tables alone. Where
# `where` has no function markup may have a label, as llvm-symbolizer, and where it has no file that of the function's symbol.
cairn=$(realpath "$1") cc=$2
. "$(dirname "$0")/../lib/test.sh"
command -v objcopy >/dev/null && command -v readelf >/dev/null || skip 'no binutils'
cd "$work" || exit 2
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cat >twice.c <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) int twice(int by)
{
	if (by > 9)
		abort();
	return 2 * by;
}
__attribute__((noinline)) int step(int by) { return twice(by) - atoi("1"); }
int main(int argc, char **argv) { return step(argc) + step(atoi(argv[0])); }
END
"$cc" -g -O1 -Wl,--build-id=0xca1f000000000001 twice.c -o twice || exit 2
objcopy -g twice bare
mkdir -p debug/.build-id/ca bare.d/.build-id/ca
cp twice debug/.build-id/ca/1f000000000001
cp bare bare.d/.build-id/ca/1f000000000001

# addresses: of all sections with code
addresses() {
	readelf -SW twice | sed 's/\[ */[/' | awk '$2 == "PROGBITS" || $3 == "PROGBITS"' |
		sed -n 's/^ *\[[0-9]*\] [^ ]* *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) [0-9a-f]* *AX .*/\1 \2/p' |
		while read -r at size; do
			for i in $(seq 0 3 $((0x$size - 1))); do
				printf '0x%x\n' $((0x$at + i))
			done
		done
}

# functions: of each line of standard input the locations, "function|file|line|column" each
functions() {
	grep -o '{"function"[^}]*}\|^-$' | sed -E 's/"(start|offset|inlined|readable|function_size)":("[^"]*"|[0-9]+|true|false),?//g; s/,\}/}/'
}
# records FILE: a line for each address
records() { awk '/^-$/ { if (NR > 1) print line; line = "-"; next } { line = line $0 } END { print line }' "$1"; }
addresses >addresses
[ "$(wc -l <addresses)" -gt 50 ] || fail "$(wc -l <addresses) addresses"
for tree in debug bare.d; do
	program=$tree/.build-id/ca/1f000000000001
	"$cairn" where --json --no-cache "$program" <addresses | sed 's/^/-\n/' | functions >where
	{
		printf '{"frames":['
		sed 's/.*/{"build_id":"ca1f000000000001","address":"&","kind":"va"}/' addresses | paste -sd, | tr -d '\n'
		echo ']}'
	} >request
	"$cairn" symbolize --directory $tree <request | sed 's/"results":\[//; s/{"frames":\[/\n-\n/g' | sed 1d | functions >symbolize
	{
		echo '{{{module:0:twice:elf:ca1f000000000001}}}{{{mmap:0x0:0x1000000:load:0:rx:0x0}}}'
		sed 's/.*/{{{bt:0:&:pc}}}/' addresses
	} >log
	"$cairn" markup --json --directory $tree log | grep '^{"type":"bt"' | sed 's/^/-\n/' | functions >markup
	for verb in symbolize markup; do
		[ "$(grep -c '^-$' $verb)" = "$(wc -l <addresses)" ] || fail "$verb: not all addresses"
		records where >where.records && records $verb >$verb.records
		if [ $verb = markup ]; then
			paste -d '\n' where.records markup.records | awk '
				NR % 2 { wanted = $0; next }
				wanted == "-" { $0 = "-" }
				wanted !~ /"file"/ { gsub(/,"file":"[^"]*"/, "") }
				{ print }' >found && mv found markup.records
		fi
		diff where.records $verb.records >found || fail "$tree: where and $verb: $(head -n 5 found)"
	done
	grep -q '"function":"twice".*"line"' where || [ $tree != debug ] || fail 'no inlined call'
	grep -q 'abort@plt\|atoi@plt' where || fail 'no stub'
done
exit $failed

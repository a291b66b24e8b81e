#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Have relocatable files of other machines the names and lines that llvm-symbolizer has, those of RISC-V among them, where each distance is
# a pair of relocations? Where the relocations of a machine are not known, are there the names of its symbols, and no others?
#
#	relocatable.sh CAIRN
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
for version in -19 -14 ''; do
	if command -v "clang$version" >/dev/null && command -v "llvm-addr2line$version" >/dev/null; then break; fi
done
command -v "clang$version" >/dev/null && command -v "llvm-addr2line$version" >/dev/null || skip 'clang and llvm-addr2line of one version are not there'
cd "$work" || exit 2
cat >made.c <<'END'
static inline __attribute__((always_inline)) int square(int x)
{
	return x * x + 1;
}
static inline __attribute__((always_inline)) int sum(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s ^= square(i);
	return s;
}
__attribute__((noinline)) int first(int x)
{
	return sum(x) + square(x);
}
int second(int x)
{
	if (x > 5)
		return first(x);
	return sum(x + 1);
}
END

# build TARGET DWARF: false if the compiler does not know the target
build() {
	"clang$version" --target="$1" "-gdwarf-$2" -O1 -fno-vectorize -fno-unroll-loops -c made.c -o made.o 2>errors || return 1
	# between functions there may be others' lines
	LC_ALL=C readelf -sW made.o | awk '$4 == "FUNC" { print "0x" $2, $3 }' | while read -r start size; do
		at=$((start))
		while [ $at -lt $((start + size)) ]; do
			printf '0x%x\n' $at
			at=$((at + 4))
		done
	done >questions
}

checked=
for target in riscv64-linux-gnu riscv32-linux-gnu loongarch64-linux-gnu mips-linux-gnu mipsel-linux-gnu mips64-linux-gnuabi64 \
	sparc-linux-gnu sparcv9-linux-gnu hexagon-linux aarch64_be-linux-gnu s390x-linux-gnu powerpc64le-linux-gnu armv7-linux-gnueabihf x86_64-linux-gnu; do
	for dwarf in 4 5; do
		build $target $dwarf || continue
		checked="$checked $target"
		"llvm-addr2line$version" -fie made.o <questions 2>errors | sed 's/.*:[0?]$/no line/' >theirs
		"$cairn" addr2line -fie made.o <questions >answers 2>errors || fail "$target, DWARF $dwarf: status $?: $(cat errors)"
		# LLVM 14 leaves out names of MIPS
		sed 's/.*:[0?]$/no line/' answers | awk '{ getline known <"theirs"; print known == "" ? "" : $0 }' >ours
		cmp -s theirs ours || { fail "$target, DWARF $dwarf: other answers"; diff theirs ours | head -n 5; }
		grep -q '^square$' answers || fail "$target, DWARF $dwarf: no inlined call"
	done
done
echo "checked:$checked"
[ "$checked" ] || skip 'the compiler knows none of the machines'
for target in lanai avr; do
	build $target 4 || continue
	"$cairn" addr2line -fe made.o <questions >ours || fail "$target: status $?"
	[ "$(sed -n 'n;p' ours | sort -u)" = '??:?' ] || fail "$target: lines by relocations that are not known"
	[ "$(sed -n 'p;n' ours | sort -u | tr '\n' ' ')" = 'first second ' ] || fail "$target: other names than those of symbols: $(sort -u ours)"
done
exit $failed

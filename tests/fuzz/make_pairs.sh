#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the seeds of fuzz_elf_pairs: tests/fuzz/make_pairs.sh DIR, by gcc, clang, binutils, dwz and llvm-dwp.
#
# Each is a byte for what the second file is (0 dwz, 1 .dwo, 2 .dwp), three for the size of the first, and both files.
# What comes out depends on the compiler; those in corpus/elf_pairs were made by gcc 12, clang 14 and dwz 0.15.
set -eu
LC_ALL=C
export LC_ALL
out=$(mkdir -p "$1" && cd "$1" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-pairs.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# What both programs have, dwz moves: so types and the inlined function are of one header.
cat >shared.h <<'END'
struct shared_by_both_programs {
	int first, second;
	struct shared_by_both_programs *next_of_them;
	enum kind_of_shared_structure { KIND_OF_A_FIRST_STRUCTURE, KIND_OF_A_SECOND_STRUCTURE } kind;
};
static inline __attribute__((always_inline)) int inlined_into_both(struct shared_by_both_programs *p)
{
	return p->first * p->second + (p->kind == KIND_OF_A_SECOND_STRUCTURE);
}
END
cat >one.c <<'END'
#include "shared.h"
__attribute__((noinline)) int called_function(struct shared_by_both_programs *p)
{
	while (p->next_of_them)
		p = p->next_of_them;
	return inlined_into_both(p) + 1;
}
void _start(void)
{
	struct shared_by_both_programs only = { 1, 2, 0 };
	called_function(&only);
	for (;;)
		;
}
END
sed 's/+ 1/+ 2/' one.c >two.c

# byte VALUE
byte() {
	# shellcheck disable=SC2059 # that is what it is for
	printf "\\$(printf '%03o' "$1")"
}

# pair NAME KIND FIRST SECOND
pair() {
	size=$(wc -c <"$3")
	{
		byte "$2"
		byte $((size % 256))
		byte $((size / 256 % 256))
		byte $((size / 65536))
		cat "$3" "$4"
	} >"$out/$1"
}

# link PROGRAM OPTION...: without what no reader of DWARF looks at
link() {
	program=$1
	shift
	gcc "-ffile-prefix-map=$tmp=/pairs" -nostdlib -static -fno-asynchronous-unwind-tables -fno-stack-protector -Wl,--build-id=none -Wl,-n "$@" \
		"$program.c" -o "$program"
	objcopy -R .comment -R .note.gnu.property "$program"
}

# single NAME PROGRAM: a program alone
single() {
	: >nothing
	pair "$1" 1 "$2" nothing
}

link one -O1 -g -gdwarf-2
single single-v2 one
link one -O1 -g -gdwarf-5 -gdwarf64
single single-64 one
link one -O1 -g -gdwarf-5 -fdebug-types-section
single single-types one
# one range for each function, by its number in a list of addresses
clang "-ffile-prefix-map=$tmp=/pairs" -nostdlib -static -fno-stack-protector -fno-asynchronous-unwind-tables -ffunction-sections -O1 -g -gdwarf-5 \
	-Wl,--build-id=none one.c two.c -Wl,-n -Wl,-z,muldefs -o several
objcopy -R .comment several
single single-clang several

for version in 4 5; do
	for program in one two; do
		link $program -O1 -g -gdwarf-$version
	done
	dwz -m common -M /pairs/common one two
	pair "dwz-v$version" 0 one common
	rm -f one two common
	link one -O1 -g -gdwarf-$version -gsplit-dwarf -fno-debug-types-section
	pair "dwo-v$version" 1 one one.dwo
	llvm-dwp one.dwo -o one.dwp # that of binutils 2.40 ends in a fault
	pair "dwp-v$version" 2 one one.dwp
	rm -f one one.dwo one.dwp
done
ls -l "$out"

#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn sframe convert and merge on programs that are made here: converted_and_merged.sh CAIRN CC...
# A table that is converted keeps every rule, there and back; a program with another table in place still runs; what
# merges equals the call frame information of the linked program, whichever linker made it, without discarded functions.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

fail() {
	echo "sframe convert: $1"
	exit 1
}

cat >one.c <<'C'
#include <stdio.h>
int two(int n);
static int __attribute__((noinline)) same(int n) { return printf("%d\n", n); }
int __attribute__((noinline)) gone(int n) { return printf("gone %d\n", n) + 1; }
int main(int argc, char **argv) { return same(argc) + two(argc) - 10 + (argv == NULL); }
C
cat >two.c <<'C'
#include <stdio.h>
static int __attribute__((noinline)) same(int n) { return printf("two %d\n", n) + 2; }
int two(int n) { return same(n); }
C
"$@" -O2 -Wl,--build-id=sha1 one.c two.c -o prog 2>/dev/null && "$cairn" sframe create --quiet prog -o made 2>/dev/null || {
	echo "sframe convert: skipped, no table can be made here"
	exit 77
}

# no rule is lost on the way from a table of version 3 to the same bytes, and none of version 2 on the way to 3 and back
"$cairn" sframe convert --quiet --to 3 made -o same && cmp -s made same || fail 'version 3 to 3: other bytes'
"$cairn" sframe convert --quiet --to 2 made -o old && "$cairn" sframe create --quiet --format 2 prog -o old_made &&
	cmp -s old old_made || fail 'version 3 to 2: not what create writes'
"$cairn" sframe convert --quiet --to 3 old -o new && "$cairn" sframe convert --quiet --to 2 new -o back &&
	cmp -s old back || fail 'version 2 to 3 to 2: other bytes'
"$cairn" sframe convert --quiet --to 2 --by-section old -o other && "$cairn" sframe dump other | grep -q 'first byte of the table' ||
	fail '--by-section'
cp made replaced && "$cairn" sframe convert --quiet --to 2 replaced && cmp -s replaced old || fail 'without -o it is not FILE'
"$cairn" sframe convert --json --to 2 made -o old | grep -q '"left_out":{"cfa":0' || fail 'no counts'

# bare bytes
size=$("$cairn" sframe create --json prog -o made | sed 's/.*"bytes":\([0-9]*\).*/\1/')
address=$("$cairn" sframe dump made | sed -n '1s/.* at \(0x[0-9a-f]*\),.*/\1/p')
at=$(grep -abo "$(printf '\342\336\003')" made 2>/dev/null | head -n 1 | cut -d : -f 1)
if [ -n "$at" ]; then
	tail -c +$((at + 1)) made | head -c "$size" >bare
	"$cairn" sframe convert --quiet --raw --address "$address" --to 2 bare -o bare2 &&
		"$cairn" sframe dump --lines --raw --address "$address" bare2 >raw.out && "$cairn" sframe dump --lines old >elf.out &&
		cmp -s raw.out elf.out || fail '--raw: other rules'
else
	echo "sframe convert: bare bytes not tested, the magic is not found (big-endian, or another grep)"
fi

"$@" -O2 -ffunction-sections -Wa,--gsframe -c one.c two.c 2>/dev/null && "$cairn" sframe dump one.o >/dev/null 2>&1 || {
	echo "sframe merge: skipped, the assembler writes no SFrame"
	[ -n "$at" ] && exit 0
	exit 77
}
"$cairn" sframe verify --lines made --against prog | grep -q not-compared && {
	echo "sframe merge: skipped, built without libdw"
	exit 77
}

# merged LINKER-OPTION...: what is merged for the program says what its call frame information says
merged() {
	"$cc" "$@" -Wl,--gc-sections -Wl,--build-id=sha1 one.o two.o -o linked 2>/dev/null || return 1
	"$cairn" sframe merge --json linked one.o two.o -o table >counts || fail "merge with $*"
	grep -q '"functions":4,' counts || fail "merge with $*: $(cat counts)"
	grep -q '"discarded":0' counts && fail "merge with $*: the discarded function is not missed"
	"$cairn" sframe verify --lines table --against linked >found || fail "merge with $*: $(cat found)"
	! grep -q '^[DNE]' found || fail "merge with $*: $(grep -m 1 '^[DNE]' found)"
	awk '$2 == "equal" && $3 > 50 { ok = 1 } END { exit !ok }' found || fail "merge with $*: too little"
}
cc=$1
merged -no-pie || fail 'the program is not linked'
merged -pie || echo "sframe merge: position-independent program not tested, the linker makes none"
merged -fuse-ld=lld || echo "sframe merge: lld not tested, it is not there"
"$cairn" sframe merge --quiet --format 2 linked two.o one.o && "$cairn" sframe verify --lines linked.sframe --against linked >found ||
	fail 'version 2 in the other order'
strip -o bare linked && "$cairn" sframe merge bare one.o -o other 2>message && fail 'merged without symbols'
grep -q 'bare: .*no symbol table' message || fail "without symbols: $(cat message)"
"$cairn" sframe merge linked one.o one.c -o other 2>message && fail 'merged what is no object'
grep -q 'one.c: .*not an ELF file' message || fail "the object is not named: $(cat message)"
"$cairn" sframe merge linked one.o linked -o other 2>message && fail 'merged a program'
grep -q 'linked: .*not a relocatable file' message || fail "the object is not named: $(cat message)"

# relocatable files that get the section, merged for the program
"$cc" -O2 -ffunction-sections -c one.c -o one_plain.o && "$cc" -O2 -ffunction-sections -c two.c -o two_plain.o
for version in 2 3; do
	"$cairn" sframe create --quiet --format $version one_plain.o -o one_made.o && "$cairn" sframe create --quiet --format $version two_plain.o -o two_made.o ||
		fail "version $version of relocatable files"
	"$cc" -no-pie -Wl,--gc-sections -Wl,--build-id=sha1 one_made.o two_made.o -o linked 2>/dev/null || fail "version $version cannot be linked"
	"$cairn" sframe merge --quiet linked one_made.o two_made.o -o table && "$cairn" sframe verify --lines table --against linked >found ||
		fail "version $version of relocatable files: $(grep -m 1 "^[DE]" found)"
	awk "\$2 == \"equal\" && \$3 > 50 { ok = 1 } END { exit !ok }" found || fail "relocatable files: too little"
done
"$cairn" sframe create --quiet one_made.o -o other 2>message && fail "a second section is made"
grep -q "already has an .sframe section" message || fail "a second section: $(cat message)"
"$cairn" sframe create --quiet --as rows one_plain.o -o other 2>message && fail "a row table without addresses"
grep -q "a row table needs the addresses" message || fail "a row table of an object: $(cat message)"

# a program of which the linker wrote the section: another version in its place
"$cc" -no-pie -Wl,--build-id=sha1 one.o two.o -o prog && "$cairn" sframe dump prog >/dev/null 2>&1 || {
	echo "sframe convert: in place not tested, the linker writes no .sframe"
	exit 0
}
./prog >expected
status=$?
grow=$("$cairn" sframe convert --quiet --to 3 prog -o grown 2>&1) && fail 'what does not fit is written'
case $grow in *'larger than the section'*) ;; *) fail "no room: $grow" ;; esac
"$cairn" sframe convert --quiet --side-file --to 3 prog && "$cairn" sframe verify --lines prog.sframe --against prog >found ||
	fail 'a file of its own'
"$cairn" sframe convert --quiet --to 2 --share-rows prog -o other 2>/dev/null
if [ $? -eq 0 ]; then
	./other >got
	[ $? -eq $status ] && cmp -s expected got || fail 'the program with another table does not run'
	"$cairn" sframe verify --lines other >found || fail "in place: $(grep -m 1 '^[DE]' found)"
fi

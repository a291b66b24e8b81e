#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn sframe create --as rows on programs that are made here: row_tables.sh CAIRN CC...
# The rules of a row table are those of the program at every byte that has one; one that was changed by a byte is noticed.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

fail() {
	echo "row tables: $1"
	exit 1
}

cat >prog.c <<'C'
#include <stdio.h>
int __attribute__((noinline)) realigned(int n)
{
	int wide[16] __attribute__((aligned(64)));
	for (int i = 0; i < 16; i++)
		wide[i] = n * i;
	return printf("%d\n", wide[n & 15]);
}
int main(int argc, char **argv) { return realigned(argc) + (argv == NULL); }
C
"$@" -O2 -Wl,--build-id=sha1 prog.c -o prog 2>/dev/null && "$cairn" sframe create --quiet --as rows prog 2>/dev/null || {
	echo "row tables: skipped, no table can be made here"
	exit 77
}
"$cairn" sframe verify --as rows --lines prog.rows --against prog >found || fail "$(cat found)"
grep -q not-compared found && {
	echo "row tables: skipped, built without libdw"
	exit 77
}
! grep -q '^[DNE]' found || fail "$(grep -m 1 '^[DNE]' found)"
awk '$2 == "equal" { equal = $3 } $2 == "only-in-eh_frame" { lost = $3 } $2 == "only-in-sframe" && $3 > 0 { exit 1 }
	END { exit !(equal > 9 * lost) }' found || fail "too little, or too much: $(cat found)"
"$cairn" sframe create --quiet --as rows prog -o again && cmp -s again prog.rows || fail 'the same input, other bytes'

# one bit of the offset of a CFA, in a row in the middle that has a rule; the bytes of a row are 16
size=$(wc -c <prog.rows)
at=$((size / 2 / 16 * 16))
while [ "$(od -An -tu1 -j $((at + 4)) -N 1 prog.rows | tr -d ' ')" -ne 1 ]; do
	at=$((at + 16))
	[ $at -lt "$size" ] || fail 'no row has a rule'
done
cp prog.rows changed
for byte in 8 11; do
	old=$(od -An -tu1 -j $((at + byte)) -N 1 changed | tr -d ' ')
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\$(printf %03o $((old ^ 16)))" | dd of=changed bs=1 seek=$((at + byte)) conv=notrunc 2>/dev/null
done
"$cairn" sframe verify --as rows --lines changed --against prog >found
[ $? -eq 1 ] && grep -q '^D' found || fail 'a changed row is not noticed'
head -c $((size - 8)) prog.rows >cut
"$cairn" sframe verify --as rows cut --against prog 2>message && fail 'a table that is cut is taken'
grep -q 'cut: the file is too short for the number of rows' message || fail "a table that is cut: $(cat message)"
"$cairn" sframe verify --as rows prog --against prog 2>message && fail 'a program is taken'
grep -q 'prog: not a row table' message || fail "a program: $(cat message)"
echo 'int other; int main(void) { return other; }' >other.c
"$@" -O2 -Wl,--build-id=sha1 other.c -o other && "$cairn" sframe verify --as rows prog.rows --against other >found &&
	fail 'another build is taken'
grep -q 'build IDs differ' found || fail "another build: $(cat found)"

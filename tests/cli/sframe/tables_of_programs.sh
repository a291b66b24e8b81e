#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn sframe create on programs that are made here: tables_of_programs.sh CAIRN CC...
# Tables of both versions say what .eh_frame and .debug_frame say, packed or in a debug file; a table that was changed
# by one byte is noticed; equal input gives equal bytes, and shared rows the same rules.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

fail() {
	echo "sframe create: $1"
	exit 1
}

cat >prog.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf back;
int __attribute__((noinline)) realigned(int n)
{
	int wide[16] __attribute__((aligned(64)));
	for (int i = 0; i < 16; i++)
		wide[i] = n * i;
	return printf("%d\n", wide[n & 15]);
}
int __attribute__((noinline)) sized(int n)
{
	char room[n];
	memset(room, n, (size_t)n);
	if (n == 77)
		longjmp(back, 1);
	return realigned(room[n / 2]);
}
int main(int argc, char **argv)
{
	return setjmp(back) ? 1 : sized(argc) + (argv == NULL);
}
C
"$@" -O2 -Wl,--build-id=sha1 prog.c -o prog 2>/dev/null || {
	echo "sframe create: skipped, no program can be linked"
	exit 77
}
"$cairn" sframe create --quiet prog -o made || {
	[ $? -eq 3 ] && echo "sframe create: skipped, SFrame does not know this machine" && exit 77
	fail 'no table is made'
}
if "$cairn" sframe verify made --against prog | grep -q 'not compared'; then
	echo "sframe create: skipped, built without libdw"
	exit 77
fi

# bytes NAME FILE: of a class, in all
bytes() {
	awk -v name="$1" '$1 == "S" && $2 == name { print $3 }' "$2"
}

# proves TABLE PROGRAM WHAT: no difference, and at least nine tenths of the code
proves() {
	"$cairn" sframe verify --lines "$1" --against "$2" >found || fail "$3: $(cat found)"
	! grep -q '^[DNE]' found || fail "$3: $(grep -m 1 '^[DNE]' found)"
	[ "$(bytes only-in-sframe found)" -eq 0 ] || fail "$3: code that is not described"
	[ $((10 * $(bytes equal found))) -ge $((9 * ($(bytes equal found) + $(bytes only-in-eh_frame found)))) ] ||
		fail "$3: too little is written"
}

proves made prog 'version 3'
"$cairn" sframe create --quiet prog -o again && cmp -s made again || fail 'the same input, other bytes'
for options in '--format 2' '--format 2 --by-section' '--share-rows' '--format 2 --share-rows' '--join-functions' '--format 2 --join-functions'; do
	# shellcheck disable=SC2086 # several words
	"$cairn" sframe create --quiet $options prog -o other || fail "no table with $options"
	proves other prog "$options"
	[ "$options" = '--share-rows' ] && [ "$(wc -c <other)" -gt "$(wc -c <made)" ] && fail 'shared rows take more'
	[ "$options" = '--join-functions' ] && [ "$(wc -c <other)" -gt "$(wc -c <made)" ] && fail 'joined functions take more'
done
"$cairn" sframe create --quiet prog && cmp -s made prog.sframe || fail 'without -o it is not prog.sframe'

# the file is known by the build ID
"$cairn" sframe dump made >/dev/null || fail 'the file cannot be dumped'
if command -v readelf >/dev/null; then
	id=$(readelf -n prog 2>/dev/null | sed -n 's/.*Build ID: //p')
	readelf -n made 2>/dev/null | grep -q "Build ID: $id" || fail 'another build ID'
fi

# a word of the last row: the lowest bit of its CFA or of what follows it
size=$("$cairn" sframe create --json prog -o other | sed 's/.*"bytes":\([0-9]*\).*/\1/')
address=$("$cairn" sframe dump made | sed -n '1s/.* at \(0x[0-9a-f]*\),.*/\1/p')
[ -n "$size" ] && [ -n "$address" ] || fail 'where the table is, is not known'
at=$(grep -abo "$(printf '\342\336\003')" made 2>/dev/null | head -n 1 | cut -d : -f 1)
if [ -n "$at" ]; then
	cp made changed
	last=$((at + size - 1))
	old=$(od -An -tu1 -j $last -N 1 changed | tr -d ' ')
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\$(printf %03o $((old ^ 8)))" | dd of=changed bs=1 seek=$last conv=notrunc 2>/dev/null
	"$cairn" sframe verify --lines changed --against prog >found
	[ $? -eq 1 ] && grep -q '^D' found || fail 'a changed row is not noticed'
else
	echo "sframe create: no grep -b: that a changed row is noticed is not tested"
fi
"$cairn" sframe verify made --against "$cairn" >/dev/null && fail 'the table of another program is taken for its own'

# .debug_frame, in the program and in its debug file, packed and not
"$@" -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -Wl,--build-id=sha1 prog.c -o bare 2>/dev/null ||
	fail 'no program without .eh_frame'
if command -v objcopy >/dev/null; then
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr bare debug 2>/dev/null
	"$cairn" sframe create --quiet debug -o made || fail 'no table from .debug_frame'
	proves made debug '.debug_frame'
	objcopy --compress-debug-sections=zlib debug packed &&
		"$cairn" sframe create --quiet packed -o other && cmp -s made other ||
		fail 'a packed .debug_frame gives another table'
	objcopy --only-keep-debug debug apart 2>/dev/null && "$cairn" sframe create --quiet apart -o other ||
		fail 'no table from a debug file'
	proves other apart 'a debug file'
	at=$((0x$(readelf -SW packed | awk '$0 ~ /\.debug_frame/ { sub(/^.*\.debug_frame/, ""); print $3 }') + 30))
	printf '\377\377\377\377' | dd of=packed bs=1 seek=$at conv=notrunc 2>/dev/null
	"$cairn" sframe create packed -o other 2>words
	[ $? -eq 3 ] && grep -q '\.debug_frame cannot be decompressed' words || fail "a damaged .debug_frame: $(cat words)"
else
	echo "sframe create: without objcopy: .debug_frame is not tested"
fi

# a relocatable file, and nothing to make a table from
"$@" -c prog.c -o prog.o 2>/dev/null
"$cairn" sframe create --quiet prog.o -o other 2>words && "$cairn" sframe dump other >/dev/null || fail "a relocatable file: $(cat words)"
if command -v objcopy >/dev/null; then
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr prog none 2>/dev/null
	"$cairn" sframe create none -o other 2>words
	[ $? -eq 1 ] && grep -q 'cannot create a table: .*no .eh_frame and no .debug_frame' words ||
		fail "nothing described: $(cat words)"

	# the augmentation of the first CIE is of no kind that is known: its FDEs are left out, which the words say
	objcopy -O binary --only-section=.eh_frame prog frames 2>/dev/null
	printf '!' | dd of=frames bs=1 seek=9 conv=notrunc 2>/dev/null
	objcopy --update-section .eh_frame=frames prog damaged 2>/dev/null
	"$cairn" sframe create damaged -o other 2>words
	grep -q 'unreadable entries: .*, the first at byte .*; the table does not cover their code' words ||
		fail "a damaged .eh_frame: $(cat words)"
fi
exit 0

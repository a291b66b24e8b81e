#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs whose .eh_frame libdw would run for minutes, or keep in gigabytes: cfi_bombs.sh CAIRN.
#
# `sframe verify` asks libdw for the rule at each row: an entry with hundreds of thousands of rows is run from its
# start each time, and each expression is kept; the table of .eh_frame_hdr may lead to bytes that are no entry. It ends within 10 s and
# 64 MB + 10 times the file, and reports that it did not compare. A long entry that is seldom run, among short ones, is compared.
set -u
LC_ALL=C
export LC_ALL
cairn=$1
. "$(dirname "$0")/../lib/test.sh"
command -v time >/dev/null || {
	echo "skipped: no program time, which tells the peak of memory"
	exit 77
}
echo | as --gsframe -o "$work/nothing.o" - 2>/dev/null || {
	echo "skipped: no assembler that writes .sframe"
	exit 77
}

# begin NAME, end NAME: a function of the assembler
functions='function begin(f) { printf ".globl %s\n.type %s,@function\n%s:\n.cfi_startproc\nnop\n", f, f, f }
	function end(f) { printf "ret\n.cfi_endproc\n.size %s,.-%s\n", f, f }
	function uleb3(n) { return sprintf("%d,%d,%d", n % 128 + 128, int(n / 128) % 128 + 128, int(n / 16384)) }'

# The one function that has rows in .sframe.
plain() {
	awk "$functions"'
	BEGIN { begin("g"); end("g") }'
}

# One function with a row for each byte.
rows() {
	awk "$functions"'
	BEGIN { begin("f"); for (i = 0; i < 200000; i++) print "nop\n.cfi_def_cfa_offset " 8 + 16 * (i % 1000); end("f") }'
}

# Functions that each have an expression of 15,000 operations.
expressions() {
	awk "$functions"'
	BEGIN {
		for (i = 0; i < 7500; i++)
			operations = operations ",0x30,0x13" # 0, and away with it
		for (f = 0; f < 300; f++) {
			begin("f" f)
			print ".cfi_escape 0x0f," uleb3(15002) ",0x77,0x08" operations
			print "nop"
			end("f" f)
		}
	}'
}

# One entry of 300,000 bytes with two rows, and 20,000 short ones.
long() {
	awk "$functions"'
	BEGIN {
		for (i = 0; i < 3000; i++)
			nops = nops ",0"
		begin("f")
		for (i = 0; i < 100; i++)
			print ".cfi_escape 0" nops
		print ".cfi_def_cfa_offset 16"
		end("f")
		for (f = 0; f < 20000; f++) {
			begin("f" f)
			print ".cfi_def_cfa_offset 16"
			end("f" f)
		}
	}'
}

# The same, and a row of .eh_frame_hdr leads into the long entry.
lies() {
	long
}

# lie FILE: the second row leads 64 bytes further
lie() {
	at=$(($(readelf -SW "$1" | sed -n 's/.* .eh_frame_hdr *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/0x\1/p') + 12 + 8 + 4))
	byte=$(od -An -tu1 -j $at -N 1 "$1")
	printf "$(printf '\\%03o' $(((byte + 64) % 256)))" | dd of="$1" bs=1 seek=$at conv=notrunc 2>"$work/dd" || exit 2
}

plain | as --gsframe -o "$work/plain.o" - || exit 2
long | as -o "$work/long.o" - && ld -shared --eh-frame-hdr "$work/plain.o" "$work/long.o" -o "$work/long" &&
	"$cairn" sframe create --quiet "$work/long" -o "$work/long.sframe" || exit 2
(spend 10 "$cairn" sframe verify --lines "$work/long.sframe" --against "$work/long") >"$work/out"
grep -q '^S.equal.[1-9]' "$work/out" || {
	echo "long: not compared: $(tail -n 1 "$work/out")"
	failed=1
}
for kind in rows expressions lies; do
	file=$work/$kind
	$kind | as -o "$file.o" - && ld -shared --eh-frame-hdr "$work/plain.o" "$file.o" -o "$file" || exit 2
	[ $kind != lies ] || lie "$file"
	limit=$((65536 + 10 * $(wc -c <"$file") / 1024))
	(spend 10 time -f '%M' -o "$work/peak" "$cairn" sframe verify "$file") >"$work/out" 2>"$work/err"
	status=$?
	[ $status -le 3 ] || {
		echo "$kind: exit status $status"
		failed=1
		continue
	}
	grep -q 'not compared .*more work' "$work/out" || {
		echo "$kind: it is not reported that nothing was compared"
		failed=1
	}
	[ "$(tail -1 "$work/peak")" -le $limit ] || {
		echo "$kind: $(tail -1 "$work/peak") kB"
		failed=1
	}
done
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# A second program at the addresses of the first, in one GDB, and the first once more: each run has the
# names of its own file, whatever was asked before.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

# small NAME: a program that stops in a function of this name, without symbols, and its GSYM
small() {
	cat >"$tmp/$1.c" <<END
__attribute__((noinline)) void $1(void) { __asm__ volatile("nop"); }
void _start(void) { for (;;) $1(); }
END
	"$CC_TARGET" -g -O1 -ffreestanding -nostdlib -static -no-pie -fcf-protection=none \
		-Wl,--build-id=sha1 "$tmp/$1.c" -o "$tmp/$1"
	cp "$tmp/$1" "$tmp/complete"
	"$CAIRN" gsym create -o "$tmp/$1.gsym" "$tmp/$1" >/dev/null
	strip -s "$tmp/$1"
	address=$(nm "$tmp/complete" | awk -v name="$1" '$3 == name { sub(/^0*/, "", $1); print "0x" $1 }')
}
small earlier
first=$address
small another
[ "$first" = "$address" ] || skip 'the two programs have other addresses'

debug without "$tmp/earlier" -ex "source $CAIRN_GDB" -ex starti -ex "cairn where $address" \
	-ex kill -ex "file $tmp/another" -ex starti -ex "cairn where $address" \
	-ex kill -ex "file $tmp/earlier" -ex starti -ex "cairn where $address" \
	-ex kill -ex starti -ex "cairn where $address" >"$tmp/said" || :
sed -n "s/^$address \([a-z]*\) at .*/\1/p" "$tmp/said" >"$tmp/names"
printf 'earlier\nanother\nearlier\nearlier\n' >"$tmp/wanted"
cmp -s "$tmp/wanted" "$tmp/names" || {
	cat "$tmp/said"
	fail 'the names of four runs'
}

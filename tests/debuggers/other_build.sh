#!/bin/sh
# SPDX-License-Identifier: MIT
# A core that is opened with another build's program: GDB reads the memory that the core lacks from that program, .sframe
# included. The two builds differ in the size of a frame alone, so the table lies where the right one would and leads
# astray. cairn declines, and `bt` is GDB's own; with the right program the stack is whole.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy
[ "$(uname -m)" = x86_64 ] || skip 'the sizes of frames are those of x86-64'
read -r pattern </proc/sys/kernel/core_pattern
[ "$pattern" = core ] || skip "the kernel writes no file 'core' here: core_pattern is $pattern"

cat >"$tmp/deep.c" <<'END'
#include <stdlib.h>
__attribute__((noinline)) int deep(int n)
{
	char b[SIZE];
	b[0] = (char)n;
	__asm__ volatile("" ::"r"(b) : "memory");
	if (n == 0)
		abort();
	return deep(n - 1) + b[0];
}
__attribute__((noinline)) int middle(int n) { return deep(n) + 1; }
int main(int argc, char **argv) { (void)argv; return middle(argc * 5); }
END
for size in 300 700; do
	"$CC_TARGET" -DSIZE=$size -O1 -no-pie -Wa,--gsframe -fomit-frame-pointer -Wl,--build-id=sha1 "$tmp/deep.c" -o "$tmp/$size" \
		2>/dev/null || skip 'the assembler does not know --gsframe'
	objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/$size"
done
# GDB also finds the program by the path that the core names
(cd "$tmp" && cp 300 ran && ulimit -c unlimited && ./ran >/dev/null 2>&1) || :
rm "$tmp/ran"
[ -f "$tmp/core" ] || skip 'the kernel wrote no core'

# frames PROGRAM COMMAND...: the addresses of `bt`
frames() {
	program=$1
	shift
	"$GDB" -nx -q -batch "$@" "$tmp/$program" "$tmp/core" -ex bt 2>"$tmp/err" | sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\).*/\1/p'
}
load="jit-reader-load $MODULE"
[ "$(readelf -SW "$tmp/300" | sed -n 's/.* \.sframe *//p')" = "$(readelf -SW "$tmp/700" | sed -n 's/.* \.sframe *//p')" ] ||
	fail 'the tables of both builds are at one address'
frames 300 -ex "$load" >"$tmp/right"
frames 700 -ex "$load" >"$tmp/with"
frames 700 >"$tmp/alone"
[ "$(wc -l <"$tmp/right")" -ge 10 ] || fail "the stack by the right program: $(cat "$tmp/right")"
cmp -s "$tmp/with" "$tmp/alone" || fail "the stack by another build's program: $(cat "$tmp/with")"
[ "$(wc -l <"$tmp/alone")" -lt 10 ] || fail "GDB alone: $(cat "$tmp/alone")"

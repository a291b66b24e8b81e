#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Minidumps of an aarch64 program without tables, whose frames are found by their frame pointers, so that no stack pointer is
# known of the callers: they keep the stacks that the walk came through, two of which share a mapping.
#
#	chained.sh CAIRN
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
. "$(dirname "$0")/../../lib/test.sh"
compiler=aarch64-linux-gnu-gcc
for tool in $compiler qemu-aarch64; do
	command -v "$tool" >/dev/null || skip "needs $tool"
done
cd "$work" || exit 2
cat >program.c <<'END'
static char stacks[40 << 20] __attribute__((aligned(16)));
#define FRAME(bytes) volatile char frame[bytes]; frame[0] = 1
#define STAY __asm__ volatile("" ::"r"(frame) : "memory")
void leap(void *top, void (*next)(void));
__asm__("leap: stp x29, x30, [sp, -16]!; mov x29, sp; mov sp, x0; blr x1; mov sp, x29; ldp x29, x30, [sp], 16; ret");
__attribute__((noinline)) static void crash(volatile int *at) { FRAME(300); *at = 1; STAY; }
__attribute__((noinline)) static void nest(int n) { FRAME(700); if (n) nest(n - 1); else crash((int *)0); STAY; }
__attribute__((noinline)) static void wide(void) { FRAME(100000); nest(5); STAY; }
__attribute__((noinline)) static void on_low(void) { FRAME(300); wide(); STAY; }
__attribute__((noinline)) static void on_high(void) { FRAME(3000); leap(stacks + (1 << 20), on_low); STAY; }
__attribute__((noinline)) void start(void) { FRAME(5000); leap(stacks + (36 << 20), on_high); STAY; }
__asm__(".globl _start\n_start: mov x29, 0; mov x30, 0; bl start; brk 0");
END
$compiler -O1 -w -nostdlib -static -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer -fno-stack-protector \
	-Wl,--build-id=sha1 program.c -o program 2>said || skip "the compiler cannot make it: $(head -n 1 said)"
{ (ulimit -c unlimited && exec timeout 60 qemu-aarch64 ./program) || :; } >said 2>&1
rm -f core core.[0-9]*
set -- qemu_*.core
[ -s "$1" ] || skip "qemu-aarch64 writes no core: $(cat said)"

"$cairn" bt --quiet "$1" program >of-core || fail "exit status $? of the core"
[ "$(grep -c '^#' of-core)" = 14 ] && tail -n 1 of-core | grep -q ' in _start ' || fail "frames of the core: $(cat of-core)"
"$cairn" minidump -o dump "$1" program >said || fail "exit status $?"
grep -q "^dump: 1 threads, 1 of them up to their outermost frames, .* bytes\$" said || fail "it says: $(cat said)"
"$cairn" bt --quiet dump program | diff of-core - || fail 'the minidump shows other stacks'
# what lies between the two stacks is left out
[ "$(wc -c <dump)" -lt 300000 ] || fail "the minidump has $(wc -c <dump) bytes"
exit $failed

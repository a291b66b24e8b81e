#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that the assembler leaves out of .sframe (.cfi_escape), in a program without other call
# frame information and without symbols: GDB's own backtrace at each instruction is that of the
# complete program, and a register is as there or <not saved>.  With symbols GDB does what it does
# without cairn.  Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy objdump nm
[ "$(uname -m)" = x86_64 ] || skip "code is followed on x86-64"

cat >"$tmp/program.c" <<'END'
#include <stdlib.h>
volatile int sink;
#define LEFT_OUT __asm__ volatile(".cfi_escape 0x2e, 0x10")
void __attribute__((noinline)) stop_here(int n) { sink += n; }
int __attribute__((noinline)) leaf(int n)
{
	LEFT_OUT;
	sink ^= n;
	return n + 1;
}
int __attribute__((noinline)) outside(int n, int *p)
{
	LEFT_OUT;
	int kept[4] = { n, n + 1, *p, 3 }, r = leaf(n);
	stop_here(r);
	sink += kept[n & 3];
	if (sink == 12345)
		abort(); /* does not return: the next function follows */
	return r + *p;
}
int __attribute__((noinline)) inside(int n, int *p)
{
	int r = outside(n, p);
	sink += r;
	return r * 3 + n;
}
int compare(const void *a, const void *b)
{
	LEFT_OUT;
	int x = *(const int *)a, y = *(const int *)b;
	sink += inside(x & 3, &y);
	return x < y ? -1 : x > y;
}
int __attribute__((noinline)) top(int n, int *p)
{
	LEFT_OUT;
	int v[3] = { 3, 1, 2 };
	qsort(v, 3, sizeof(int), compare);
	for (int i = 0; i < n; i++)
		sink += leaf(v[i % 3]) + inside(i, p);
	return inside(n + v[0], p) + v[2];
}
int main(int argc, char **argv)
{
	int x = argc + 1;
	x += top(argc, &x);
	return x == 0;
}
END
echo 'int x;' >"$tmp/probe.c"
"$CC_TARGET" -c -Wa,--gsframe "$tmp/probe.c" -o "$tmp/probe.o" 2>/dev/null ||
	skip "the assembler does not know --gsframe"
"$CC_TARGET" "$@" -no-pie -Wl,-z,now -Wl,--build-id=sha1 -Wa,--gsframe "$tmp/program.c" \
	-o "$tmp/eh/program" 2>"$tmp/warnings"
mkdir "$tmp/sy"
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/eh/program" "$tmp/sy/program"
objcopy --strip-all "$tmp/sy/program" "$tmp/no/program"
start() {
	nm "$tmp/eh/program" | awk -v name="$1" '$3 == name { print $1 }'
}
[ "$(objdump --sframe "$tmp/eh/program" | grep -cE "pc = 0x0*($(start leaf | sed 's/^0*//')|$(start top | sed 's/^0*//'))")" = 0 ] ||
	skip 'this assembler puts such functions into .sframe'

# In the program alone: what the C library does is not compared, its frames are.
cat >"$tmp/steps" <<'END'
set backtrace past-main off
set $i = 0
while $i < 500
  set $i = $i + 1
  stepi
  echo stack\n
  frame apply all -q info registers rip rsp rbx rbp r12 r13
end
END
# stacks WITH|WITHOUT KIND: for each stop a line of frames, outermost cut at main: "pc sp rbx rbp r12 r13"
stacks() {
	debug "$1" "$tmp/$2/program" -ex starti -ex "tbreak *0x$(start main)" -ex continue \
		-x "$tmp/steps" | awk '
		/^stack$/ { if (line != "") print line; line = ""; next }
		$1 ~ /^(rip|rsp|rbx|rbp|r12|r13)$/ { line = line " " ($2 == "<not" ? "-" : $2) }
		END { print line }'
}
# differ: stops of the second file at which a frame is missing or another, or a value is wrong
differ() {
	awk 'NR == FNR { want[FNR] = $0; next }
	     { n = split(want[FNR], w, " "); split($0, g, " "); bad = 0
	       for (i = 1; i <= n; i++)
	         if (g[i] != w[i] && (g[i] != "-" || i % 6 == 1 || i % 6 == 2)) bad = 1
	       for (i = 1; i <= n; i++) if (g[i] == "-") lost++
	       wrong += bad; values += n
	       if (bad && shown++ < 3) print "want" want[FNR] "\ngot " $0 }
	     END { print "stops " FNR ", values " values ", lost " lost + 0 ", wrong " wrong + 0 }' "$1" "$2"
}

stacks without eh >"$tmp/complete"
stacks with no >"$tmp/bare"
[ "$(wc -l <"$tmp/complete")" = 500 ] || fail "$(wc -l <"$tmp/complete") stops of 500"
differ "$tmp/complete" "$tmp/bare" >"$tmp/said"
tail -n 1 "$tmp/said"
said 1 'wrong 0$'

# where GDB knows where functions begin, cairn leaves it what it has no row for
for run in without with; do
	debug $run "$tmp/sy/program" -ex 'break *leaf+4' -ex run -ex 'info frame' -ex up \
		-ex 'info frame' | settle >"$tmp/symbols.$run"
done
mv "$tmp/symbols.without" "$tmp/symbols.eh"
mv "$tmp/symbols.with" "$tmp/symbols.no"
compare symbols 10
grep -q 'Saved registers' "$tmp/symbols.no" || fail 'GDB does not answer where it has symbols'

# A static program: functions of the C library that end in calls which do not return, as `exit` does, are
# followed from where they begin.  Both builds go the same way until the C library looks for the tables
# that one of them has not; and start-up code without call frame information ends in wrong stacks in the
# complete program, where a word of data passes for a return address.
"$CC_TARGET" "$@" -static -no-pie -Wl,--build-id=sha1 -Wa,--gsframe "$tmp/program.c" -o "$tmp/eh/program" \
	2>"$tmp/warnings" || skip 'nothing can be linked statically'
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr --strip-all "$tmp/eh/program" "$tmp/no/program"
sed -i 's/500/720/' "$tmp/steps"
stacks without eh >"$tmp/complete"
stacks with no >"$tmp/bare"
code=$(readelf -SW "$tmp/eh/program" | sed -n 's/.*[.]fini  *PROGBITS  *\([0-9a-f]*\) .*/0x\1/p' | sed 's/0x0*/0x/')
awk -v end="$code" 'NR == FNR { want[FNR] = $0; next }
	{ n = split(want[FNR], w, " "); split($0, g, " "); bad = data = 0
	  if (g[1] != w[1]) exit
	  for (i = 1; i <= n; i++) {
	    if (i % 6 == 1 && (length(w[i]) > length(end) || (length(w[i]) == length(end) && w[i] > end))) data = 1
	    if (g[i] != w[i] && (g[i] != "-" || i % 6 == 1 || i % 6 == 2)) bad = 1
	  }
	  if (data) left++; else if (bad) { wrong++; print "want" want[FNR] "\ngot " $0 } else right++ }
	END { print "static: right " right + 0 ", not so in the complete program " left + 0 ", wrong " wrong + 0 }' \
	"$tmp/complete" "$tmp/bare" >"$tmp/said"
tail -n 1 "$tmp/said"
said 1 'wrong 0$'
awk '/^static: right/ { exit $3 + 0 < 600 }' "$tmp/said" || fail 'the programs go different ways too early'

#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn bt` in GDB of a program without any table and without frame pointers, as those of musl are: it follows the code,
# and has the frames that the command line has.  With musl-gcc the C library is without tables, too.
#
#	bt_bare.sh CAIRN
cairn=$1
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" strip "$CC_TARGET"
[ "$(uname -m)" = x86_64 ] || skip 'the code of amd64 alone is followed'

cat >"$tmp/bare.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
static int compare(const void *a, const void *b)
{
	static int n;
	if (++n == 3)
		pause();
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) int middle(int n)
{
	int v[8] = { 5, 3, 1, 9, 7, 2, 4, 6 };
	if (n)
		return middle(n - 1) + 1;
	qsort(v, 8, sizeof(int), compare);
	return v[0];
}
int main(int argc, char **argv) { (void)argv; return middle(argc + 4); }
END

# compared COMPILER OPTION...: the frames of both, of which at least ten are there
compared() {
	compiler=$1
	"$@" -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer "$tmp/bare.c" -o "$tmp/bare" ||
		fail "$compiler"
	strip "$tmp/bare"
	"$tmp/bare" &
	pid=$!
	sleep 1
	"$cairn" bt --quiet --pid $pid 2>/dev/null | grep -o '^#[0-9]* *0x[0-9a-f]*' >"$tmp/wanted" || :
	within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex "source $CAIRN_GDB" -ex "attach $pid" \
		-ex 'echo frames\n' -ex 'cairn bt' -ex detach "$tmp/bare" </dev/null 2>&1 |
		sed -n '/^frames$/,$p' | grep -o '^#[0-9]* *0x[0-9a-f]*' >"$tmp/got" || :
	kill $pid
	[ "$(wc -l <"$tmp/wanted")" -ge 10 ] || skip 'processes may not be traced here'
	for list in wanted got; do
		awk '{ print $2 }' "$tmp/$list" >"$tmp/$list.pc"
	done
	diff "$tmp/wanted.pc" "$tmp/got.pc" || fail "$compiler: the frames of the command line"
}

compared "$CC_TARGET"
! command -v musl-gcc >/dev/null || compared musl-gcc -static
echo "$(wc -l <"$tmp/got.pc") frames"

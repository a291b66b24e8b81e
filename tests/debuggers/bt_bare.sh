#!/bin/sh
# SPDX-License-Identifier: MIT
# `bt` and `cairn bt` in GDB of a program without any table and without frame pointers, as those of musl are: both follow the
# code, and have the frames that the command line has.  With musl-gcc the C library is without tables, too.  `finish` stops in
# the caller, for which GDB has to know the same frame again.
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
		-ex 'echo frames\n' -ex 'cairn bt' -ex 'echo own\n' -ex bt -ex detach "$tmp/bare" </dev/null >"$tmp/said" 2>&1 || :
	kill $pid
	sed -n '/^frames$/,/^own$/p' "$tmp/said" | grep -o '^#[0-9]* *0x[0-9a-f]*' >"$tmp/got" || :
	sed -n '/^own$/,$p' "$tmp/said" | grep -o '^#[0-9]* *0x[0-9a-f]*' >"$tmp/own" || :
	[ "$(wc -l <"$tmp/wanted")" -ge 10 ] || skip 'processes may not be traced here'
	for list in wanted got own; do
		# GDB before 16 ends with a frame at 0
		awk '$2 !~ /^0x0*$/ { print $2 }' "$tmp/$list" >"$tmp/$list.pc"
	done
	diff "$tmp/wanted.pc" "$tmp/got.pc" || fail "$compiler: the frames of the command line"
	diff "$tmp/wanted.pc" "$tmp/own.pc" || fail "$compiler: bt has the frames of the command line"
}

# finished: with symbols, which GDB goes by where functions begin
finished() {
	"$@" -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer "$tmp/bare.c" -o "$tmp/bare" || fail "$1"
	within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex "source $CAIRN_GDB" -ex 'break compare' -ex run \
		-ex 'set $caller = 0' -ex 'up' -ex 'set $caller = $pc' -ex 'down' -ex 'stepi' -ex finish \
		-ex 'printf "finished %d\n", $pc == $caller' -ex kill "$tmp/bare" </dev/null >"$tmp/said" 2>&1 || :
	grep -q '^finished 1$' "$tmp/said" || { cat "$tmp/said"; fail "$1: finish"; }
}

compared "$CC_TARGET"
finished "$CC_TARGET"
if command -v musl-gcc >/dev/null; then
	compared musl-gcc -static
	compared musl-gcc
	finished musl-gcc -static
fi
echo "$(wc -l <"$tmp/got.pc") frames"

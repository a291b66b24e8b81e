#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn bt` of a program that LLVM compiles and runs in memory has the functions with their files and lines, as GDB has them. LLVM registers
# objects whose relocations of lines and frames are not applied.
#
#	llvm_objects.sh CAIRN

cairn=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/test.sh"
export CAIRN_CACHE="$work/cache" JITDUMPDIR="$work" # without that lli writes below HOME
for version in -19 -14 ''; do
	if command -v "clang$version" >/dev/null && command -v "lli$version" >/dev/null; then break; fi
done
command -v "clang$version" >/dev/null && command -v "lli$version" >/dev/null || skip 'clang and lli of one version are not there'

cat >"$work/made.c" <<'END'
#include <unistd.h>
static int __attribute__((noinline)) deep(int n)
{
	if (n == 0)
		pause();
	return n == 0 ? 1 :
		deep(n - 1) + n;
}
int __attribute__((noinline)) middle(int n)
{
	return deep(n) * 2;
}
int main(void)
{
	return middle(2) == 3;
}
END
(cd "$work" && "clang$version" -g -O1 -fno-optimize-sibling-calls -emit-llvm -S -o made.ll made.c 2>errors) || skip "clang$version makes no text of LLVM's"
cat >"$work/expected" <<'END'
deep made.c:5
deep made.c:7
deep made.c:7
middle made.c:11
main made.c:15
END
kinds=mcjit
[ "$version" != -19 ] || kinds='mcjit orc'
for kind in $kinds; do
	"lli$version" --jit-kind=$kind "$work/made.ll" 2>"$work/errors" &
	pid=$!
	tries=0
	until grep -q '^34 ' "/proc/$pid/syscall" 2>/dev/null; do # pause()
		tries=$((tries + 1))
		[ $tries -lt 100 ] && kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	"$cairn" bt --pid $pid >"$work/stack" 2>&1
	kill $pid
	sed -n 's/^#[0-9]* *0x[0-9a-f]* in \([a-z]*\) (.*) at .*\/\(made.c:[0-9]*\)$/\1 \2/p' "$work/stack" >"$work/made"
	cmp -s "$work/expected" "$work/made" || {
		cat "$work/stack"
		fail "$kind"
	}
done
exit $failed

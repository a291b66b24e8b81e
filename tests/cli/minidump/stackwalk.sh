#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Breakpad's own reader, minidump_stackwalk, reads what cairn writes: the crash, the threads, the modules and their IDs.
#
#	stackwalk.sh CAIRN CORE
#
# STACKWALK names the reader; otherwise it is taken from the npm package minidump, of which nothing is run or installed but
# this program.
set -u
LC_ALL=C
export LC_ALL
cairn=$1
core=$2
. "$(dirname "$0")/../../lib/test.sh"

if [ -z "${STACKWALK:-}" ]; then
	[ "$(uname -sm)" = 'Linux x86_64' ] || skip 'minidump_stackwalk is packaged for Linux on x86_64'
	command -v npm >/dev/null || skip 'no npm, which has minidump_stackwalk'
	(cd "$work" && HOME=$work timeout 60 npm pack minidump >said 2>&1 && tar xzf minidump-*.tgz) || skip 'the npm package minidump cannot be had'
	STACKWALK=$work/package/bin/linux-x64/minidump_stackwalk
	chmod +x "$STACKWALK" 2>/dev/null
fi
[ -x "$STACKWALK" ] || skip 'no minidump_stackwalk'
"$cairn" minidump --quiet -o "$work/dump" "$core" || fail "exit status $?"
"$STACKWALK" -m "$work/dump" >"$work/said" 2>"$work/errors" || fail "it refuses the minidump: $(tail -n 3 "$work/errors")"
for line in 'OS|Linux|' 'CPU|amd64|' 'Crash|SIGSEGV' 'Module|server|0.0.0.0|server|030201000504070608090A0B0C0D0E0F0|0x00400000|' '0|0|' '1|0|'; do
	grep -qF "$line" "$work/said" || fail "it does not show $line"
done
[ "$(grep -c '^[0-9]*|0|' "$work/said")" = 2 ] || fail 'not two threads'
[ $failed = 0 ] || cat "$work/said"

# With a symbol file whose functions, lines and rules come from what cairn and readelf print of a program, its frames are those of cairn bt.
command -v cc >/dev/null && command -v readelf >/dev/null || { echo 'not tested: frames with symbol files, without a compiler'; exit $failed; }
debuggers=$(cd "$(dirname "$0")/../../debuggers" && pwd)
cairn=$(cd "$(dirname "$cairn")" && pwd)/$(basename "$cairn")
cd "$work" || exit 2
cat >waits.c <<'END'
#include <unistd.h>
volatile int zero;
__attribute__((noinline)) int rest(int n) { write(1, "ready\n", 6); pause(); return n + zero; }
__attribute__((noinline)) int with_array(int n)
{
	volatile char array[n + 16];
	array[n] = 1;
	int sum = rest(n);
	return sum + array[n];
}
__attribute__((noinline)) int outer(int depth)
{
	int sum = depth > 0 ? outer(depth - 1) : with_array(40);
	zero++;
	return sum + 1;
}
int main(void) { return outer(3) + zero; }
END
cc -g -O1 -Wl,--build-id=sha1 waits.c -o waits || exit 2
./waits >ready &
pid=$!
trap 'kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
tries=0
until [ -s ready ] || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done
"$cairn" minidump --quiet --pid $pid -o waits.dmp 2>said || { echo "not tested: frames with symbol files: $(cat said)"; exit $failed; }
id=$(readelf -n waits | sed -n 's/.*Build ID: //p' | tr a-f A-F)
id=$(echo "$id" | sed 's/^\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(.\{16\}\).*/\4\3\2\1\6\5\8\7\90/')
mkdir -p "symbols/waits/$id"
"$cairn" gsym create --quiet waits -o waits.gsym && "$cairn" gsym dump waits.gsym | awk -f "$debuggers/breakpad.awk" | sed "1s/.*/MODULE Linux x86_64 $id waits/" >"symbols/waits/$id/waits.sym"
readelf --debug-dump=frames-interp waits 2>/dev/null | awk -f "$debuggers/stack_cfi.awk" >>"symbols/waits/$id/waits.sym"
"$STACKWALK" -m waits.dmp symbols >said 2>errors || fail "it refuses the minidump of a process: $(tail -n 3 errors)"
sed -n 's/^0|[0-9]*|waits|\([a-z_]*\)|[^|]*waits\.c|\([0-9]*\)|.*/\1 \2/p' said | sed '/^main /q' >got # above it is the C library, without a symbol file
"$cairn" bt --quiet waits.dmp | sed -n 's/^#.* in \([a-z_]*\) (.*) at .*waits\.c:\([0-9]*\)$/\1 \2/p' >expected
[ "$(grep -c outer expected)" = 4 ] || fail "cairn bt: $("$cairn" bt waits.dmp)"
cmp -s expected got || { fail 'other frames with symbol files'; diff expected got; cat said; }
exit $failed

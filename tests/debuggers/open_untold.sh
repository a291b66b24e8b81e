#!/bin/sh
# SPDX-License-Identifier: MIT
# A handler of signals returns to a trampoline that has no symbol and no table, as in musl's shared library: GDB goes through it in the
# core that `cairn open` makes of a minidump.
#
#	open_untold.sh
set -eu
export LC_ALL=C
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"
tests=$(cd "$(dirname "$0")" && pwd)

command -v "$GDB" >/dev/null || skip 'no GDB on this machine'
[ "$(uname -m)" = x86_64 ] || skip 'the trampoline is one of amd64'
cd "$work"
"$CC_TARGET" -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -shared -fPIC -Wl,-soname,libuntold.so -o libuntold.so \
	"$tests/untold_library.c"
"$CC_TARGET" -g -O2 -o untold "$tests/untold_program.c" -L. -luntold "-Wl,-rpath,$work"
./untold >said &
pid=$!
trap 'kill -KILL $pid 2>/dev/null; tell_near_limits; rm -rf "$work"' EXIT
until grep -qs ready said; do
	kill -0 $pid || exit 1
	sleep 0.1
done
sleep 0.1 # so that it waits
"$CAIRN" minidump --pid $pid -o it.dmp >out 2>&1 || {
	! grep -q 'cannot be traced' out || skip 'processes may not be traced here'
	fail "no minidump: $(cat out)"
}
"$CAIRN" open -o core it.dmp >out 2>&1 || fail "no core: $(cat out)"
"$GDB" -nx -batch -ex bt untold core >out 2>&1 || fail "GDB: $(cat out)"
sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}//p' out | sed 's/ (.*//' | grep -v '^\(.*kill.*\|.*raise\)$' | uniq >got
printf '%s\n' wait_in_library handle '<signal handler called>' interrupted main | cmp -s - got || fail "other frames: $(cat out)"
exit $failed

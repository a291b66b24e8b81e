#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of a program that is not on this machine: cairn bt has its file and its debug file from debuginfod.
. "$(dirname "$0")/net.sh"
mkdir "$work/none" # nothing is found there
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
"$ldconfig" -p | grep -q 'libdebuginfod\.so\.1' || {
	echo "skipped: no libdebuginfod"
	exit 77
}
export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS DEBUGINFOD_PROGRESS=
caches=0
fresh() {
	caches=$((caches + 1))
	DEBUGINFOD_CACHE_PATH=$work/cache$caches
}

# A static program, so that it is the only module; it ends by itself if the test does not end it.
cat >"$work/spin.c" <<'END'
#include <unistd.h>
volatile unsigned long turns;
__attribute__((noinline)) void spin(void) { for (;;) turns++; }
__attribute__((noinline)) void outer(void) { spin(); turns = 0; }
int main(void) { alarm(600); outer(); return 0; }
END
(cd "$work" && ${CC_TARGET:-cc} -O1 -g -static -fno-asynchronous-unwind-tables -Wl,--build-id -o spin spin.c) || {
	echo 'skipped: no static program can be linked here'
	exit 77
}
objcopy --only-keep-debug "$work/spin" "$work/spin.debug" || exit 2
objcopy --strip-all "$work/spin" "$work/stripped" || exit 2
"$work/stripped" &
spinning=$!
servers="$servers $spinning"
# it spins once it has used time of the processor
until [ "$(cut -d ' ' -f 14 "/proc/$spinning/stat")" -gt 2 ]; do
	kill -0 $spinning || exit 2
	sleep 0.1
done

# bt STATUS WORD...: the stacks, with no file at hand.
bt() {
	want=$1
	shift
	expect "$want" "$CAIRN" bt --quiet --pid $spinning --sysroot "$work/none" --debug-file-directory "$work/none" "$@"
	if grep -q 'cannot be traced' "$work/err"; then
		echo 'skipped: processes may not be traced here'
		exit 77
	fi
}
frames() {
	sed -n 's/^#[0-9]* .* in \(.*\) at .*\/\(spin.c:[0-9]*\)$/\1 \2/p' "$work/out" | tr '\n' ' '
}
requests() {
	asked=$(sed -n 's/^GET .*\/\([a-z]*\) HTTP.*/\1/p' "$work/requests" | tr '\n' ' ')
	[ "$asked" = "$2" ] || fail "$1: asked for '$asked', not '$2'"
}
complete='spin (...) spin.c:3 outer (...) spin.c:4 main (...) spin.c:5 '

# nobody is asked unasked
fresh
odd "200:$work/stripped" "200:$work/spin.debug"
DEBUGINFOD_URLS=$url
bt 1
requests 'without --debuginfod' ''
[ -z "$(frames)" ] || fail "names out of nothing: $(cat "$work/out")"

# the program for memory and rules, its debug file for names and rules
bt 0 --debuginfod
[ "$(frames)" = "$complete" ] || fail "frames: $(cat "$work/out" "$work/err")"
requests 'with --debuginfod' 'executable debuginfo '
DEBUGINFOD_URLS=
bt 0 --debuginfod
[ "$(frames)" = "$complete" ] || fail "frames from the cache: $(cat "$work/out" "$work/err")"
requests 'the cache' 'executable debuginfo '
bt 0 --debuginfod --list-modules --json
says "$work/out" "$DEBUGINFOD_CACHE_PATH/"
end TERM "$odd"

# the server has the debug file alone: what that knows
fresh
odd 404 "200:$work/spin.debug"
DEBUGINFOD_URLS=$url
bt 0 --debuginfod
[ "$(frames)" = "$complete" ] || fail "frames by the debug file alone: $(cat "$work/out" "$work/err")"
requests 'a debug file alone' 'executable debuginfo '
end TERM "$odd"

# files of another build are refused, each with its reason
fresh
odd "200:$CAIRN" "200:$CAIRN"
DEBUGINFOD_URLS=$url
bt 1 --debuginfod
[ -z "$(frames)" ] || fail "names of another build: $(cat "$work/out")"
says "$work/out" 'its file has another build ID'
end TERM "$odd"

# a server that never answers is asked once, which is told once
fresh
odd silent silent
DEBUGINFOD_URLS=$url
bt 1 --debuginfod --debuginfod-deadline 1
says "$work/err" 'debuginfod did not answer in time; skipping further requests'
[ "$(wc -l <"$work/err")" = 1 ] || fail "the deadline is not told once: $(cat "$work/err")"
requests 'the deadline' 'executable '
end TERM "$odd"

# no server is named
fresh
DEBUGINFOD_URLS=
bt 1 --debuginfod
says "$work/err" 'DEBUGINFOD_URLS names no server'
[ "$(wc -l <"$work/err")" = 1 ] || fail "no server is not told once: $(cat "$work/err")"
exit $failed

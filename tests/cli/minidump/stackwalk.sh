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
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Async stacks and tasks of a Swift program for aarch64:
#
#	swift_aarch64.sh CAIRN
#
# The program is ferry.swift of the shared Swift cases (mode "detached", ending at a nil), compiled by Swift 6.2.3 with -O
# and run in an emulator, which wrote the core. To make the files small, the fixture has only the pages of the core with
# tasks, contexts, stacks and headers, and only the symbols of libswift_Concurrency.so that cairn reads.
set -u
cairn=$1
. "$(dirname "$0")/../../lib/test.sh"

for tool in xz tar; do
	command -v $tool >/dev/null || skip "needs $tool"
done
xz -dc "$(dirname "$0")/../../fixtures/swift/aarch64.tar.xz" | tar -C "$work" -xf - || exit 2

"$cairn" bt --tasks --quiet --sysroot "$work/root" "$work/core" "$work/root/mnt/ferry-O" >"$work/out" 2>"$work/err"
status=$?
[ $status = 1 ] || fail "exit status $status"
# the innermost async function has stored its context, x22, beside its frame record
awk '/^Thread 1 /, /^$/' "$work/out" | grep -o '^#[0-9]* .*\[async\]' | sed 's/^#\([0-9]*\) *0x[0-9a-f]* in /\1 /' >"$work/got"
cat >"$work/want" <<'WANT'
2 load(_:) [async]
3 board(_:) [async]
4 load(_:) [async]
5 board(_:) [async]
6 load(_:) [async]
7 board(_:) [async]
8 closure #7 in static Ferry.main() [async]
9 partial apply for closure #7 in static Ferry.main() [async]
WANT
head -n 8 "$work/got" | cmp -s - "$work/want" || fail "async frames: $(cat "$work/got")"
grep -q '^Thread 1 (LWP 25973, crashed, task 5):$' "$work/out" || fail 'the crashed thread runs no task'
grep '^Task ' "$work/out" | sed 's/, priority [0-9]*//' >"$work/got"
cat >"$work/want" <<'WANT'
Task 1 (waiting for task 5):
Task 2 (waiting for continuation):
Task 3 (waiting for task 2):
Task 4 (waiting for continuation):
Task 5 (running in LWP 25973):
WANT
cmp -s "$work/got" "$work/want" || fail "tasks: $(cat "$work/got")"
[ "$(awk '/^Task 2 /, /^$/' "$work/out" | grep -c 'nest(_:_:)')" = 4 ] || fail 'the stack of task 2'
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where a minidump goes: beside the core, to a file or to a pipe, never to a terminal, and whole or not at all.
#
#	output.sh CAIRN CORE
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
. "$(dirname "$0")/../../lib/test.sh"
cp "$2" "$work/core" || exit 2
cd "$work" || exit 2

"$cairn" minidump core >said || fail "exit status $?"
grep -q '^core\.dmp: 2 threads, .* bytes$' said || fail "it says: $(cat said)"
"$cairn" bt core >of-core
"$cairn" bt core.dmp >of-dump
cmp of-core of-dump || fail 'the minidump shows other stacks'
for file in core core.dmp; do
	[ "$("$cairn" bt --build-ids $file)" = 000102030405060708090a0b0c0d0e0f10111213 ] || fail "$file: other build IDs"
done
"$cairn" minidump -o other core >said && cmp other core.dmp || fail 'the same core gives other bytes'
"$cairn" minidump --quiet -o - core >piped && cmp piped core.dmp || fail '-o - gives other bytes'
cat core | "$cairn" minidump - >piped || fail "a pipe: exit status $?"
"$cairn" bt piped | cmp - of-core || fail 'a pipe gives other stacks'
if command -v gzip >/dev/null && gzip -c core >core.gz && "$cairn" bt --quiet core.gz >packed 2>&1; then
	"$cairn" minidump --quiet core.gz && "$cairn" bt core.gz.dmp | cmp - of-core || fail 'a packed core gives other stacks'
fi

# refuses STATUS TEXT ARGUMENT...: with this message, and nothing is written
refuses() {
	status=$1 text=$2
	shift 2
	rm -f out
	"$cairn" minidump "$@" >printed 2>errors
	got=$?
	[ $got = "$status" ] && grep -qF "$text" errors || fail "$*: exit status $got: $(cat errors)"
	[ ! -e out ] && [ ! -s printed ] || fail "$*: something is written"
	for file in .*cairn*; do
		[ ! -e "$file" ] || fail "$*: $file is left"
	done
}
refuses 3 'already a minidump' -o out core.dmp
refuses 3 'expected a core file or a minidump' -o out said
refuses 3 'cannot write: No such file or directory' -o none/out core
refuses 3 'cannot read' -o out missing
refuses 2 'no CORE' -o out
refuses 2 'more than one PROGRAM' -o out core a b
[ ! -c /dev/full ] || refuses 3 'No space left on device' -o /dev/full core
! (ulimit -f 1 && exec "$cairn" minidump -o out core) >printed 2>errors || fail 'a file that may not grow is no error'
[ ! -e out ] || fail 'a file that may not grow is there'
[ -z "$(find . -name '.*cairn*')" ] || fail 'a part of a file is left'
yes | head -c 100000000 | refuses 3 'expected a core file or a minidump' -o out -
if command -v script >/dev/null; then
	script -qec "'$cairn' minidump - <core" /dev/null </dev/null >on 2>&1
	grep -q 'refusing to write a minidump to a terminal; use -o OUT' on || fail "a terminal: $(cat on)"
fi

# a pipe that goes on behind the core, one that never has one, and a reader that is killed
# (the header ends with the time of a stream, in its bytes 20 to 23)
tail -c +25 piped >behind_time
{ cat core; cat /dev/zero; } 2>/dev/null | timeout 60 "$cairn" minidump --quiet -o out - && tail -c +25 out | cmp - behind_time || fail 'a pipe that does not end behind the core gives other bytes'
rm -f out
yes | timeout 60 "$cairn" minidump -o out - >said 2>&1
[ $? = 3 ] && [ ! -e out ] || fail "a pipe without a core: $(cat said)"
mkfifo fed
"$cairn" minidump -o out - <fed >said 2>&1 &
reader=$!
{ head -c 5000 core; kill -KILL $reader; } >fed
wait $reader 2>/dev/null
[ ! -e out ] && [ -z "$(find . -name '.*cairn*')" ] || fail 'a reader that was killed leaves something'

# A core that is cut gives what is there, and says so.
size=$(wc -c <core)
cut=0
while [ $cut -lt "$size" ]; do
	head -c $cut core >part
	(ulimit -t 10 && exec "$cairn" minidump --quiet -o out part) >printed 2>&1
	case $? in
	1 | 3) ;;
	*) fail "cut at $cut: exit status $?: $(cat printed)" ;;
	esac
	cut=$((cut + size / 17 + 1))
done
exit $failed

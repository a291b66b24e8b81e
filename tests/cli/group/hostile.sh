#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines that want too much: hostile.sh CAIRN
# Long lines, deep JSON, many frames, many wrong lines: in bounded memory and time, and what is good is counted.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
good='{"frames":[{"function":"f"},{"function":"main"}]}'

# sanitizers want terabytes
space=131072
(ulimit -v $space && exec "$cairn" --version) >/dev/null 2>&1 || space=unlimited

# group SECONDS FILE: in 128 MiB and ten times the file; leaves printed, errors, status
group() {
	size=$(wc -c <"$2")
	(
		[ "$space" = unlimited ] || ulimit -v $((space + size / 1024 * 10))
		spend "$1" "$cairn" group "$2" >printed 2>errors
	)
	status=$?
}

# counts N: so many crashes of f are in the one group
counts() {
	grep -q "\"count\":$1,\"signature\":\[\"f\",\"main\"\]" printed || fail "$2: $(head -c 300 printed)"
}

# one line of 140 MB
{
	echo "$good"
	printf '{"a":"'
	head -c 140000000 /dev/zero | tr '\0' x
	printf '"}\n'
	echo "$good"
} >long
group 20 long
[ $status = 3 ] || fail "a long line: exit status $status"
counts 2 'a long line'
[ "$(cat errors)" = 'cairn: long: a line of more than 128 MiB at byte 50 (0x32); the line is omitted' ] || fail "a long line: $(cat errors)"
head -n 2 long | tr -d '\n' >endless
group 20 endless
[ $status = 3 ] && [ ! -s printed ] || fail "without an end: exit status $status"

# 30,000 brackets
{
	head -c 30000 /dev/zero | tr '\0' '['
	echo
	echo "$good"
} >deep
group 5 deep
[ $status = 3 ] || fail "deep: exit status $status"
counts 1 deep
grep -q '^cairn: deep: JSON is nested too deeply at byte 64 ' errors || fail "deep: $(cat errors)"

# a stack of 200,000 frames, of one function and then of no two alike: what is outside of the first is not known
awk 'BEGIN {
	printf "{\"frames\":["
	for (i = 0; i < 200000; i++) printf "{\"function\":\"f\"},"
	print "{\"function\":\"main\"}]}"
}' >recursive
group 5 recursive
[ $status = 0 ] || fail "recursive: exit status $status"
grep -q '"count":1,"signature":\["f"\]' printed || fail "recursive: $(cat printed)"
awk 'BEGIN {
	printf "{\"frames\":["
	for (i = 0; i < 200000; i++) printf "{\"function\":\"f%d\",\"module\":\"/m%d\"},", i, i
	print "{\"function\":\"main\"}]}"
}' >different
group 10 different
[ $status = 0 ] || fail "different: exit status $status"
grep -q '"signature":\["f0","f1","f2","f3","f4","f5","f6","f7"\]' printed || fail "different: $(cat printed)"

# names of brackets that nothing closes, of 60,000 bytes: in one pass
awk 'function times(text, size) {
	while (length(text) < size) text = text text
	return substr(text, 1, size)
}
BEGIN {
	open = times("<", 60000); round = times("(", 60000); brace = times("{", 60000)
	print "{\"frames\":[{\"function\":\"a" open "\"},{\"function\":\"b" round "\"},{\"function\":\"c" brace "\"}]}"
	print "{\"frames\":[{\"function\":\"d" times("operator", 60000) "\"}]}"
}' >brackets
group 5 brackets
[ $status = 0 ] || fail "brackets: exit status $status"
grep -q '"signature":\["a","b","c{}"\]' printed || fail "brackets: $(cut -c 1-300 printed)"

# 100,000 wrong lines are ten messages and a number
{
	awk 'BEGIN { for (i = 0; i < 100000; i++) print "x" }'
	echo "$good"
} >wrong
group 5 wrong
[ $status = 3 ] || fail "wrong: exit status $status"
counts 1 wrong
[ "$(wc -l <errors)" = 11 ] || fail "wrong: $(wc -l <errors) messages"
[ "$(tail -n 1 errors)" = 'cairn: wrong: 99990 more invalid lines are not reported' ] || fail "wrong: $(tail -n 1 errors)"

# 100,000 groups of short lines, and their counts at the end of what numbers hold
awk 'BEGIN { for (i = 0; i < 100000; i++) print "{\"frames\":[{\"function\":\"f" i "\"}]}" }' >many
group 10 many
[ $status = 0 ] || fail "many: exit status $status"
[ "$(wc -l <printed)" = 100000 ] || fail "many: $(wc -l <printed) groups"
head -n 1 printed | sed 's/"count":1,/"count":18446744073709551615,/' >most
cat most most >twice
group 5 twice
grep -q '"count":18446744073709551615,' printed || fail "counts do not stop: $(cat printed)"

# groups that do not fit: none is printed, rather than some of them
if [ "$space" != unlimited ]; then
	awk 'BEGIN { for (i = 0; i < 500000; i++) print "{\"frames\":[{\"function\":\"f" i "\"}]}" }' >lots
	(ulimit -v 80000 && exec "$cairn" group lots) >printed 2>errors
	[ $? = 3 ] || fail 'groups that do not fit: exit status'
	[ ! -s printed ] || fail 'groups that do not fit: some are printed'
	grep -q '^cairn: out of memory; no groups are printed$' errors || fail "groups that do not fit: $(cat errors)"
fi
exit $failed

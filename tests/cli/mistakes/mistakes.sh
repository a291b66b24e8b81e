#!/bin/sh
# SPDX-License-Identifier: MIT
# What people mistype, over all verbs: each row of mistakes.txt is a command line with a mistake, the exit status, and
# words that must be in what cairn says on standard error: the thing that is wrong, and what to do about it.  Nothing is
# ignored in silence.
#
#	mistakes.sh CAIRN CC...
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
table=$(cd "$(dirname "$0")" && pwd)/mistakes.txt
shift
. "$(dirname "$0")/../../lib/test.sh"
for tool in strip gdb; do
	command -v $tool >/dev/null || skip "no $tool on this machine"
done

# the things that the rows name
cd "$work" || exit 2
export XDG_CACHE_HOME="$work/cache"
unset DEBUGINFOD_URLS
mkdir folder
: >empty
echo 'hello, world' >text
printf 'int work(int n) { return n * 3; }\nint main(int argc, char **argv) { (void)argv; return work(argc) == 0; }\n' >prog.c
"$@" -g -O0 -Wl,--build-id=sha1 prog.c -o prog || skip 'no program can be linked'
"$@" -g -O1 -Wl,--build-id=sha1 -DOTHER prog.c -o other || skip 'no program can be linked'
strip -o stripped prog
"$cairn" gsym create --quiet prog -o prog.gsym || fail 'no GSYM'
"$cairn" symbfile create --quiet prog -o prog.symbfile >/dev/null 2>&1 || fail 'no symbfile'
gdb -nx -batch -ex 'break work' -ex run -ex "generate-core-file $work/core" prog </dev/null >log 2>&1
[ -s core ] || skip "no core can be made: $(tail -n 1 log)"

rows=0
while IFS='|' read -r status words line; do
	case $status in '' | '#'*) continue ;; esac
	rows=$((rows + 1))
	found=0
	# shellcheck disable=SC2086 # the row is a command line
	(eval "set -- $line"; exec timeout 60 "$cairn" "$@") </dev/null >said 2>errors || found=$?
	[ "$found" = "$status" ] || fail "cairn $line: exit status $found, not $status: $(head -n 3 errors)"
	grep -q -e "$words" errors || fail "cairn $line: does not say '$words': $(head -n 3 errors)"
	! grep -qE 'assert|core dumped|Segmentation' errors || fail "cairn $line: $(cat errors)"
done <"$table"
[ $rows -ge 60 ] || fail "only $rows mistakes"
[ $failed = 0 ] && echo "$rows mistakes are named"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn bt` name code that a process has made, by its jitdump, with lines, of the process and of its core;
# walk through frames of such code; and believe no file of somebody else or of an earlier process, behind a link or of
# another number?  With Node.js, if it is there: does the stack of a script have the names of its functions?
#
#	jitdump.sh CAIRN JITDUMP_PROGRAM
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/jitdump.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0
fail() { echo "$1:"; cat "$work/out"; failed=1; }

cd "$work" || exit 2
# run COMMAND...: until it is ready, with its number in `pid`
run() {
	rm -f "$work/said"
	"$@" >"$work/said" 2>&1 &
	pid=$!
	tries=0
	until grep -qs ready "$work/said"; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 200 ] || { echo "failed: $* is not ready"; exit 1; }
	done
}

run "$program"
dump=$work/jit-$pid.dump

# named WHAT COUNT: how many frames of code that was made have names
named() {
	"$cairn" bt --quiet --pid $pid >out 2>&1
	if grep -q 'cannot be traced' out; then
		echo 'skipped: processes may not be traced here'
		exit 77
	fi
	[ "$(grep -c 'in \(inner\|outer\) made (' out)" = "$2" ] || fail "$1"
	grep -q ' main (' out || fail "$1: no stack above the code"
}

named 'its own jitdump' 2
grep -q 'in inner made (.*) at made.js:8$' out || fail 'no line'
grep -q 'made before' out && fail 'a name that another one replaced'
"$cairn" bt --json --pid $pid | tr -d ' \n' | grep -q '"file":"made.js","line":8' || fail 'no line in JSON'
touch -d '2001-01-01' "$dump"
named 'an old one' 0
touch "$dump"
cp "$dump" kept
mv "$dump" moved
ln -s moved "$dump"
named 'a link' 0
rm "$dump"
mkfifo "$dump"
named 'a pipe' 0
rm "$dump"
cp kept "$dump"
printf '\377\377' | dd of="$dump" bs=1 seek=20 conv=notrunc 2>dd.err
named 'the number of another process' 0
cp kept "$dump"
if [ "$(id -u)" = 0 ] && chown 65534 "$dump" 2>chown.err; then
	named "somebody else's" 0
	chown 0 "$dump"
fi
rm "$dump"
mv moved "$dump"
named 'its own again' 2

# its core
if command -v gcore >gcore.path; then
	gcore -o core $pid >gcore.said 2>&1
	if [ -f core.$pid ]; then
		"$cairn" bt --quiet core.$pid >out 2>&1
		[ "$(grep -c 'in \(inner\|outer\) made (' out)" = 2 ] || fail 'the core'
		grep -q 'at made.js:8$' out || fail 'no line in the core'
		rm "$dump"
		"$cairn" bt --quiet core.$pid >out 2>&1
		grep -q 'inner made' out && fail 'a name that came from nowhere'
	fi
fi
kill -KILL $pid

# a function between them without a frame pointer, for which the jitdump has an unwinding table
run "$program" bare
bare() {
	sed -n 's/^#[0-9]* *0x[0-9a-f]* in \([a-z]* made\|main\) (.*/\1/p' out | tr '\n' ' ' >names
	[ "$(cat names)" = 'inner made bare made outer made main ' ] || fail "$1"
}
"$cairn" bt --quiet --pid $pid >out 2>&1
bare 'without a frame pointer'
grep -q 'in bare made (.*) at bare.js:12$' out || fail 'no line of one before the function'
if [ -s gcore.path ]; then
	gcore -o core $pid >gcore.said 2>&1
	[ ! -f core.$pid ] || "$cairn" bt --quiet core.$pid >out 2>&1
	bare 'the same of the core'
fi
kill -KILL $pid
pid=

if command -v "${NODE:=node}" >node.path; then
	cat >script.js <<'END'
function waits(n) { const end = Date.now() + 60000; let s = n; while (Date.now() < end) s += Math.sqrt(s); return s; }
function calls(n) { return waits(n) + 1; }
console.log('ready'); calls(1);
END
	run "$NODE" --perf-prof --interpreted-frames-native-stack --no-opt script.js
	# Node writes its jitdump by megabytes, so that the newest names may be missing
	sleep 1
	"$cairn" bt --quiet --pid $pid >out 2>&1
	grep -q 'Module._compile' out || fail 'Node'
	grep -q 'node::Start' out || fail 'Node: no stack above the script'
	kill -KILL $pid
	pid=
	echo 'with Node'
else
	echo 'without Node, which is not here'
fi
exit $failed

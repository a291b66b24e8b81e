#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that a process makes, in GDB: `cairn symbols load` gives what the process's perf map or jitdump has of it, names,
# lines, and rules for unwinding, so that GDB's own stack goes through it; again when the file has grown, at a stop if
# auto-symbols is on; of a core by a file beside it or in a directory of set cairn directory.  It goes with the process, and a file that is
# somebody else's, old, or a link is nothing.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET"
[ "$(uname -m)" = x86_64 ] || skip 'the programs make code of amd64'
for source in tools/jit_program.c cli/bt/jitdump_program.c; do
	"$CC_TARGET" -O1 -g -fno-omit-frame-pointer "${here%/debuggers}/$source" -o "$tmp/$(basename "$source" .c)"
done
cd "$tmp"
pid=
end_process() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
	[ -z "$pid" ] || rm -f "/tmp/perf-$pid.map"
	pid=
}
trap 'status=$?; end_process; set +e; (exit "$status"); finish' EXIT

# start PROGRAM ARGUMENT...: its number in $pid, when it waits in its code
start() {
	rm -f said
	"./$@" >said &
	pid=$!
	tries=0
	until grep -qs ready said; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 600 ] || skip 'the program cannot write to /tmp'
	done
}

# gdb_of WORDS...: what GDB prints, in the file out
gdb_of() {
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set width 0' -iex 'set confirm off' \
		-ex "source $CAIRN_GDB" "$@" </dev/null >out 2>&1 || :
	if grep -q 'ptrace: Operation not permitted\|Could not attach' out; then
		skip 'processes may not be traced here'
	fi
}

# has COUNT PATTERN: so many lines of the output have it
has() {
	[ "$(grep -c "$2" out)" = "$1" ] || {
		cat out
		fail "$2: not $1 times"
	}
}

start jit_program
map=/tmp/perf-$pid.map
made='#[0-9]* *0x[0-9a-f]* in made at run time ()'
main='#[0-9]* *0x[0-9a-f]* in main ('

# the process; once more; a core, which has nothing beside it
gdb_of -p "$pid" -ex 'cairn symbols load' -ex bt -ex 'cairn symbols load' -ex "generate-core-file core" \
	-ex 'cairn symbols unload' -ex 'echo unloaded\n' -ex bt
has 1 "^code made by process $pid: 1 functions from /proc/$pid/root/tmp/perf-$pid.map$"
has 1 '^Nothing to load: '
has 1 "$made"
has 1 "^code made by process $pid: unloaded$"
sed '/^unloaded/,$d' out >before
grep -q "$main" before || fail 'no stack above the code'

# more code, as the process goes on: at the next command, or at the next stop
start=$(sed -n 's/^\([0-9a-f]*\) .*/\1/p' "$map" | head -1)
next=$(printf '%x' $((0x$start + 0x40)))
later=$(printf '%x' $((0x$start + 0x80)))
cp -p "$map" kept
gdb_of -p "$pid" -ex 'cairn symbols load' -ex "info symbol 0x$next" -ex "shell echo $next 8 made later >>$map" \
	-ex 'cairn symbols load' -ex "info symbol 0x$next" -ex 'set cairn auto-symbols on' \
	-ex "shell echo $later 8 made last >>$map" -ex "info symbol 0x$later" -ex 'stepi' -ex "info symbol 0x$later" \
	-ex 'info symbol main' -ex kill -ex "info symbol 0x$next" -ex 'cairn symbols load' -ex 'echo gone\n' \
	-ex "info symbol 0x$next"
has 2 "^No symbol matches 0x$next.$"
has 1 "^code made by process $pid: 2 functions"
has 2 "^made later in section .text"
has 1 "^No symbol matches 0x$later.$"
has 1 "^made last in section .text"
has 0 "3 functions"
rm -f "$map"
pid=

# what does not count
start jit_program
map=/tmp/perf-$pid.map
cp -p "$map" kept
touch -d '2001-01-01' "$map"
gdb_of -p "$pid" -ex 'cairn symbols load' -ex bt
has 0 "$made"
rm "$map"
ln -s "$tmp/kept" "$map"
gdb_of -p "$pid" -ex 'cairn symbols load' -ex bt
has 0 "$made"
rm "$map"
mkfifo "$map"
gdb_of -p "$pid" -ex 'cairn symbols load' -ex bt
has 0 "$made"
rm "$map"

# its core: beside it, and in a directory that is named; not what is newer, because the number may be another's by then
gdb_of -p "$pid" -ex "generate-core-file core"
[ -s core ] || skip 'GDB cannot write a core here'
mkdir -p maps
cp -p kept "perf-$pid.map"
gdb_of jit_program core -ex 'cairn symbols load' -ex bt
has 1 "$made"
has 1 "$main"
touch -d '+1 day' "perf-$pid.map"
gdb_of jit_program core -ex 'cairn symbols load' -ex bt
has 0 "$made"
mv "perf-$pid.map" maps
gdb_of jit_program core -ex "set cairn directory $tmp/maps" -ex 'cairn symbols load' -ex bt
has 1 "$made"
end_process
rm -f core

# a perf map of code that keeps no frame pointer: the code itself shows the caller
start jit_program bare
gdb_of -p "$pid" -ex 'cairn symbols load' -ex bt -ex "generate-core-file core"
has 1 "$made"
has 1 "$main"
[ -s core ] || skip 'GDB cannot write a core here'
cp -p "/tmp/perf-$pid.map" .
gdb_of jit_program core -ex 'cairn symbols load' -ex bt
has 1 "$made"
has 1 "$main"
end_process
rm -f core perf-*.map

# a jitdump: lines, and a function without a frame pointer, which has an unwinding table
start jitdump_program bare
gdb_of -p "$pid" -ex 'cairn symbols load' -ex bt -ex "generate-core-file core"
has 1 "^code made by process $pid: 4 functions from /proc/$pid/root$tmp/jit-$pid.dump$"
sed -n 's/^#[0-9]* *0x[0-9a-f]* in \([a-z]* made\|main\) (.*/\1/p' out | tr '\n' ' ' >names
[ "$(cat names)" = 'inner made bare made outer made main ' ] || {
	cat out
	fail 'the stack through code without a frame pointer'
}
has 1 'inner made () at .*made.js:8$'
has 1 'bare made () at .*bare.js:12$'
[ -s core ] || skip 'GDB cannot write a core here'
gdb_of jitdump_program core -ex 'cairn symbols load' -ex bt
sed -n 's/^#[0-9]* *0x[0-9a-f]* in \([a-z]* made\|main\) (.*/\1/p' out | tr '\n' ' ' >names
[ "$(cat names)" = 'inner made bare made outer made main ' ] || {
	cat out
	fail 'the same of the core'
}
has 1 'inner made () at .*made.js:8$'
has 1 'bare made () at .*bare.js:12$'
end_process

# a jitdump that begins after the symbols were loaded: noticed at the stop
gdb_of jitdump_program -ex 'set cairn auto-symbols on' -ex 'break main' -ex 'run bare' -ex 'cairn symbols load' \
	-ex 'break wait_here' -ex 'continue' -ex bt -ex 'info symbol wait_here' -ex kill
grep -q 'Breakpoint 2, wait_here' out || {
	cat out
	skip 'GDB cannot start a program here'
}
sed -n 's/^#[0-9]* *0x[0-9a-f]* in \([a-z]* made\|main\) (.*/\1/p' out | tr '\n' ' ' >names
[ "$(cat names)" = 'inner made bare made outer made main ' ] || {
	cat out
	fail 'a jitdump that began later'
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt of running processes shows the frames that GDB shows when it attaches with the complete program. Each case of
# programs/stacks.c waits where it would end; one GDB looks at all of them, then cairn does, without ptrace by another.
# The programs are built as those of bt_cores.sh:
#
#	bt_processes.sh complete|sframe|side|pointers|debug-frame FLAGS...
set -eu
export LC_ALL=C
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
: "${CAIRN?path of cairn}" "${KERNEL_CORE?path of the tool kernel_core}" "${GDB:=gdb}" "${CC_TARGET:=cc}" "${CXX_TARGET:=c++}"
kind=$1
shift

tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-bt.XXXXXX")
pids=''
trap 'for pid in $pids; do kill -KILL "$pid" 2>/dev/null || :; done; rm -rf "$tmp"' EXIT
. "$(dirname "$0")/bt_frames.sh"
. "$(dirname "$0")/bt_programs.sh"
failed=0

# The same cases in each build, but what needs dynamic libraries, or .eh_frame at run time.
list_cases() {
	echo inlined recurse null garbage signal altstack altthread altoverflow threads sort asserted vdso vfork
	# of 32-bit programs: GDB reads on past a context
	[ "$narrow" = 1 ] || echo smash
	[ "$narrow" = 1 ] || echo changed changedoften
	[ "$narrow" = 1 ] || [ $bare = yes ] || echo context
	[ $bare = yes ] || echo apart # of 32-bit programs handlers have frames of another kind
	[ "$plugin" = no ] || echo plugin plt1 plt2 plt3 plt4 plt5 plt6
	[ "$kind" != complete ] || echo many
	[ "$kind" != complete ] || [ "$narrow" = 1 ] || echo nullrules frameless
	[ ! -x "$tmp/cut/throw" ] || echo uncaught noexcept caught cleanup
}

find_program() {
	case $1 in uncaught | noexcept | caught | cleanup) program=throw ;; *) program=stacks ;; esac
}

# start_case DIR CASE: it prints the process that waits, which may be a child (vfork).
start_case() {
	find_program "$2"
	library=''
	[ "$2" != plugin ] || library=$tmp/$1/plugin.so
	# the file is there before the program writes, and nothing of ours is in its environment
	: >"$tmp/$1/$2.out"
	env -i "$tmp/$1/$program" "$2" $library wait >"$tmp/$1/$2.out" 2>/dev/null </dev/null &
	pids="$pids $!"
}

# $pid: the process of DIR that waits in a case.
find_process() {
	tries=0
	until pid=$(sed -n 's/^ready //p' "$tmp/$1/$2.out") && [ -n "$pid" ]; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "$kind $2: it did not come to its end" >&2; exit 1; }
	done
	case " $pids " in *" $pid "*) ;; *) pids="$pids $pid" ;; esac
}

run_gdb() {
	timeout 240 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' \
		-ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' \
		-ex 'set backtrace limit unlimited' -ex 'set print frame-arguments none' \
		-x "$1" "$2" </dev/null >"$1.said" 2>&1 ||
		{ echo "$kind: GDB ended with status $?"; tail -n 5 "$1.said"; failed=1; }
}

# One GDB for all cases of a program.
attach_gdb() {
	for case in $2; do
		find_process "$complete" "$case"
		printf 'echo %s=== %s%s\n' '\n' "$case" '\n'
		echo "attach $pid"
		echo 'thread apply all frame apply all info frame'
		echo 'detach'
	done >"$tmp/$1.gdb"
	run_gdb "$tmp/$1.gdb" "$tmp/$complete/$1"
	awk -v folder="$tmp" '/^=== / { file = folder "/" $2 ".gdb-said"; next } file { print >file }' "$tmp/$1.gdb.said"
}

# Cores of the stops in the PLT: no signal that ends a program leaves them behind.
write_cores() {
	for case in $1; do
		case $case in plt*) ;; *) continue ;; esac
		find_process cut "$case"
		echo "attach $pid"
		echo "generate-core-file $tmp/$case.core"
		echo 'detach'
	done >"$tmp/cores.gdb"
	[ ! -s "$tmp/cores.gdb" ] || run_gdb "$tmp/cores.gdb" "$tmp/cut/stacks"
}

tell() {
	echo "$kind $name: $1"
	shift
	for each; do head -n "${LINES_SHOWN:-20}" "$each"; done
	failed=1
}

# Two processes overflow their stacks at different depths, and on different lines of one function. What GDB shows past the end: garbage, of a smashed stack and before the first function of a context.
drop_garbage() {
	for file; do
		case $name in
		altoverflow) sed -e 's/^1 [0-9]* //' -e 's/^overflow .*/overflow/' "$file" | uniq >"$file.short" && mv "$file.short" "$file" ;;
		smash) sed -i -e 's/ smash .*/ smash/' -e '/ smash$/q' "$file" ;; # of two rows for its address GDB takes the first
		context | apart) drop_frames ' ?? -$\| __start_context ' "$file" ;;
		esac
		[ "$narrow" = 0 ] || sed -i '/ handle_in_context /q' "$file"
		[ $bare = no ] || drop_frames ' __clone3 -$' "$file"
	done
}

compare_case() {
	name=$1
	grep -E '^(Thread|#| tail call frame)' "$tmp/$name.gdb-said" | settle >"$tmp/gdb"
	find_process cut "$name"
	bt --pid "$pid" >"$tmp/bt" 2>"$tmp/errors" || echo "exit status $?" >>"$tmp/errors"
	if grep -q 'cannot be traced' "$tmp/errors"; then
		skip 'processes may not be traced here'
	fi
	settle <"$tmp/bt" >"$tmp/cairn"
	drop_garbage "$tmp/gdb" "$tmp/cairn"
	if [ "$name" = smash ]; then
		grep -q '^Backtrace stopped: .' "$tmp/bt" || tell 'no end with a reason' "$tmp/bt"
		[ "$(cat "$tmp/errors")" = 'exit status 1' ] && : >"$tmp/errors"
	fi
	accept_guess
	[ "$name" != changedoften ] || judge_bound
	[ -s "$tmp/gdb" ] || tell 'GDB shows no frames' "$tmp/$name.gdb-said"
	if ! cmp -s "$tmp/gdb" "$tmp/cairn" || [ -s "$tmp/errors" ]; then
		diff "$tmp/gdb" "$tmp/cairn" >"$tmp/diff" || :
		tell 'not as GDB shows it' "$tmp/diff" "$tmp/errors"
	fi
	case $name in
	plt*) compare_core ;;
	asserted) judge_message ;;
	esac
}

# What the C library wrote before it aborted is in the head while a handler runs, with its bytes escaped.
judge_message() {
	message="stacks: stacks.c:2: check: Assertion \`\x1b[2J' failed."
	bt --json --pid "$pid" >"$tmp/json" || tell 'no JSON'
	if ! grep -qxF "Abort message: $message" "$tmp/bt" || ! grep -q '"abort_message":"stacks: ' "$tmp/json"; then
		tell 'no message' "$tmp/bt" "$tmp/json"
	fi
}

# Of fourteen stacks eight are copied, the thread's own perhaps among them: their frames are GDB's, then cairn says that it
# stopped.
judge_bound() {
	case $(grep -c call_elsewhere "$tmp/cairn") in 7 | 8) ;; *) tell 'not the frames of eight stacks' "$tmp/bt" ;; esac
	grep -q '^Backtrace stopped: .' "$tmp/bt" || tell 'no end with a reason' "$tmp/bt"
	[ "$(cat "$tmp/errors")" = 'exit status 1' ] && : >"$tmp/errors"
	head -n "$(grep -c '' "$tmp/cairn")" "$tmp/gdb" >"$tmp/gdb.first"
	mv "$tmp/gdb.first" "$tmp/gdb"
}

# The core has the frames of the process, as a file and as streams in both orders.
compare_core() {
	reorder=$KERNEL_CORE
	[ "$narrow" = 0 ] || reorder=cat # that tool writes 64-bit cores
	bt "$tmp/$name.core" 2>&1 | settle >"$tmp/of-core"
	"$reorder" "$tmp/$name.core" | bt - 2>&1 | settle >"$tmp/of-stream"
	bt - <"$tmp/$name.core" 2>&1 | settle >"$tmp/of-late"
	for each in core stream late; do
		if ! cmp -s "$tmp/gdb" "$tmp/of-$each"; then
			diff "$tmp/gdb" "$tmp/of-$each" >"$tmp/diff" || :
			tell "the $each has other frames" "$tmp/diff"
		fi
	done
}

build_programs "$@"
cases=${CASES:-$(list_cases)}
# of a file without its tables GDB does not believe that it is the one that runs
complete=cut
case $kind in sframe | side | pointers) complete=all ;; esac
of_stacks=''
of_throw=''
for case in $cases; do
	start_case cut "$case"
	[ $complete = cut ] || start_case all "$case"
	case $program in throw) of_throw="$of_throw $case" ;; *) of_stacks="$of_stacks $case" ;; esac
done
[ -z "$of_stacks" ] || attach_gdb stacks "$of_stacks"
[ -z "$of_throw" ] || attach_gdb throw "$of_throw"
write_cores "$cases"
for case in $cases; do
	compare_case "$case"
done
[ "$failed" = 0 ] && echo 'stacks equal'
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt of a core shows the frames that GDB shows for the complete program: names, files, lines and
# inlined calls of every thread. The core is of the program as BUILD names it:
#
#	bt_cores.sh complete|sframe|side|pointers|debug-frame FLAGS...
#
# complete: as it was compiled. sframe: without .eh_frame. pointers: without both tables, so that only
# frame pointers are left. debug-frame: with .debug_frame alone. Addresses are the same in both builds.
set -eu
export LC_ALL=C
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
: "${CAIRN?path of cairn}" "${KERNEL_CORE?path of the tool kernel_core}" "${GDB:=gdb}" "${CC_TARGET:=cc}" "${CXX_TARGET:=c++}"
kind=$1
shift

tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-bt.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/bt_frames.sh"
. "$(dirname "$0")/bt_programs.sh"
failed=0
# GDB shows the same of the program that leaves the core
whole=no
case $kind in complete | debug-frame) whole=yes ;; esac

# debug PROGRAM FILE: one GDB, the commands of a file one by one; an error ends none but its own.
debug() {
	program=$1 file=$2
	set --
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$file"
	timeout 280 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' \
		-ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' \
		-ex 'set backtrace limit unlimited' -ex 'set print frame-arguments none' \
		-ex 'set exec-wrapper env -i' -ex 'set follow-fork-mode child' "$@" "$program" </dev/null 2>&1
}

# find_program CASE: $built is its program
find_program() {
	case $1 in uncaught | noexcept | caught | cleanup) built=throw ;; *) built=stacks ;; esac
}

# list_commands DIR CASE: what GDB does where the case ends: of `cut` it writes the core, of `all` it shows the frames.
list_commands() {
	printf 'echo %s=== %s %s%s\n' '\n' "$1" "$2" '\n'
	threads=all
	[ "$2" != vfork ] || threads='2.*' # not the parent, which waits for the child
	case $1 in
	cut) printf '%s\n' "generate-core-file $tmp/$2.core" 'info registers' ;;
	all) echo "thread apply $threads frame apply all info frame" ;;
	esac
}

# run_case DIR CASE: the program runs to the end of the case, where GDB does what it does in each directory of $directories
run_case() {
	handled='' # cases with a handler end in it
	case $2 in signal | alt* | nullrules) handled=yes ;; esac
	library=''
	[ "$2" != plugin ] || library=" $tmp/$1/plugin.so"
	[ -z "$handled" ] || echo 'handle SIGSEGV nostop noprint pass'
	echo "run $2$library"
	for each in $folders; do list_commands "$each" "$2"; done
	echo kill
	[ -z "$handled" ] || echo 'handle SIGSEGV stop print pass'
}

# ask_gdb DIR PROGRAM CASE...: what it says of each is in DIR/CASE.said. In a program with all its tables it also does
# what belongs to `all`, at the same stop.
ask_gdb() {
	folder=$1 program=$2 folders=$1
	shift 2
	[ "$folder $whole" != 'cut yes' ] || folders='cut all'
	for name; do run_case "$folder" "$name"; done >"$tmp/$folder/commands"
	debug "$tmp/$folder/$program" "$tmp/$folder/commands" >"$tmp/$folder/said" || echo "exit status $?" >>"$tmp/$folder/said"
	awk -v tmp="$tmp" '/^=== / { file = tmp "/" $2 "/" $3 ".said"; next } file { print >file }' "$tmp/$folder/said"
}

# ask_of_all CASE...: one GDB for the cases of each program; after vfork it has two processes, so that this comes last
ask_of_all() {
	of_stacks='' of_throw='' last=''
	for name; do
		find_program "$name"
		case $built:$name in
		throw:*) of_throw="$of_throw $name" ;;
		*:vfork) last=vfork ;;
		*) of_stacks="$of_stacks $name" ;;
		esac
	done
	for folder in cut $([ $whole = yes ] || echo all); do
		# shellcheck disable=SC2086 # names
		[ -z "$of_stacks$last" ] || ask_gdb "$folder" stacks $of_stacks $last
		# shellcheck disable=SC2086
		[ -z "$of_throw" ] || ask_gdb "$folder" throw $of_throw
	done
}

# Of a smashed stack GDB shows the garbage as frames; cairn shows the function, and why it ends there.
judge_smashed() {
	first=$(sed -n '1s/ stacks\.c:[0-9]*$//p' "$tmp/cairn") # of two rows for its address GDB takes the first
	if [ "$first" != '1 0 smash' ] || [ "$(sed -n '1s/ stacks\.c:[0-9]*$//p' "$tmp/gdb")" != "$first" ] ||
		[ "$(wc -l <"$tmp/cairn")" -gt 3 ] ||
		! grep -q '^Backtrace stopped: .' "$tmp/bt" || [ "$(cat "$tmp/errors")" != 'exit status 1' ]; then
		echo "$kind smash: no end with a reason"
		cat "$tmp/gdb" "$tmp/bt" "$tmp/errors"
		failed=1
	fi
}

# The C library's message is in the head, with its bytes escaped, whatever they do to a terminal.
judge_message() {
	message="stacks: stacks.c:2: check: Assertion \`\x1b[2J' failed."
	bt --json -1 "$tmp/core" >"$tmp/json" || echo "json: exit status $?" >>"$tmp/errors"
	if ! grep -qxF "Abort message: $message" "$tmp/bt" || ! grep -q '"abort_message":"stacks: ' "$tmp/json"; then
		echo "$kind asserted: no message"
		head -n 5 "$tmp/bt"
		failed=1
	fi
}

# Each register that cairn names has GDB's value; GDB has flags and segments too.
judge_registers() {
	bt --registers -1 -n 1 "$tmp/core" |
		awk '/^ / { for (i = 1; i < NF; i += 2) { sub(/^0x0*/, "", $(i + 1)); print $i, "0x" ($(i + 1) == "" ? 0 : $(i + 1)) } }' |
		sort >"$tmp/registers"
	awk 'NF >= 3 && $2 ~ /^0x/ { print $1, $2 }' "$tmp/cut/$name.said" | sort >"$tmp/expected"
	if [ "$(wc -l <"$tmp/registers")" -lt $((narrow ? 9 : 17)) ] || [ -n "$(comm -23 "$tmp/registers" "$tmp/expected")" ]; then
		echo "$kind garbage: registers are not as GDB shows them"
		comm -23 "$tmp/registers" "$tmp/expected"
		failed=1
	fi
}

# Through a pipe the same stacks come out, of a core in the order in which the kernel writes it and in GDB's.
judge_stream() {
	reorder=$KERNEL_CORE
	[ "$narrow" = 0 ] || reorder=cat # that tool writes 64-bit cores
	"$reorder" "$tmp/core" | bt - >"$tmp/streamed" 2>"$tmp/stream-errors" || :
	bt - <"$tmp/core" >"$tmp/streamed-late" 2>>"$tmp/stream-errors" || :
	for each in "$tmp/streamed" "$tmp/streamed-late"; do
		if ! cmp -s "$tmp/bt" "$each" || [ -s "$tmp/stream-errors" ]; then
			echo "$kind $name: a stream shows other stacks than the file"
			diff "$tmp/bt" "$each" | head -n 20 || :
			cat "$tmp/stream-errors"
			failed=1
		fi
	done
}

# A minidump of the core shows the same threads and frames; that of the core through a pipe as well.
judge_minidump() {
	# minidumps can be written for amd64 and aarch64 only
	case $(od -An -tx1 -j4 -N1 "$tmp/core")$(od -An -tx1 -j18 -N2 "$tmp/core") in
	' 02 3e 00' | ' 02 b7 00') ;;
	*) return 0 ;;
	esac
	"$CAIRN" minidump --quiet -o "$tmp/dump" "$tmp/core" || failed=1
	"$KERNEL_CORE" "$tmp/core" | "$CAIRN" minidump --quiet - >"$tmp/dump-streamed" || failed=1
	grep '^#\|^Thread\|^Backtrace\|^Abort' "$tmp/bt" >"$tmp/of-core" || :
	for each in "$tmp/dump" "$tmp/dump-streamed"; do
		bt "$each" 2>"$tmp/dump-errors" | grep '^#\|^Thread\|^Backtrace\|^Abort' >"$tmp/of-dump" || :
		if ! cmp -s "$tmp/of-core" "$tmp/of-dump" || [ -s "$tmp/dump-errors" ]; then
			echo "$kind $name: a minidump shows other stacks than the core"
			diff "$tmp/of-core" "$tmp/of-dump" | head -n "${LINES_SHOWN:-20}" || :
			cat "$tmp/dump-errors"
			failed=1
		fi
	done
}

# What is above the entry of a thread and of the program is of the C library: all of it is compared, too.
compare_case() {
	name=$1
	[ -s "$tmp/$name.core" ] || { cat "$tmp/cut/$name.said"; echo "$kind $name: no core"; failed=1; return; }
	mv "$tmp/$name.core" "$tmp/core"
	grep -E '^(Thread|#| tail call frame)' "$tmp/all/$name.said" | settle >"$tmp/gdb"
	bt "$tmp/core" >"$tmp/bt" 2>"$tmp/errors" || echo "exit status $?" >>"$tmp/errors"
	judge_stream
	# where nothing else leads on, a minidump is searched for return addresses, and a core is not
	[ "$name" = smash ] || [ $bare = yes ] || judge_minidump
	settle <"$tmp/bt" >"$tmp/cairn"
	[ "$name" = smash ] || accept_guess
	if [ "$name" = smash ]; then
		judge_smashed
		return
	fi
	[ "$name" != asserted ] || judge_message
	[ "$name" != garbage ] || judge_registers
	# before the first function of a context GDB reads on in memory where no frame is
	case $name in context | apart) drop_frames ' ?? -$\| __start_context ' "$tmp/gdb" "$tmp/cairn" ;; esac
	[ $bare = no ] || drop_frames ' __clone3 -$' "$tmp/gdb" "$tmp/cairn"
	[ -s "$tmp/gdb" ] || { echo "$kind $name: GDB shows no frames"; failed=1; return; }
	if ! cmp -s "$tmp/gdb" "$tmp/cairn" || [ -s "$tmp/errors" ]; then
		echo "$kind $name: not as GDB shows it"
		diff "$tmp/gdb" "$tmp/cairn" | head -n "${LINES_SHOWN:-20}" || :
		cat "$tmp/errors"
		failed=1
	fi
}

# The same cases in each build, but what needs dynamic libraries, or .eh_frame at run time.
list_cases() {
	echo inlined recurse overflow null garbage signal altstack altthread altoverflow threads sort asserted vdso vfork
	# of 32-bit programs: it returns to the garbage, where nothing is left; GDB reads on past a context
	[ "$narrow" = 1 ] || echo smash
	[ "$narrow" = 1 ] || echo changed
	[ "$narrow" = 1 ] || [ $bare = yes ] || echo context apart
	[ "$plugin" = no ] || echo plugin
	[ "$kind" != complete ] || echo many
	[ "$kind" != complete ] || [ "$narrow" = 1 ] || echo nullrules frameless
	[ ! -x "$tmp/cut/throw" ] || echo uncaught noexcept caught cleanup
}

build_programs "$@"
cases=${CASES:-$(list_cases)}
# shellcheck disable=SC2086 # names
ask_of_all $cases
for case in $cases; do
	compare_case "$case"
done
[ "$failed" = 0 ] && echo 'stacks equal'
exit "$failed"

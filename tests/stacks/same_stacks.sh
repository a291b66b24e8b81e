#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Stands for cairn in the tests of stacks: `bt` of a file, a pipe or a process is also asked of the library, with
# libcairn-dwarf and without it.  With it everything has to be equal that `bt --json` prints, and what ended the program;
# alone, all but names and lines.  What is packed is unpacked for the library, which reads it through a pipe.
#
#	same_stacks.sh CAIRN LIBRARY_STACKS LIBRARY_STACKS_DWARF TEST ARGUMENT...
#
# runs TEST, a script, with CAIRN= this script; an ARGUMENT @CAIRN@ becomes this script.  Each difference fails the
# test; a test in which nothing is compared fails, too.  Calls that are not compared are counted by their reasons.
set -u

# What both print of threads or modules, a frame a line.  The path of the input and times are not compared.
facts() {
	sed -n -e 's/^{"core":"\([^"\\]\|\\.\)*",/{/' -e 's/"stopped_nanoseconds":[0-9]*,//' -e '/^[{P]/p' "$1" |
		sed -e 's/},{/},\n{/g' -e 's/"frames":\[{/"frames":[\n{/'
}

# The same without names: one line for a frame, however many calls are inlined there.
frames() {
	sed -e '/"inlined":true/d' -e 's/"level":[0-9]*,//' -e 's/"function":"\([^"\\]\|\\.\)*","offset":[0-9]*,//' \
		-e '/^{"pc"/s/"file":"\([^"\\]\|\\.\)*",//' -e 's/"line":[0-9]*,//' -e 's/"column":[0-9]*,//' -e 's/,$//' "$1"
}

# differ WHAT EXPECTED GOT
differ() {
	cmp -s "$2" "$3" && return
	{
		echo "$1 has something else than cairn bt $arguments"
		diff "$2" "$3" | head -n 40
	} >>"$SAME_STACKS/differences"
}

leave_out() {
	echo "$1" >>"$SAME_STACKS/left_out"
}

# What unpacks a file.
unpacker() {
	case $(head -c 4 "$1" 2>/dev/null | od -An -tx1 | tr -d ' \n') in
	1f8b*) echo gzip ;;
	28b52ffd) echo zstd ;;
	fd377a58) echo xz ;;
	04224d18) echo lz4 ;;
	*) echo cat ;;
	esac
}

# Each of these has what it reads as a pipe, if it is not a file as it is.
run_bt() {
	if [ -n "$piped" ]; then cat "$piped" | "$SAME_CAIRN" bt "$@"; else "$SAME_CAIRN" bt "$@"; fi 2>/dev/null
}

run_library() {
	if [ -n "$packed" ]; then
		case $(unpacker "$packed") in
		cat) cat "$packed" ;;
		*) "$(unpacker "$packed")" -dc <"$packed" ;;
		esac | eval "\"\$@\" $library_list"
	else
		eval "\"\$@\" $library_list"
	fi 2>&1
}

# look ARGUMENT...: what the command and both libraries see; what the library says of the end goes to a file of its own
look() {
	run_bt --json "$@" >"$work/bt"
	run_library "$SAME_LIBRARY_DWARF" >"$work/dwarf"
	run_library "$SAME_LIBRARY" --ended >"$work/alone"
	grep '^Program terminated ' "$work/alone" >"$work/alone.end"
	sed -i '/^Program terminated /d' "$work/alone"
	for each in bt dwarf alone; do
		facts "$work/$each" >"$work/$each.facts"
		frames "$work/$each.facts" >"$work/$each.frames"
	done
}

# Looks at a process until the library has the same, five times at most, because one that runs in a circle may be where it
# was before; false: it went on meanwhile.
look_at_process() {
	for _ in 1 2 3 4 5; do
		look "$@"
		run_bt --json "$@" >"$work/later"
		facts "$work/later" | cmp -s "$work/bt.facts" - || { leave_out 'the process went on'; return 1; }
		cmp -s "$work/bt.facts" "$work/dwarf.facts" && cmp -s "$work/bt.frames" "$work/alone.frames" && break
	done
	return 0
}

compare_threads() {
	case " $* " in
	*" --pid "*) look_at_process "$@" || return ;;
	*) look "$@" ;;
	esac
	differ 'the library with DWARF' "$work/bt.facts" "$work/dwarf.facts"
	differ 'the library alone' "$work/bt.frames" "$work/alone.frames"
}

# The text of the command has the end of the program in its head.
compare_end() {
	case $arguments in
	*--json* | *--folded* | *--markup*) run_bt "$@" ;;
	*) cat "$work/text" ;;
	esac | grep '^Program terminated ' >"$work/bt.end"
	differ 'the library' "$work/bt.end" "$work/alone.end"
}

compare_calls() {
	arguments=$*
	case " $* " in
	*" --debuginfod "* | *" --help "*) leave_out "$(echo " $* " | grep -o -e ' --debuginfod ' -e ' --help ' | head -n 1)"; return ;;
	esac
	list= library_list= packed=$piped
	for word; do
		case $word in
		--json | --explain | --registers | --dedup | --folded | --markup | --quiet) continue ;;
		-1) word=--crashed ;;
		-n) word=--count ;;
		-p) word=--pid ;;
		--*=*) list="$list '${word%%=*}'" library_list="$library_list '${word%%=*}'" word=${word#*=} ;;
		esac
		list="$list '$word'"
		if [ -f "$word" ] && [ -z "$piped" ] && [ "$(unpacker "$word")" != cat ]; then
			packed=$word word=-
		fi
		library_list="$library_list '$word'"
	done
	eval "set -- $list"
	compare_threads "$@" || return
	case " $* " in
	*" --pid "* | *" --list-modules "*) ;;
	*) compare_end "$@" ;;
	esac
	echo "$arguments" >>"$SAME_STACKS/compared"
}

compare_stacks() {
	work=$(mktemp -d "$SAME_STACKS/run.XXXXXX") || exit 2
	piped=
	case " $* " in
	*" - "*)
		piped=$work/input
		cat >"$piped" ;;
	esac
	[ -z "$piped" ] || exec <"$piped"
	"$SAME_CAIRN" bt "$@" >"$work/text"
	said=$?
	compare_calls "$@"
	cat "$work/text"
	rm -rf "$work"
	exit $said
}

if [ -n "${SAME_STACKS-}" ]; then
	if [ "${1-}" = bt ]; then
		shift
		compare_stacks "$@"
	fi
	exec "$SAME_CAIRN" "$@"
fi

SAME_CAIRN=$(realpath "$1") SAME_LIBRARY=$(realpath "$2") SAME_LIBRARY_DWARF=$(realpath "$3")
shift 3
SAME_STACKS=$(mktemp -d "${TMPDIR:-/tmp}/same-stacks.XXXXXX") || exit 2
trap 'rm -rf "$SAME_STACKS"' EXIT
self=$(realpath "$0")
CAIRN=$self
export SAME_CAIRN SAME_LIBRARY SAME_LIBRARY_DWARF SAME_STACKS CAIRN
list=
for word; do
	[ "$word" != @CAIRN@ ] || word=$self
	list="$list '$word'"
done
eval "set -- $list"
sh "$@"
status=$?
if [ -s "$SAME_STACKS/differences" ]; then
	head -n 200 "$SAME_STACKS/differences"
	echo "$(grep -c 'has something else' "$SAME_STACKS/differences") differences in $(wc -l <"$SAME_STACKS/compared") calls"
	exit 1
fi
[ ! -s "$SAME_STACKS/left_out" ] || sort "$SAME_STACKS/left_out" | uniq -c | sed 's/^/not compared: /'
[ $status -ne 0 ] && exit $status
[ -s "$SAME_STACKS/compared" ] || { echo 'nothing was compared'; exit 1; }
echo "$(wc -l <"$SAME_STACKS/compared") calls of bt have the same stacks by the library"

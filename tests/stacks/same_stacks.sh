#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Stands for cairn in the tests of stacks: `bt` of a file or a process is also asked of the library, with libcairn-dwarf and
# without it.  With it everything has to be equal that `bt --json` prints of threads; alone, their frames and ends.
#
#	same_stacks.sh CAIRN LIBRARY_STACKS LIBRARY_STACKS_DWARF TEST ARGUMENT...
#
# runs TEST, a script, with CAIRN= this script; an ARGUMENT @CAIRN@ becomes this script.  Each difference fails the
# test; a test in which nothing is compared fails, too.
set -u

# Threads as the library has them, a frame a line.
threads() {
	sed -e 's/^{"core":.*,"tid":/{"tid":/' -e 's/"name":"\([^"\\]\|\\.\)*",//' \
		-e 's/\("crashed":[a-z]*\)\(,"stopped_nanoseconds":[0-9]*\)\{0,1\}\(,"stack_cut":true\)\{0,1\}.*,"frames":\[/\1\3,"frames":[/' \
		-e '/^problems /d' "$1" | sed -e 's/},{/},\n{/g' -e 's/"frames":\[{/"frames":[\n{/'
}

# The same without names: one line for a frame, however many calls are inlined there.
frames() {
	sed -e '/"inlined":true/d' -e 's/"level":[0-9]*,//' -e 's/"function":"\([^"\\]\|\\.\)*","offset":[0-9]*,//' \
		-e 's/"file":"\([^"\\]\|\\.\)*",//' -e 's/"line":[0-9]*,//' -e 's/,$//' "$1"
}

# differ WHAT EXPECTED GOT
differ() {
	cmp -s "$2" "$3" && return
	{
		echo "$1 has other stacks than cairn bt $arguments"
		diff "$2" "$3" | head -n 40
	} >>"$SAME_STACKS/differences"
}

# The library opens what is packed only as a stream that somebody unpacks.
is_packed() {
	for word; do
		case $(head -c 4 "$word" 2>/dev/null | od -An -tx1 | tr -d ' \n') in
		1f8b* | 28b52ffd | fd377a58 | 04224d18) return 0 ;;
		esac
	done
	return 1
}

compare_stacks() {
	arguments=$*
	case " $* " in
	*" - "* | *" --list-modules "* | *" --debuginfod "* | *" --help "*) return ;;
	esac
	list=
	for word; do
		case $word in
		--json | --explain | --registers | --dedup | --folded | --markup | --no-progress) continue ;;
		-1) word=--crashed ;;
		-n) word=--count ;;
		-p) word=--pid ;;
		--*=*) list="$list '${word%%=*}'" word=${word#*=} ;;
		esac
		list="$list '$word'"
	done
	eval "set -- $list"
	! is_packed "$@" || return
	work=$(mktemp -d "$SAME_STACKS/run.XXXXXX") || exit 2
	"$SAME_CAIRN" bt --json "$@" >"$work/bt" 2>/dev/null
	"$SAME_LIBRARY_DWARF" "$@" >"$work/dwarf" 2>&1
	"$SAME_LIBRARY" "$@" >"$work/alone" 2>&1
	"$SAME_CAIRN" bt --json "$@" >"$work/later" 2>/dev/null
	for each in bt dwarf alone later; do
		threads "$work/$each" >"$work/$each.threads"
		frames "$work/$each.threads" >"$work/$each.frames"
	done
	# of a program that does not wait each look has other stacks
	if [ -s "$work/bt" ] && cmp -s "$work/bt.threads" "$work/later.threads"; then
		differ 'the library with DWARF' "$work/bt.threads" "$work/dwarf.threads"
		differ 'the library alone' "$work/bt.frames" "$work/alone.frames"
		echo "$arguments" >>"$SAME_STACKS/compared"
	fi
	rm -rf "$work"
}

if [ -n "${SAME_STACKS-}" ]; then
	if [ "${1-}" = bt ]; then
		shift
		compare_stacks "$@"
		set -- bt "$@"
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
	echo "$(grep -c 'has other stacks' "$SAME_STACKS/differences") of $(wc -l <"$SAME_STACKS/compared") calls differ"
	exit 1
fi
[ $status -ne 0 ] && exit $status
[ -s "$SAME_STACKS/compared" ] || { echo 'nothing was compared'; exit 1; }
echo "$(wc -l <"$SAME_STACKS/compared") calls of bt have the same stacks by the library"

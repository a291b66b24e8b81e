#!/bin/sh
# SPDX-License-Identifier: MIT
# Breakpoints on calls that are inlined in a cold part alone, on symbols of cold parts and on functions
# with a frame pointer are at the same places with symbols from GSYM as with the complete build.  What
# an object says for that no other command shows, and only objects of code that gcc optimized say it.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}" "${CLANG:=clang}"
need "$GDB" objcopy awk nm

# build_cold NAME COMPILER FLAGS...: complete and stripped, and $tmp/NAME.gsym
build_cold() {
	name=$1
	shift
	case $1 in
	"$CC_TARGET") build_without_entries coldcalls.c "$tmp/eh/$name" "$@" -w ;;
	*) "$@" -g -w -Wl,--build-id=sha1 "$programs/coldcalls.c" -o "$tmp/eh/$name" ;;
	esac
	objcopy -S "$tmp/eh/$name" "$tmp/no/$name"
	"$CAIRN" gsym create --quiet --statements "$tmp/eh/$name" -o "$tmp/$name.gsym"
}
build_cold cold "$CC_TARGET" -O2
nm "$tmp/eh/cold" | grep -q ' work[.]cold$' || skip 'this compiler makes no cold parts of coldcalls.c'

{
	echo 'set breakpoint pending on'
	for name in main note mend work spread work.cold spread.cold; do
		echo "echo $name\\040"
		echo "break $name"
	done
	awk '/^\t/ { print "echo " FNR "\\040\nbreak coldcalls.c:" FNR }' "$programs/coldcalls.c"
	echo 'info breakpoints'
} >"$tmp/asked"
places() {
	awk '/^[^ ]+ +Breakpoint [0-9]+ at/ { sub(/[.]$/, ""); sub(/: .*[(]/, " ("); print $1, $5, $6, $7 }
	     /^[0-9]+[.][0-9]+ / { print $1, $3, $5 }'
}
# ask NAME: the same of both
ask() {
	debug without "$tmp/eh/$1" -ex starti -x "$tmp/asked" -ex kill | settle | places >"$tmp/$1.eh"
	debug without "$tmp/no/$1" -ex "source $CAIRN_GDB" -ex starti \
		-ex "cairn add-gsym $tmp/$1.gsym" -x "$tmp/asked" -ex kill | settle | places >"$tmp/$1.no"
	compare_places "$1" 20 "$tmp/eh/$1"
}
ask cold
build_cold frames "$CC_TARGET" -O2 -fno-omit-frame-pointer
ask frames

# No variable, type or argument is there that was made up: in the program alone, and stopped inside.
debug without "$tmp/no/cold" -ex "source $CAIRN_GDB" -ex "cairn add-gsym $tmp/cold.gsym" \
	-ex 'echo begin\n' -ex 'info variables -n' -ex 'info types' -ex 'info functions -n' -ex 'info scope work' \
	-ex 'break mend' -ex 'run 2000' -ex 'info locals' -ex 'info args' -ex 'bt 2' -ex kill |
	settle | sed '1,/^begin/d' >"$tmp/shown"
{
	sed -n '/^All defined variables/,/^All defined functions/p' "$tmp/shown" | grep -v '^$'
	grep -o '^Scope for work contains no locals or arguments' "$tmp/shown"
	grep -o '^No locals\|^No arguments' "$tmp/shown"
	grep '^#' "$tmp/shown" | sed -e 's|at .*/|at |' -e 's/ 0x[0-9a-f]* in / /'
} >"$tmp/seen.no" || :
cat >"$tmp/seen.eh" <<'END'
All defined variables:
All defined types:
All defined functions:
Scope for work contains no locals or arguments
No locals
No arguments
#0  mend () at coldcalls.c:20
#1  work () at coldcalls.c:28
END
compare seen

# claims NAME COUNT: objects of it that name gcc
claims() {
	"$CAIRN" symbols write --for "$tmp/no/$1" "$tmp/$1.gsym" -o "$tmp/$1.object" >/dev/null
	found=$(grep -c -a 'GNU C ' "$tmp/$1.object" || :)
	[ "$found" = "$2" ] || fail "$1: gcc is named $found times"
}
claims cold 1
build_cold plain "$CC_TARGET" -O0
claims plain 0
# without tables of frames GDB guesses these, and must not trust that an epilogue needs no guess
build_cold bare "$CC_TARGET" -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/no/bare"
claims bare 0
command -v "$CLANG" >/dev/null || skip "no $CLANG: what gcc makes is compared"
for level in 0 2; do
	build_cold clang$level "$CLANG" -O$level
	claims clang$level 0
	# by the marks alone
	objcopy --remove-section .comment "$tmp/no/clang$level"
	claims clang$level 0
done

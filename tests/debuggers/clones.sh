#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that the compiler made of others: breakpoints by the names of the source, and on every line,
# are at the same places with symbols from GSYM as with the complete build, and a frame in a cold
# part has the function's own name; so have frames of clones of C++, whose demangled names tell of them.
# The cold part of a function of C++ is not one more place of it.
# Where inlined calls are entered (DW_AT_entry_pc) GSYM does not hold: the complete build is without it.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" objcopy awk nm

build_without_entries clones.c "$tmp/eh/clones" "$CC_TARGET" -O2
objcopy -S "$tmp/eh/clones" "$tmp/no/clones"
"$CAIRN" gsym create --quiet --statements "$tmp/eh/clones" -o "$tmp/clones.gsym"
for suffix in constprop part cold; do
	nm "$tmp/eh/clones" | grep -q "[.]$suffix" || skip "this compiler makes no .$suffix of clones.c"
done

# what each breakpoint is at; lines outside of functions GDB refuses from 16 on, when it knows where these
# were declared, which symbols do not tell
{
	echo 'set breakpoint pending on'
	for name in main refuse weigh report scale check square; do
		printf 'echo %s\\040\nbreak %s\n' "$name" "$name"
	done
	awk '/^\t/ { print "echo " FNR "\\040\nbreak clones.c:" FNR }' "$programs/clones.c"
	echo 'info breakpoints'
} >"$tmp/asked"
places() {
	awk '/^[^ ]+ +Breakpoint [0-9]+ at/ { sub(/[.]$/, ""); sub(/: .*[(]/, " ("); print $1, $5, $6, $7 }
	     /^[0-9]+[.][0-9]+ / { print $1, $3, $5 }'
}
debug without "$tmp/eh/clones" -ex starti -x "$tmp/asked" -ex kill | settle | places >"$tmp/places.eh"
debug without "$tmp/no/clones" -ex "source $CAIRN_GDB" -ex starti \
	-ex "cairn add-gsym $tmp/clones.gsym" -x "$tmp/asked" -ex kill | settle | places >"$tmp/places.no"
compare_places places 40 "$tmp/eh/clones"

# the caller is in the cold part of a function
frames() {
	grep -E '^#' | sed -e 's/ ([^)]*) at/ at/' -e 's|at .*/|at |'
}
debug without "$tmp/eh/clones" -ex 'break report' -ex 'run 400' -ex bt -ex kill | frames >"$tmp/cold.eh"
debug without "$tmp/no/clones" -ex "source $CAIRN_GDB" -ex starti \
	-ex "cairn add-gsym $tmp/clones.gsym" -ex 'break report' -ex 'run 400' -ex bt -ex kill |
	frames >"$tmp/cold.no"
compare cold 4

# demangled names tell of each clone: "ns::weigh(int, int) [clone .constprop.0] [clone .isra.0]"
need c++filt
"$CC_TARGET" -O2 -g -fno-exceptions -Wl,--build-id=sha1 "$programs/clones.cc" -o "$tmp/eh/clonesxx" ||
	skip 'no compiler of C++ here'
objcopy -S "$tmp/eh/clonesxx" "$tmp/no/clonesxx"
"$CAIRN" gsym create --quiet --statements "$tmp/eh/clonesxx" -o "$tmp/clonesxx.gsym"
"$CAIRN" gsym dump "$tmp/clonesxx.gsym" | c++filt | awk -f "$here/breakpad.awk" >"$tmp/clonesxx.sym"
grep -q '\[clone .*\[clone ' "$tmp/clonesxx.sym" || skip 'this compiler makes no clone of a clone of clones.cc'
debug without "$tmp/eh/clonesxx" -ex 'break ns::report' -ex run -ex bt -ex kill | frames >"$tmp/cxx.eh"
debug without "$tmp/no/clonesxx" -ex "source $CAIRN_GDB" -ex starti \
	-ex "cairn add-breakpad $tmp/clonesxx.sym" -ex 'break ns::report' -ex 'run' -ex bt -ex kill |
	frames >"$tmp/cxx.no"
compare cxx 5

# GDB finds functions of C++ by their symbols, too, and would take a symbol of a cold part for one more place.
"$CC_TARGET" -O2 -g -Wl,--build-id=sha1 "$programs/members.cpp" -lstdc++ -o "$tmp/eh/members"
objcopy -S "$tmp/eh/members" "$tmp/no/members"
"$CAIRN" gsym create --quiet --statements "$tmp/eh/members" -o "$tmp/members.gsym"
"$CAIRN" gsym dump "$tmp/members.gsym" | c++filt | awk -f "$here/breakpad.awk" >"$tmp/members.sym"
nm "$tmp/eh/members" | grep -q '_ZN4shop5scale5totalEl[.]cold$' || skip 'this compiler makes no cold parts of members.cpp'
names='shop::scale::total shop::scale::reset shop::walk shop::box<long>::fetch shop::box<long>::as<int>
	shop::square::area shop::square::~square other::total total weigh measure refuse main'
{
	for name in $names; do
		printf '%s\n' "break $name" "tbreak $name"
	done
	printf '%s\n' 'rbreak scale::total' 'rbreak ^refuse' 'info breakpoints'
	for name in $names; do
		printf '%s\n' "echo <$name>\\n" "list $name" "info line $name"
	done
	echo kill
} >"$tmp/asked"
# looks: breakpoints with their places, and which lines `list` and `info line` show of each name, in whatever order
looks() {
	settle | awk '
		/^[0-9]+([.][0-9]+)? +(breakpoint|y) / { sub(/ in .*/, ""); print; next }
		/^</ { name = $0 }
		name && /^([0-9]+\t|Line |No line )/ { sub(/ of "[^"]*"/, ""); sub(/ and ends.*/, ""); if (/ address /) sub(/ <.*/, ""); print name, $0 }' | sort
}
for which in eh no; do
	give='echo complete\n'
	[ $which = eh ] || give="cairn add-gsym $tmp/members.gsym"
	{
		printf '%s\n' "source $CAIRN_GDB" starti "$give"
		cat "$tmp/asked"
	} >"$tmp/each"
	debug_each without "$tmp/$which/members" "$tmp/each" | looks >"$tmp/members.$which"
done
compare members 180

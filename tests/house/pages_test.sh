#!/bin/sh
# SPDX-License-Identifier: MIT
# Does pages.sh notice what is wrong with a page: pages_test.sh SOURCE BUILD
#
# The tour is followed with one thing broken: the name of a function, a line, an inlined call that is left out, a
# file, and a program in which a function has another name.  What differs by nature is not noticed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$1" && pwd) build=$2
. "$(dirname "$0")/../lib/test.sh"

# follow EXPECTED NAME: tour.md of the directory of this test; EXPECTED is a number of commands
follow() {
	"$here/pages.sh" "$work/clone" "$build" "$work/tour.md" >"$work/log" 2>&1
	status=$?
	[ $status != 77 ] || {
		cat "$work/log"
		exit 77
	}
	tail -n 1 "$work/log" | grep -q ", $1 different\$" && [ $((status != 0)) = $(($1 != 0)) ] || {
		echo "pages notices: $2: not $1 commands are different, or status $status"
		cat "$work/log"
		exit 1
	}
}

# broken EXPECTED NAME EXPRESSION: the tour after a change by sed
broken() {
	sed "$3" "$source/docs/tour.md" >"$work/tour.md"
	! cmp -s "$source/docs/tour.md" "$work/tour.md" || {
		echo "pages notices: $2: nothing was changed"
		exit 1
	}
	follow "$1" "$2"
}

mkdir "$work/clone"
ln -s "$source"/* "$work/clone"
broken 0 'other addresses, processes and threads' 's/0x00005[0-9a-f]*/0x1234/; s/LWP [0-9]*/LWP 1/'
broken 1 'a function in an answer of the command line' '0,/^#2 .* order_total (\.\.\.) at/s//#2  0x1 in other_total (...) at/'
broken 2 'a function in GDB' 's/in order_total ()/in other_total ()/'
broken 2 'a line in GDB' 's/main () at \(.*\):44$/main () at \1:45/'
broken 1 'an inlined call that is missing' '/#0\.1 /d'
broken 1 'a line that nobody printed' 's/^Saved corefile core$/warning: Memory read failed for corefile section, 4096 bytes at 0xffffffffff601000.\n&/'
broken 1 'a file that is not there' 's/^shop\.gsym$//'
rm "$work/clone/docs"
mkdir -p "$work/clone/docs/examples"
sed 's/order_total/orders_total/' "$source/docs/examples/shop.c" >"$work/clone/docs/examples/shop.c"
cp "$source/docs/tour.md" "$work/tour.md"
follow 5 'a program with another function'
echo 'each was noticed'

# SPDX-License-Identifier: MIT
# Sourced by the tests of GDB and of LLDB: what answers have in common.  NAME.gdb are the commands, and NAME.out
# the answers of both debuggers to them, after each command as GDB shows it.

# find_line SOURCE NAME: where the function begins, as debuggers count; or where ring.c asks for the mark
find_line() {
	case $1:$2 in
	ring.c:mark) grep -n 'place = mark()' "$programs/$1" | cut -d: -f1 ;;
	ring.c:twice) grep -n 'return twice' "$programs/$1" | cut -d: -f1 ;;
	*) echo $(($(grep -nE "^(KEEP|int) .*[ *]?$2[(]" "$programs/$1" | cut -d: -f1) + 1)) ;;
	esac
}

# fill_lines SOURCE NAME...: "@NAME@" of the standard input becomes the line of that function
fill_lines() {
	source=$1
	shift
	: >"$tmp/fill"
	for each; do
		echo "s/@$each@/$(find_line "$source" "$each")/g" >>"$tmp/fill"
	done
	sed -f "$tmp/fill"
}

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

# mask_answers: no addresses, no amounts of memory, no columns behind them, and not how the module of an address is
# called, which GDB does not know at first; no frames of the debugger itself, and no lines of the source
mask_answers() {
	sed -e 's/0x[0-9a-f]*/ADDRESS/g' -e 's/in [0-9]* bytes/in N bytes/' -e 's/"searched":[0-9]*/"searched":N/' \
		-e 's/"bytes":"[0-9a-f]*"/"bytes":"HEX"/g' -e 's/"copies":[0-9]*/"copies":N/g' \
		-e 's/([^()]*ring+ADDRESS)/(ADDRESS+ADDRESS)/' -e 's/"column":[0-9][0-9]/"column":N/' \
		-e 's/"name":"[^"]*\(ring\|ADDRESS\)",/"name":"RING",/' -e '/^[0-9]/d' \
		-e '/^#[01]  \(ADDRESS in run\|stop_here\|ADDRESS in main\) (/d'
}

# SPDX-License-Identifier: MIT
# Where GDB puts breakpoints: for breakpoints.sh and producers.sh, sourced after tests/debuggers/lib.sh.

# list_lines PROGRAM: every FILE:LINE of its line tables
list_lines() {
	"${DWARFDUMP:-llvm-dwarfdump-19}" --debug-line "$1" | awk '
		/^debug_line\[/ { split("", file); k = -1 }
		/name: / { gsub(/"/, "", $2); n = split($2, part, "/"); file[++k] = part[n] }
		/^0x/ && $2 > 0 && $4 in file { print file[$4] ":" $2 }' | sort -u
}

# places: of what GDB printed, what was asked, the first address, and how many places there are
places() {
	sed -nE 's/^([^ ]+) +Temporary breakpoint [0-9]+ at (0x[0-9a-f]+)(:.*[(]([0-9]+) locations[)])?.*/\1 \2 \4/p'
}

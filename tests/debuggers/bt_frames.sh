# SPDX-License-Identifier: MIT
# Sourced by the tests that compare cairn bt with GDB: both in one form. $tmp is their directory.

# Each frame as "THREAD LEVEL FUNCTION FILE:LINE": the file by its name alone, threads in the
# order in which they began. A name stops where its parameters begin. GDB adds frames of tail calls, which are nowhere
# on the stack and which cairn does not show: they are left out.  Of the names of one function in the
# symbol table the first counts: GDB prefers that of DWARF, which has no word for a part (`.part.0`, `.cold`).
settle() {
	awk -v aliases="$tmp/aliases" '
	BEGIN { while ((getline each < aliases) > 0) { split(each, pair, " "); first[pair[1]] = pair[2] } }
	function flush() { if (held != "") print thread, level++, held; held = "" }
	/^Thread / {
		flush()
		level = 0
		match($0, /(LWP|process) [0-9]+/) # GDB of a static program without threads
		thread = substr($0, RSTART, RLENGTH)
		sub(/.* /, "", thread)
		next
	}
	/^ tail call frame/ { held = ""; next }
	!/^#/ || thread == "" { next }
	{
		flush()
		line = $0
		sub(/^#[0-9]+ +/, "", line)
		sub(/^0x[0-9a-f]+ (\[PAC\] )?in /, "", line)
		sub(/ \[frame-pointer\]$/, "", line) # see accept_guess
		place = "-"
		if (match(line, / at [^ ]*:[0-9]+$/)) {
			place = substr(line, RSTART + 4)
			sub(/.*\//, "", place)
		}
		sub(/ ?\(.*/, "", line)
		sub(/__libc_start_main_impl/, "__libc_start_main", line) # two names of one function
		while (sub(/\.([0-9]+|cold|part|isra|constprop|lto_priv)$/, "", line)) { }
		if (line in first) line = first[line]
		if (line ~ /^<signal handler called>/) line = "signal"
		held = line " " place
	}
	END { flush() }' |
		awk '{ row[NR] = $0; id[NR] = $1; if ($1 > last) last = $1 }
		END { for (i = 1; i <= NR; i++) { # numbers of threads begin again at pid_max
			if (last - id[i] > 16384) sub(/^[0-9]+/, id[i] + 4194304, row[i])
			print row[i] } }' | sort -n -s -k 1,2 |
		awk '$1 != last { last = $1; rank++ } { $1 = rank; print }'
}

# The debug files of the libraries of $1, as far as they are installed.
list_debug_files() {
	ldd "$1" 2>"$tmp/ldd" | awk '/=> \// { print $3 }' | while read -r library; do
		id=$(readelf -n "$library" 2>"$tmp/readelf" | awk '/Build ID/ { print $3; exit }')
		file=/usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug
		[ ! -f "$file" ] || echo "$file"
	done
}

# The first name of each function that has several in a symbol table: of $1, and without $2, an nm for its machine, also
# of the libraries of $1.
list_aliases() {
	{
		"${2:-nm}" -n "$1"
		[ $# -gt 1 ] || list_debug_files "$1" | while read -r file; do nm -n "$file"; done
	} | awk 'NF == 3 && tolower($2) ~ /[tw]/ {
		while (sub(/\.([0-9]+|cold|part|isra|constprop|lto_priv)$/, "", $3)) { }
		if ($1 != address) { address = $1; name = $3 }
		print $3, name }' | sort -u -k 1,1 >"$tmp/aliases"
}

# accept_guess: in code of i386 without tables the first step along the frame pointer is a guess, because nothing follows the
# code; a mark and the exit status say so
accept_guess() {
	if [ "$kind${narrow:-0}" = pointers1 ] && [ "$(cat "$tmp/errors")" = 'exit status 1' ] &&
		grep -q ' \[frame-pointer\]$' "$tmp/bt"; then
		: >"$tmp/errors"
	fi
}

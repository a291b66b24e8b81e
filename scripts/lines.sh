#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Counts the product's lines of C and C++ by directory, without comments, blank lines and the public headers, at one commit
# or at two beside each other.
#
#	lines.sh [COMMIT [COMMIT]]
set -eu
cd "$(dirname "$0")/.."
. scripts/checkout.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count COMMIT: "directory lines" for each directory below core/ and plugin/.
count() {
	mkdir "$work/tree"
	own_git archive "$1" core plugin | tar -x -C "$work/tree"
	(cd "$work/tree" && find core plugin \( -name '*.[ch]' -o -name '*.cpp' \) ! -path 'core/include/*' | LC_ALL=C sort |
		xargs awk '
		FNR == 1 {
			split(FILENAME, part, "/")
			folder = part[1] "/" part[2]
			comment = 0
		}
		# A string may hold what looks like a comment.
		{
			gsub(/"([^"\\]|\\.)*"/, "\"\"")
			if (comment && !sub(/^.*\*\//, "")) next
			comment = 0
			gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "")
			sub(/\/\/.*/, "")
			comment = sub(/\/\*.*/, "")
			if (/[^ \t]/) lines[folder]++
		}
		END { for (folder in lines) print folder, lines[folder] }')
	rm -r "$work/tree"
}

count "${1:-HEAD}" >"$work/first"
count "${2:-${1:-HEAD}}" >"$work/second"
LC_ALL=C awk -v two="$#" '
function row(folder, old, new) {
	if (two > 1) printf "%s %d %d %+d\n", folder, old, new, new - old
	else printf "%s %d\n", folder, old
}
FNR == NR { before[$1] = $2; all[$1]; old += $2; next }
{ after[$1] = $2; all[$1]; new += $2 }
END {
	for (folder in all) row(folder, before[folder], after[folder])
	row("~all", old, new)
}' "$work/first" "$work/second" | LC_ALL=C sort | sed 's/^~//'

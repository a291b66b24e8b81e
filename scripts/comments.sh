#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws comments of the product to be read aloud: scripts/comments.sh SEED [COUNT].
#
# COUNT (default 40) comments of core and plugin are drawn at random by SEED, each with its place.  The same tree and
# seed give the same comments.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || {
	echo 'usage: scripts/comments.sh SEED [COUNT]' >&2
	exit 2
}
export LC_ALL=C
find core plugin \( -name '*.[ch]' -o -name '*.cpp' \) | sort | xargs awk '
FNR == 1 { inside = 0 }
{
	line = $0
	if (!inside && (at = index(line, "/*")) > 0) {
		inside = 1
		place = FILENAME ":" FNR
		text = ""
		line = substr(line, at + 2)
	}
	if (!inside)
		next
	if ((at = index(line, "*/")) > 0) {
		line = substr(line, 1, at - 1)
		inside = 0
	}
	sub(/^[ \t]*\*? ?/, "", line)
	text = text " " line
	if (!inside && length(text) > 25 && text !~ /SPDX/)
		print place ":" text
}' | awk -v seed="$1" -v count="${2:-40}" '
BEGIN { srand(seed) }
{ comment[NR] = $0 }
END {
	for (left = NR; left > 0 && count-- > 0; left--) {
		at = int(rand() * left) + 1
		print comment[at]
		comment[at] = comment[left]
	}
}' | sort

#!/bin/sh
# SPDX-License-Identifier: MIT
# document.sh DOCUMENT [--accept]
#
# Each transcript in the document, between "<!-- transcript CASE -->" and "<!-- end -->", shows commands
# of a session with their real output. Masked as transcripts.sh masks a session, they and their output
# appear in CASE.out, in this order; a page may omit commands. --accept rewrites the output from live
# sessions of this machine (see transcripts.sh for the requirements).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mask.sh"
. "$(dirname "$0")/../../lib/test.sh"

# blocks FILE: each command of a session and its output as one line, with \001 for line feeds
blocks() {
	awk '/^\(gdb\) / && NR > 1 { print "" } { printf "%s\001", $0 } END { print "" }' "$1"
}

# find_blocks COMPARE SESSION EXCERPT: Print the blocks of the session that the excerpt names, in its order. The
# blocks must be equal (COMPARE = 1), or have the same command. Fail at the first block without a match.
find_blocks() {
	blocks "$2" >"$work/all_blocks"
	blocks "$3" >"$work/some_blocks"
	awk -v compare="$1" '
		function key(block) { if (!compare) sub(/\001.*/, "", block); return block }
		function show(block) { gsub(/\001/, "\n", block); printf "%s", block }
		FILENAME == ARGV[1] { wanted[++count] = $0; next }
		found < count && key($0) == key(wanted[found + 1]) { show($0); found++ }
		END {
			if (found < count) { printf "not in the session: "; show(wanted[found + 1]); exit 1 }
		}' "$work/some_blocks" "$work/all_blocks"
}

# The cases in their order, and the text of each in $work/CASE.
awk -v work="$work" '
	/^<!-- transcript .* -->$/ { file = work "/" $3; print $3; inside = 1; next }
	/^<!-- end -->$/ { inside = 0 }
	inside && !/^```$/ { print > file }' "$1" >"$work.cases"
mv "$work.cases" "$work/cases"
[ "$(wc -l <"$work/cases")" -ge 5 ] || {
	echo "$1: transcripts are missing"
	exit 1
}

if [ "${2:-}" = --accept ]; then
	while read -r case; do
		sh "$here/transcripts.sh" --show "$case" >"$work/shown"
		find_blocks 0 "$work/shown" "$work/$case" >"$work/excerpt"
		mv "$work/excerpt" "$work/$case"
	done <"$work/cases"
	awk -v work="$work" '
		/^<!-- end -->$/ { skipping = 0 }
		!skipping { print }
		/^<!-- transcript .* -->$/ {
			print "```"
			while ((getline line < (work "/" $3)) > 0) print line
			print "```"
			skipping = 1
		}' "$1" >"$work/document"
	cat "$work/document" >"$1"
fi

result=0
while read -r case; do
	if grep -n '0xN' "$work/$case"; then
		echo "$1: the transcript $case has masked values"
		result=1
	fi
	mask_values <"$work/$case" >"$work/masked"
	find_blocks 1 "$here/$case.out" "$work/masked" >"$work/found" || {
		echo "$1: $case"
		sed -n '/^not in the session/,$p' "$work/found"
		result=1
	}
done <"$work/cases"
[ $result != 0 ] || echo "$(wc -l <"$work/cases") transcripts equal"
exit $result

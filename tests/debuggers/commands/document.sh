#!/bin/sh
# SPDX-License-Identifier: MIT
# document.sh DOCUMENT [--accept]
#
# Each transcript in the document, between "<!-- transcript CASE -->" and "<!-- end -->", shows a
# session with its real values.  Masked as transcripts.sh masks a session, it equals CASE.out.
# --accept writes all of them anew, from live sessions of this machine (see transcripts.sh for what
# that needs).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mask.sh"
. "$(dirname "$0")/../../lib/test.sh"

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
		sh "$here/transcripts.sh" --show "$case" >"$work/$case"
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
	diff -u "$here/$case.out" "$work/masked" || result=1
done <"$work/cases"
[ $result != 0 ] || echo "$(wc -l <"$work/cases") transcripts equal"
exit $result

#!/bin/sh
# SPDX-License-Identifier: MIT
# document.sh DOCUMENT [--accept]: each transcript in the document equals the golden one.  It stands
# between "<!-- transcript CASE -->" and "<!-- end -->"; --accept writes them all anew.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
made=$(mktemp "${TMPDIR:-/tmp}/document.XXXXXX")
trap 'rm -f "$made"' EXIT
awk -v here="$here" '
	/^<!-- end -->$/ { skipping = 0 }
	!skipping { print }
	/^<!-- transcript .* -->$/ {
		file = here "/" $3 ".out"
		print "```"
		while ((got = (getline line < file)) > 0) { print line; any++ }
		print "```"
		if (got < 0) { print "no " file > "/dev/stderr"; exit bad = 1 }
		skipping = 1
		count++
	}
	END { exit bad || count < 5 || any < 50 }' "$1" >"$made" || {
	echo "$1: transcripts are missing"
	exit 1
}
if [ "${2:-}" = --accept ]; then
	cat "$made" >"$1"
else
	diff -u "$1" "$made"
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# What `info files` of several versions of GDB printed, against what its README says is in it.
#
# What counts as one case: of each info-files.*.txt the number of modules, the range and the four
# sections of each, and every promise of the README.
set -u
folder=$1
files=${FILES:-$CAIRN_BUILD/tests/conformance/files}

if [ ! -x "$files" ]; then
	echo "gdb: skipped, no program $files"
	exit 0
fi
for transcript in "$folder"/info-files.*.txt; do
	[ -f "$transcript" ] || continue
	name=$(basename "$transcript")
	"$files" "$transcript" >"$WORK/got" || echo "gdb: $name: the program exits with $?"
	awk -v name="$name" -f "$TESTS/conformance/gdb.awk" "$folder/README.md" \
		role=transcript "$transcript" role=got "$WORK/got" ||
		echo "gdb: $name: not compared"
done | awk '
	$1 == "PASS" { passed += $2; next }
	{ print }
	/^gdb: / { failed++ }
	END {
		printf "gdb: %d passed, %d failed\n", passed, failed
		exit failed > 0
	}'

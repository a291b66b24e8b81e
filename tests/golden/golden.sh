#!/bin/sh
# SPDX-License-Identifier: MIT
# golden.sh CAIRN [--accept] [CASE...]
#
# Runs each CASE.cmd beside this script, or those named, and compares what was printed, standard
# output and error together, and the exit status with CASE.out.  --accept writes CASE.out instead:
# read the difference before you commit it.
#
# A .cmd is shell: `cairn` is the program, the working directory is tests/fixtures, and a first line
# "# needs libdw" passes over the case when $LIBDW is "no".
set -u
LC_ALL=C
export LC_ALL

usage() {
	echo "usage: golden.sh CAIRN [--accept] [CASE...]" >&2
	exit 2
}

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ $# -eq 0 ] || [ ! -x "$1" ]; then
	usage
fi
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
accept=no
if [ "${1:-}" = --accept ]; then
	accept=yes
	shift
fi
if [ $# -eq 0 ]; then
	for command in "$here"/*.cmd; do
		set -- "$@" "$(basename "$command" .cmd)"
	done
fi

cairn() {
	"$program" "$@"
}

run() {
	(
		cd "$here/../fixtures" || exit 2
		# shellcheck source=/dev/null
		. "$here/$1.cmd"
	) 2>&1
	echo "exit status $?"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/golden.XXXXXX") || exit 2
got=$work/got
export XDG_CACHE_HOME="$work/cache"
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM

passed=0
failed=0
skipped=0
for case in "$@"; do
	if [ "${LIBDW:-yes}" = no ] && grep -q '^# needs libdw' "$here/$case.cmd"; then
		skipped=$((skipped + 1))
		continue
	fi
	run "$case" >"$got"
	if [ "$accept" = yes ]; then
		cmp -s "$got" "$here/$case.out" || cp "$got" "$here/$case.out"
	elif diff -u "$here/$case.out" "$got"; then
		passed=$((passed + 1))
	else
		echo "golden: $case: differs from $case.out"
		failed=$((failed + 1))
	fi
done
[ "$accept" = yes ] || echo "golden: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

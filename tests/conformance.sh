#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs cairn over data that says what must come out: tests/conformance.sh [DIR].
#
# Each directory of DIR is a format, with a README that describes its files, and is checked by
# tests/conformance/FORMAT.sh; to add a format, add that script.  It is called with the directory, and
# with these in the environment:
#
#	CAIRN        the program
#	CAIRN_BUILD  the build directory, absolute, for test programs
#	TESTS        the directory of this script
#	WORK         an empty directory of its own
#
# It prints one line for each failure, "FORMAT: FILE: WHERE: expected ..., got ...", at the end
# "FORMAT: N passed, N failed", and exits with 1 when anything failed.
#
# DIR is ../shared/conformance beside the repository unless it is given; the build directory is
# $CAIRN_BUILD, or "build" in the repository.
set -u
LC_ALL=C
export LC_ALL

TESTS=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$(dirname "$TESTS")
dir=${1:-$root/../shared/conformance}
if [ ! -d "$dir" ]; then
	echo "conformance: skipped, no folder $dir"
	exit 77
fi
dir=$(cd "$dir" && pwd) || exit 2
CAIRN_BUILD=$(cd "${CAIRN_BUILD:-$root/build}" && pwd) || exit 2
CAIRN=$CAIRN_BUILD/core/cli/cairn
if [ ! -x "$CAIRN" ]; then
	echo "conformance: no program $CAIRN; build it, or set CAIRN_BUILD"
	exit 2
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/conformance.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' HUP INT TERM
# conversions and indexes of this run alone
XDG_CACHE_HOME=$scratch/cache
export CAIRN CAIRN_BUILD TESTS WORK XDG_CACHE_HOME

result=0
for folder in "$dir"/*/; do
	format=$(basename "$folder")
	check=$TESTS/conformance/$format.sh
	if [ -f "$check" ]; then
		WORK=$scratch/$format
		mkdir "$WORK"
		sh "$check" "${folder%/}" || result=1
		rm -rf "$WORK"
	else
		echo "$format: skipped, no checks for this format"
	fi
done
exit $result

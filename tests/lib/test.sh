#!/bin/sh
# SPDX-License-Identifier: MIT
# What most tests begin with, to be read by "." before anything else: a folder of the test's own in `work`, which is
# removed at the end; `failed`, which a test ends with as its status; and these functions.
# shellcheck disable=SC2034 # for who reads this

test_name=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-$test_name.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# fail WORD...: says what is not as it should be, and the test goes on.
fail() {
	echo "$test_name: $*"
	failed=1
}

# skip WHY: ends the test, which could not run here.
skip() {
	echo "skipped: $*"
	exit 77
}

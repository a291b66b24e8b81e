#!/bin/sh
# SPDX-License-Identifier: MIT
# apart.sh BUILD: nothing of tests/bench is built with everything else.
set -eu
inputs=$(ninja -C "$1" -t inputs all 2>/dev/null) || {
	echo 'skipped: this ninja does not list what a target needs'
	exit 77
}
echo "$inputs" | grep -q core/cli || { echo 'the list of all that is built is not one'; exit 1; }
! echo "$inputs" | grep tests/bench

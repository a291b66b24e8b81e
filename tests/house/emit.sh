#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does a program tell where it crashed, so that cairn names the functions and lines?
#
#	emit.sh CRASH CAIRN
crash=$1
cairn=$2
. "$(dirname "$0")/../lib/test.sh"
ulimit -c 0

# $1: an argument or none; $2: the function that crashes; $3: how many lines above it work() calls
check() {
	"$crash" $1 >"$work/log" 2>&1
	grep -q '^{{{reset}}}$' "$work/log" || { echo "no markup:"; cat "$work/log"; exit 1; }
	"$cairn" markup --exe "$crash" "$work/log" >"$work/out" 2>"$work/errors"
	for line in 'working' ' #0  .* break_down .*crash\.c:' ' #1  .* work .*crash\.c:' \
		' #2  .* main .*crash\.c:'; do
		grep -q "$line" "$work/out" && continue
		echo "no line '$line':"
		cat "$work/log" "$work/out" "$work/errors"
		exit 1
	done
	if grep -q '{{{' "$work/out"; then
		echo "something was not understood:"
		cat "$work/out" "$work/errors"
		exit 1
	fi
}

readelf -n "$crash" 2>/dev/null | grep -q 'Build ID' || { echo "the program has no build ID"; exit 77; }
check
check x

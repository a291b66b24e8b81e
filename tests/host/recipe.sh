#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/cores-to-json.sh over a folder with two cores and a file that is none.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy
build sample.c sample -g -pthread -O1
mkdir "$tmp/cores"
debug without "$tmp/no/sample" -ex 'run abort' -ex "generate-core-file $tmp/cores/1" >/dev/null
debug without "$tmp/no/sample" -ex 'break stop_here' -ex 'run recurse' \
	-ex "generate-core-file $tmp/cores/2" >/dev/null
echo 'no core' >"$tmp/cores/3"
sh "$here/../../scripts/cores-to-json.sh" "$tmp/cores" "$tmp/no/sample" >"$tmp/out"

expect() {
	sed -n "$1p" "$tmp/out" | grep -q "$2" || {
		cat "$tmp/out"
		fail "line $1 has no $2"
	}
}
[ "$(wc -l <"$tmp/out")" = 3 ] || fail 'not one line for each file'
expect 1 '"signal":"SIGABRT","frames":\[{"level":0,'
expect 1 '"function":"die"'
expect 1 '"function":"main"'
expect 2 '"function":"recurse"'
expect 2 '"function":"main"'
expect 3 '"error":"no stack"}$'
echo 'three lines'

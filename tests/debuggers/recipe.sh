#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/cores-to-json.sh over a directory with two cores, a damaged one, and files that are not cores.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy
build sample.c sample -g -pthread -O1
mkdir "$tmp/cores"
debug without "$tmp/no/sample" -ex 'run abort' -ex "generate-core-file $tmp/cores/1" >/dev/null
debug without "$tmp/no/sample" -ex 'break stop_here' -ex 'run recurse' \
	-ex "generate-core-file $tmp/cores/2" >/dev/null
head -c 200 "$tmp/cores/1" >"$tmp/cores/3" # the header and no more
echo 'no core' >"$tmp/cores/4"
cp "$tmp/no/sample" "$tmp/cores/5"
: >"$tmp/cores/6"
recipe=$(cd "$here/../../scripts" && pwd)/cores-to-json.sh
export CAIRN
sh "$recipe" "$tmp/cores" "$tmp/no/sample" >"$tmp/out"

expect() {
	sed -n "$1p" "$tmp/out" | grep -q "$2" || {
		cat "$tmp/out"
		fail "line $1 has no $2"
	}
}
[ "$(wc -l <"$tmp/out")" = 3 ] || fail 'not one line for each core'
expect 1 '"signal":"SIGABRT","frames":\[{"level":0,'
expect 1 '"function":"die"'
expect 1 '"function":"main"'
expect 2 '"function":"recurse"'
expect 2 '"function":"main"'
expect 3 '"error":"no stack"}$'

# A relative program, with and without a slash, and a directory and a program with a blank.
mkdir "$tmp/with a blank"
cp "$tmp/no/sample" "$tmp/cores/1" "$tmp/with a blank"
(cd "$tmp" && sh "$recipe" 'with a blank' 'with a blank/sample') >"$tmp/out"
expect 1 '"function":"main"'
(cd "$tmp/no" && sh "$recipe" ../cores sample) >"$tmp/out"
expect 2 '"function":"main"'
(cd "$tmp/no" && sh "$recipe" "$tmp/with a blank") >"$tmp/out"
expect 1 '"function":"main"'
echo 'three lines'

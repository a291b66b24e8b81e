#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `go tool pprof` read what `cairn profile convert` writes, with the names, the values and the labels?
#
#	pprof.sh CAIRN PROFILED
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
profiled=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$work" || exit 2
go tool pprof -h >help 2>&1
grep -q -e -raw help || skip "go tool pprof is not there: scripts/setup.sh --profiles installs it"
export HOME="$work" PPROF_TMPDIR="$work"

for way in '' loose last odd; do
	# shellcheck disable=SC2086 # no word, or one
	"$profiled" profile $way
	"$cairn" profile convert --quiet -o named.pb.gz profile || fail "$way: not written"
	go tool pprof -symbolize=none -raw named.pb.gz >raw 2>errors || { fail "$way: not read"; cat errors; }
	grep -q 'M=1 innermost_inlined .*/profiled.c:[0-9]* s=0$' raw || { fail "$way: no inlined call"; cat raw; }
	grep -q '^ *hot_function .*/profiled.c:[0-9]* s=0$' raw || fail "$way: no caller of it"
	grep -q '^ *3 *30000000: 1 2 3 ' raw || fail "$way: other values"
	grep -q '^1: .*/profiled [0-9a-f]* \[FN\]' raw || fail "$way: the program is not the first mapping"
	go tool pprof -symbolize=none -traces named.pb.gz >traces 2>errors
	grep -q 'outer_function$' traces || fail "$way: no traces"
done
grep -q 'thread' raw || fail 'a label is lost'

# a message of OpenTelemetry as a profile of pprof
"$profiled" profile otlp
"$cairn" profile convert --quiet --to pprof -o named.pb.gz profile || fail 'a message: not written'
go tool pprof -symbolize=none -raw named.pb.gz >raw 2>errors || { fail 'a message: not read'; cat errors; }
grep -q 'M=1 innermost_inlined .*/profiled.c:[0-9]* s=0$' raw || { fail 'a message: no inlined call'; cat raw; }
grep -q '^ *30000000: 1 2 3 ' raw || { fail 'a message: other values'; cat raw; }
grep -q '^1: .*/profiled [0-9a-f]* \[FN\]' raw || fail 'a message: the program is not the first mapping'
exit $failed

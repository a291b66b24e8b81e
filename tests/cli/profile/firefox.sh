#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Has what `cairn profile convert --to firefox` writes the fields of the Firefox Profiler, and the same stacks and sums as folded
# text, for profiles of each format, with names that JSON has to escape?
#
#	firefox.sh CAIRN PROFILED CHECK_FIREFOX
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
profiled=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
check=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
corpus=$(cd "$(dirname "$0")/../../fuzz/corpus" && pwd)
cd "$work" || exit 2

# add_up DIVISOR: sums of equal stacks, in order; folded text has '_' for blanks and what cannot be shown
add_up() {
	awk -v divisor="$1" '{
		value = $NF
		sub(/ [-0-9.]+$/, "")
		gsub(/ /, "_")
		sum[$0] += value / divisor
	}
	END { for (stack in sum) if (stack != "") printf "%s %.3f\n", stack, sum[stack] }' | LC_ALL=C sort
}

# same WHAT DIVISOR FILE [OPTION...]
same() {
	what=$1 divisor=$2
	shift 2
	"$cairn" profile convert --quiet --to folded "$@" >folded || fail "$what: no folded text"
	"$cairn" profile convert --quiet -o out.json "$@" || fail "$what: not written"
	"$check" <out.json >stacks || fail "$what: not as the Firefox Profiler wants it"
	add_up "$divisor" <folded >wanted
	add_up 1 <stacks >got
	[ -s wanted ] || fail "$what: no stacks"
	cmp -s wanted got || { fail "$what: other stacks"; diff wanted got | head -n 5; }
}

"$profiled" profile odd
same 'pprof, of its default' 1 profile
same 'pprof, of time' 1000000 --sample-type cpu profile
grep -q '"weightType":"tracing-ms"' out.json || fail 'time has no unit'
"$profiled" message otlp
same 'OpenTelemetry' 1 message
for recording in pipe packed copied-stacks; do
	same "$recording" 1 "$corpus/perfdata/$recording"
done
[ "$("$cairn" profile convert --quiet --to firefox "$corpus/perfdata/pipe" | grep -o '"isMainThread"' | wc -l)" = 2 ] ||
	fail 'there are two threads'
"$cairn" profile convert --quiet -o out.json.gz profile || fail 'a packed file is not written'
gzip -dc out.json.gz | "$check" >/dev/null || fail 'a packed file'
"$cairn" profile convert --quiet --to firefox --sample-type none profile >out 2>errors
[ $? = 3 ] && grep -q 'no values of this type' errors || fail 'a type that is not there'
exit $failed

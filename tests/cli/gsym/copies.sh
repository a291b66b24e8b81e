#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions of a header in many units of C++, of which the linker keeps one: copies.sh CAIRN
# Each unit describes the function that was kept.  Only the description in the first unit is read whole.  --verify reads
# all of them again, without that, and holds them against the file.
set -u
cairn=$(realpath "$1")
: "${CXX:=c++}"
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
command -v "$CXX" >/dev/null || skip "no compiler of C++"

cat >header.h <<'S'
template <typename T> struct counter {
	T sum = 0;
	static inline T twice(T value) { return value * 2 + 1; }
	__attribute__((noinline)) T add(T value)
	{
		auto square = [](T x) __attribute__((noinline)) { return x * x; };
		for (T i = 0; i < value; i++)
			sum += twice(square(i)) / (i + 1);
		return sum;
	}
	__attribute__((noinline)) T never(T value) { return twice(value) + add(value); }
};
S
units=12
calls=
for n in $(seq $units); do
	cat >"unit$n.cc" <<S
#include "header.h"
struct local$n { int a[$n]; int get(int i) { auto f = [&](int j) { return a[j % $n]; }; return f(i); } };
int call$n(int value)
{
	local$n here = {};
	counter<long> a;
	counter<int> b;
	return (int)a.add(value) + b.never(value) + here.get(value);
}
S
	calls="$calls + call$n(argc)"
	"$CXX" -std=c++17 -O2 -g -c -o "unit$n.o" "unit$n.cc" || skip "unit$n.cc cannot be compiled"
done
{
	seq $units | sed 's/.*/int call&(int);/'
	echo "int main(int argc, char **) { return 0$calls; }"
} >main.cc
"$CXX" -std=c++17 -O2 -g -o program main.cc unit*.o || skip "it cannot be linked"

count_of() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$2"
}

for flags in "" --statements --call-sites --merged-functions; do
	for jobs in 1 2 5; do
		# shellcheck disable=SC2086 # flags are several words
		"$cairn" gsym create --json --verify $flags -j $jobs -o "made$jobs" program >"said$jobs" 2>err || {
			cat err
			fail "create $flags -j $jobs"
		}
		cmp -s made1 "made$jobs" || fail "the file differs with $flags -j $jobs"
		sed 's/made[0-9]/made/' "said$jobs" >"same$jobs"
		cmp -s same1 "same$jobs" || fail "the counts differ with $flags -j $jobs"
	done
done
"$cairn" gsym create --json -o made program >said || fail "create"
repeated=$(count_of "functions given twice" said)
# add() of each of two types in all units but one, never() and what is inside of them
[ "${repeated:-0}" -ge $((2 * (units - 1))) ] || fail "only ${repeated:-none} were given twice"
"$cairn" gsym dump made >text || fail "dump"
grep -q 'counter<long>::add' text || grep -q '_ZN7counterIlE3addEl' text || fail "add() is missing"

"$cairn" symbfile create --quiet -j 1 -o one program || fail "symbfile -j 1"
"$cairn" symbfile create --quiet -j 3 -o three program || fail "symbfile -j 3"
cmp -s one.ranges three.ranges || fail "the symbfiles differ"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files whose items were chosen so that they meet in one place of a hash table take about as much work
# as any others: 200,000 items, in 10 s of a processor, where comparing each with each takes minutes.
#
#	collisions.sh CAIRN MAKER
set -eu
cairn=$1 maker=$2
. "$(dirname "$0")/../lib/test.sh"
tmp=$work

# bounded WHAT COMMAND...: within 10 s of a processor
bounded() {
	what=$1
	shift
	(
		spend 10 "$@"
	) >"$tmp/said" 2>&1 || {
		cat "$tmp/said"
		echo "failed with $what: $*"
		exit 1
	}
}

for kind in names starts files; do
	"$maker" "$kind" 200000 >"$tmp/$kind.sym"
	bounded $kind "$cairn" gsym create --quiet -j 1 "$tmp/$kind.sym" -o "$tmp/$kind.gsym"
	bounded $kind "$cairn" symbfile create --quiet -j 1 "$tmp/$kind.sym" -o "$tmp/$kind"
	bounded $kind "$cairn" symbols write -q --machine amd64 "$tmp/$kind.gsym" -o "$tmp/$kind.o"
done

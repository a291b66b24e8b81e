#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does path_counts.sh notice a path that does a tenth more, and that one alone?  Arguments as there.
set -u
[ $# = 4 ] || exit 2
said=$("$(dirname "$0")/path_counts.sh" "$@" json cbf_decode)
status=$?
[ $status != 77 ] || {
	echo "$said"
	exit 77
}
[ $status = 0 ] || { echo "path_counts_test: it fails as it is"; exit 1; }
out=$(SLOWER=json "$(dirname "$0")/path_counts.sh" "$@" json cbf_decode) && {
	echo "path_counts_test: a slower path was not noticed: $out"
	exit 1
}
[ "$(echo "$out" | grep -c ': is ')" = 1 ] && echo "$out" | grep -q '^json: is slower' || {
	echo "path_counts_test: not what was made slower: $out"
	exit 1
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shell script of the tree can be parsed, those that no test runs too: syntax.sh ROOT.
set -u
. "$(dirname "$0")/../lib/test.sh"
cd "$1" || exit 2

find .ci scripts tests plugin core -type f \( -name '*.sh' -o -name run \) | LC_ALL=C sort >"$work/scripts"
while read -r script; do
	case $(head -n 1 "$script") in '#!/bin/sh'*) ;; *) continue ;; esac
	echo "$script"
	sh -n "$script" 2>"$work/errors" || fail "$script: $(cat "$work/errors")"
done <"$work/scripts" >"$work/parsed"
[ "$(wc -l <"$work/parsed")" -ge 200 ] || fail "only $(wc -l <"$work/parsed") scripts were found"
grep '^syntax:' "$work/parsed"
exit $failed

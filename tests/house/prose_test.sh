#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does prose.sh notice phrases that are too frequent, also where a comment has several lines, and bear those that are rare?
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/core" "$tree/plugin"
failed=0

# comments COUNT TEXT...: so many plain comments, then the others
comments() {
	seq "$1" | sed 's|.*|/* Return the number of row & in the table. */|' >"$tree/core/a.c"
	shift
	printf '%b\n' "$@" >"$tree/plugin/b.h"
}

# check EXPECTED: whether prose.sh succeeds
check() {
	"$here/prose.sh" "$tree" >"$tree/got" && got=yes || got=no
	[ "$got" = "$1" ] || { echo "expected $1: $(cat "$tree/plugin/b.h"; cat "$tree/got")"; failed=1; }
}
comments 1000 ''
check yes
comments 1000 '/* What a row has. */'
check yes # one of a thousand
comments 100 '/* What a row has. */'
check no
comments 1000 '/* Return the row,\n * or NULL if somebody\n * took it. */' '/* or nobody has */'
check no
comments 1000 '/* of the table */'
check no
comments 10 ''
check no # too few were found: the reader of comments is broken
exit $failed

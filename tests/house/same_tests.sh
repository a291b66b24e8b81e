#!/bin/sh
# SPDX-License-Identifier: MIT
# same_tests.sh SOURCE BUILD OPTION...: a build without anything that cairn can do without lists the
# same tests as BUILD.  So what a machine lacks cannot make a test go missing without a word.
set -eu
LC_ALL=C
export LC_ALL
source=$1 build=$2
shift 2
command -v meson >/dev/null || { echo 'skipped: no meson'; exit 77; }
. "$(dirname "$0")/../lib/test.sh"

# names BUILD: of its tests, one a line
names() {
	meson introspect --tests "$1" >"$work/json"
	grep -o '"name": "[^"]*"' "$work/json" | sort
}

meson setup "$work/build" "$source" -Dauto_features=disabled "$@" >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
names "$build" >"$work/here"
names "$work/build" >"$work/there"
[ -s "$work/here" ] || { echo "$build has no tests?"; exit 1; }
diff "$work/here" "$work/there" || { echo 'these tests are not in both'; exit 1; }
echo "$(wc -l <"$work/here") tests in both"

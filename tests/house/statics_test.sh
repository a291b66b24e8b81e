#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does statics.sh notice state that nobody owns, and does it let constants pass?
#
#	statics_test.sh COMPILER...

here=$(cd "$(dirname "$0")" && pwd)
compiler=$*
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/plugin/a" "$tree/docs" "$tree/build"
if ! command -v nm >/dev/null; then
	echo "statics: nm is not there"
	exit 77
fi

# check SOURCE EXPECTED [NAMED]: what statics.sh finds in a file when the page names that.
check() {
	printf '%s\n' "$1" >"$tree/plugin/a/one.c"
	$compiler -fPIC -c "$tree/plugin/a/one.c" -o "$tree/build/one.o" || exit 1
	printf '    "file": "../plugin/a/one.c",\n    "output": "one.o"\n' >"$tree/build/compile_commands.json"
	printf '```statics\n%s\n```\n' "$3" >"$tree/docs/architecture.md"
	got=$("$here/statics.sh" "$tree/build" "$tree") && broken= || broken=yes
	if [ "$got" != "$2" ] || [ "$broken" != "${2:+yes}" ]; then
		echo "source:   $1"
		echo "expected: $2"
		echo "got:      $got"
		failed=1
	fi
}

unnamed='state that docs/architecture.md does not name: plugin/a/one.c'
check 'int f(void) { static const char *const names[] = { "a", "b" }; return names[1][0]; }' ''
check 'int f(void) { static int count; return ++count; }' "$unnamed count"
check 'int f(void) { static int count = 1; return ++count; }' "$unnamed count"
check 'static char *names[] = { "a" }; char *f(int i) { return names[i]; }' "$unnamed names"
check 'struct { int a; } shared; int f(void) { return 1; }' "$unnamed shared"
check 'static _Thread_local int count; int f(void) { return ++count; }' "$unnamed count"
check 'static int count; int f(void) { return ++count; }' '' 'plugin/a/one.c count'
check 'int f(void) { return 1; }' 'docs/architecture.md: no such state: plugin/a/one.c count' \
	'plugin/a/one.c count'

exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does circles.sh notice files that use each other, and a circle that is no more?
#
#	circles_test.sh COMPILER...

here=$(cd "$(dirname "$0")" && pwd)
compiler=$*
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/core/a" "$tree/core/b" "$tree/docs" "$tree/build"
if ! command -v nm >/dev/null; then
	echo "circles: nm is not there"
	exit 77
fi

# source_file PATH TEXT: one file, compiled.
source_file() {
	printf '%s\n' "$2" >"$tree/core/$1"
	$compiler -c "$tree/core/$1" -o "$tree/build/$(echo "$1" | tr / _).o" || exit 1
}

# check EXPECTED [CIRCLE...]: what circles.sh finds when the page names these.
check() {
	expected=$1
	shift
	{
		echo '```circles'
		for circle; do echo "$circle"; done
		echo '```'
	} >"$tree/docs/architecture.md"
	for source in a/one.c a/two.c a/three.c b/four.c; do
		printf '    "file": "../core/%s",\n    "output": "%s.o"\n' "$source" \
			"$(echo "$source" | tr / _)"
	done >"$tree/build/compile_commands.json"
	got=$("$here/circles.sh" "$tree/build" "$tree") && broken= || broken=yes
	if [ "$got" != "$expected" ] || [ "$broken" != "${expected:+yes}" ]; then
		echo "expected: $expected"
		echo "got:      $got"
		failed=1
	fi
}

unnamed='a circle that docs/architecture.md does not name:'
source_file a/one.c 'int two(void); int one(void) { return two(); }'
source_file a/two.c 'int three(void); int two(void) { return three(); }'
source_file a/three.c 'int four(void); int three(void) { return four(); }'
source_file b/four.c 'int one(void); int four(void) { return one(); }'
check '' # folders may not use each other either, but layers.sh looks at that
source_file a/two.c 'int one(void); int two(void) { return one(); }'
check "$unnamed core/a one.c two.c"
check '' 'core/a one.c two.c'
source_file a/two.c 'int three(void); int two(void) { return three(); }'
source_file a/three.c 'int one(void); int three(void) { return one(); }'
check "$unnamed core/a one.c three.c two.c"
check "$unnamed core/a one.c three.c two.c
docs/architecture.md: not a circle: core/a one.c two.c" 'core/a one.c two.c'
check '' 'core/a one.c three.c two.c'

exit $failed

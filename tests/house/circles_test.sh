#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does circles.sh notice directories that use each other?
#
#	circles_test.sh COMPILER...

here=$(cd "$(dirname "$0")" && pwd)
compiler=$*
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/core/a" "$tree/core/b" "$tree/core/c" "$tree/build"
if ! command -v nm >/dev/null; then
	echo "circles: nm is not there"
	exit 77
fi

# source_file PATH TEXT: one file, compiled.
source_file() {
	printf '%s\n' "$2" >"$tree/core/$1"
	$compiler -c "$tree/core/$1" -o "$tree/build/$(echo "$1" | tr / _).o" || exit 1
}

# check EXPECTED: what circles.sh finds
check() {
	for source in a/one.c a/two.c b/three.c c/four.c; do
		printf '    "file": "../core/%s",\n    "output": "%s.o"\n' "$source" "$(echo "$source" | tr / _)"
	done >"$tree/build/compile_commands.json"
	got=$("$here/circles.sh" "$tree/build" "$tree") && broken= || broken=yes
	if [ "$got" != "$1" ] || [ "$broken" != "${1:+yes}" ]; then
		echo "expected: $1"
		echo "got:      $got"
		failed=1
	fi
}

source_file a/one.c 'int two(void); int one(void) { return two(); }'
source_file a/two.c 'int one(void); int three(void); int two(void) { return one() + three(); }'
source_file b/three.c 'int four(void); int three(void) { return four(); }'
source_file c/four.c 'int four(void) { return 4; }'
check '' # files of one folder may
source_file c/four.c 'int three(void); int four(void) { return three(); }'
check 'a circle: core/b uses four of core/c
a circle: core/c uses three of core/b'
source_file c/four.c 'int one(void); int four(void) { return one(); }'
check 'a circle: core/a uses three of core/b
a circle: core/b uses four of core/c
a circle: core/c uses one of core/a'

# the block of layers: `b()` lets a layer call what b makes public, and a name that a layer below defines is no way around it
mkdir "$tree/docs"
layers() {
	printf '```layers\na %s\nb c\nc\n```\n' "$1" >"$tree/docs/architecture.md"
}
source_file c/four.c 'int four(void) { return 4; }'
layers b
check ''
layers 'b()'
check ''
layers c
check 'not allowed: core/a uses three of core/b'

exit $failed

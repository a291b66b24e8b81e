#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does examples.sh notice a wrong example, and leave alone what is not code?
#
#	examples_test.sh COMPILER...

here=$(cd "$(dirname "$0")" && pwd)

tree=$(mktemp -d "${TMPDIR:-/tmp}/cairn-examples-test.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/core/base" "$tree/core/include" "$tree/plugin" "$tree/tests"
cp "$here/examples.sh" "$tree/tests/"
printf '#include <stdint.h>\n' >"$tree/core/include/cairn.h"
printf 'everywhere:\nint number;\n\ncore/base/a.h:\nint other;\n' >"$tree/tests/examples.txt"

compiler=$*

# check EXPECTED COMMENT...: the comment's lines, after a tab each, in core/base/a.h; what is printed first.
check() {
	expected=$1
	shift
	{
		printf '/* SPDX-License-Identifier: MIT */\n/*\n * A header.\n *\n'
		printf ' *\t%s\n' "$@"
		printf ' */\nint one(int number);\n'
	} >"$tree/core/base/a.h"
	# shellcheck disable=SC2086 # words
	got=$("$tree/tests/examples.sh" "$tree" $compiler) && broken= || broken=yes
	case $got in
	"$expected"*) ;;
	*)
		echo "$1: expected: $expected"
		echo "got: $got"
		failed=1
		;;
	esac
	[ "$broken" = "$wrong" ] || { echo "$1: its status is wrong"; failed=1; }
}

wrong=
check '1 headers with examples' 'other = one(number);     prose after it' '... and more prose'
check '1 headers with examples' 'if (one(number))' '	... what then' 'struct { int a; } b = { ... };'
wrong=yes
check 'core/base/a.h: its example does not compile
core/base/a.h:5:' 'one(number, 2);'
check 'core/base/a.h: its example does not compile
core/base/a.h:6:' 'other = 1;' 'while (two(number))' '	...'
check 'core/base/a.h: its example does not compile' 'other = one();'
# a diagram; then there is no example at all, which is a fault too
check '0 headers with examples' 'length:4 bytes[length]   one; two' 'undef    there is none'
printf 'core/base/b.h:\n' >>"$tree/tests/examples.txt"
check 'examples.txt: core/base/b.h does not exist' 'other = 1;'

exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Does limits.sh notice what it should?  Breaks each of its rules once.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../lib/test.sh"
mkdir -p "$work/docs" "$work/core" "$work/tests"
: >"$work/tests/first.sh"

# expect WORDS ROW SOURCE: what limits.sh prints of a page with this row
expect() {
	printf '%s\n' "$2" >"$work/docs/SECURITY.md"
	printf '%s\n' "$3" >"$work/core/first.h"
	said=$("$root/tests/house/limits.sh" "$work")
	case $said in
	*"$1"*) ;;
	*)
		echo "limits_test: expected \"$1\", got \"$said\""
		failed=1
		;;
	esac
}

row='| `FIRST_MAX` | `1 << 4` | `core/first.h` | what | `tests/first.sh` |'
expect '1 constants' "$row" '	FIRST_MAX = 1 << 4, /* of them */'
expect '1 constants' "$row" 'enum { FIRST_MAX = 1 << 4 };'
expect 'has no FIRST_MAX' "$row" '	FIRST_MAX = 1 << 40,'
expect 'has no FIRST_MAX' "$row" '	FIRST_MAX = 1 << 4 << 1,'
expect 'has no FIRST_MAX' "$row" '	AT_FIRST_MAX = 1 << 4,'
expect 'no test tests/second.sh' '| `FIRST_MAX` | `1 << 4` | `core/first.h` | what | `tests/second.sh` |' \
	'	FIRST_MAX = 1 << 4,'
: >"$work/tests/third.c"
expect 'third.c has no FIRST_MAX' '| `FIRST_MAX` | `1 << 4` | `core/first.h` | what | `tests/third.c` |' \
	'	FIRST_MAX = 1 << 4,'
expect 'without a constant, file or test' '| `FIRST_MAX` | `1 << 4` | `core/first.h` | what | |' \
	'	FIRST_MAX = 1 << 4,'
expect 'no table' 'nothing' '	FIRST_MAX = 1 << 4,'
exit $failed

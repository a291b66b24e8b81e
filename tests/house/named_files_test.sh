#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does named_files.sh notice a path that is not there, and does it let the others pass?
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/docs" "$tree/core/base" "$tree/core/include/cairn"
touch "$tree/core/base/one.c" "$tree/core/base/one.h" "$tree/core/base/two.c" "$tree/core/include/cairn/part.h"

# check TEXT EXPECTED
check() {
	printf '%s\n' "$1" >"$tree/docs/architecture.md"
	got=$("$here/named_files.sh" "$tree") && broken= || broken=yes
	if [ "$got" != "$2" ] || [ "$broken" != "${2:+yes}" ]; then
		echo "text:     $1"
		echo "expected: $2"
		echo "got:      $got"
		failed=1
	fi
}

check 'The files `core/base/one.c`, `core/base/one.[ch]`, `cairn/part.h` and `core/base/NAME.c` in `core/base/`.' ''
check 'One is in `core/base/three.c`.' 'docs/architecture.md names core/base/three.c, which is not there'
check 'A pair is `core/base/two.[ch]`.' 'docs/architecture.md names core/base/two.[ch], which is not there'
check 'A folder is `core/gone/`.' 'docs/architecture.md names core/gone/, which is not there'
check 'No file.' 'docs/architecture.md names no file'
exit $failed

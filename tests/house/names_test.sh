#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does names.sh notice each fault, with file and line?

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/core" "$tree/plugin" "$tree/tests/unit"

# check EXPECTED: what names.sh says of the tree.
check() {
	got=$("$here/names.sh" "$tree") && broken= || broken=yes
	if [ "$got" != "$1" ] || [ "$broken" != "${1:+yes}" ]; then
		echo "expected: $1"
		echo "got:      $got"
		failed=1
	fi
}

printf '/* SPDX-License-Identifier: MIT */\n/* A file. */\n#include <a.h>\n' >"$tree/core/1.c"
check ''
printf '/* SPDX-License-Identifier: MIT */\n#define _GNU_SOURCE /* for this */\n#include <a.h>\n' >"$tree/core/5.c"
check 'core/5.c:3: the file does not open with a sentence that says what it is'
rm "$tree"/core/*
printf '/* SPDX-License-Identifier: MIT */\n#include <a.h>\nstatic int take(int n)\n{\n}\n' >"$tree/tests/unit/6.c"
check 'tests/unit/6.c:2: the file does not open with a sentence that says what it is'

exit $failed

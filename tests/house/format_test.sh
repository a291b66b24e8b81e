#!/bin/sh
# SPDX-License-Identifier: MIT
# Does format.sh notice a source that is formatted otherwise?
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/core" "$work/plugin"
cp "$here/../../.clang-format" "$work/"
printf 'int f(void)\n{\n\treturn 1;\n}\n' >"$work/core/a.c"
"$here/format.sh" "$work" || exit
printf 'int f( void ) {\n  return 1; }\n' >"$work/core/a.c"
! "$here/format.sh" "$work" 2>/dev/null

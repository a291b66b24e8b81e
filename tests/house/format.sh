#!/bin/sh
# SPDX-License-Identifier: MIT
# Is every source formatted as .clang-format says?  format.sh [ROOT]
#
# Other versions of clang-format break lines in other places, so only Debian 12's is asked.
set -u
cd "${1:-.}" || exit 1
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
[ "$version" = 14 ] || {
	echo "skipped: clang-format 14 is not installed"
	exit 77
}
find core plugin \( -name '*.[ch]' -o -name '*.cpp' \) -exec clang-format --dry-run -Werror {} +

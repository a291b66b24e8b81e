#!/bin/sh
# SPDX-License-Identifier: MIT
# Is the table of budgets in docs/SECURITY.md true?  limits.sh [ROOT]
#
# Each row names a constant, its value, the file that defines it, and a test: the file must hold
# "CONSTANT = VALUE", and the test must exist, and name the constant if it is of C.
set -u
LC_ALL=C
export LC_ALL
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
rows=0 failed=0

fail() {
	echo "limits: $1"
	failed=1
}

while IFS='|' read -r _ constant value file _ test _; do
	set -- $(echo "$constant $file $test" | tr -d '`')
	[ $# = 3 ] || {
		fail "a row without a constant, file or test: $constant"
		continue
	}
	rows=$((rows + 1))
	value=$(echo "$value" | sed 's/^ *`//; s/` *$//')
	grep -qE "(^|[^A-Z_])$1 = $value([^0-9A-Za-z<* ]| *[,;/}]|\$)" "$root/$2" || fail "$2 has no $1 = $value"
	[ -f "$root/$3" ] || fail "there is no test $3"
	# a script sees what a command does; a unit test has the number itself
	case $3 in
	*.c) grep -qw "$1" "$root/$3" 2>/dev/null || fail "$3 has no $1" ;;
	esac
done <<END
$(sed -n '/^| `[A-Z]/p' "$root/docs/SECURITY.md")
END
[ $rows -gt 0 ] || fail "docs/SECURITY.md has no table of budgets"
[ $failed = 0 ] && echo "limits: $rows constants are as the page has them"
exit $failed

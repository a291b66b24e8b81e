#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages as a reader meets them: readme.sh ROOT.
#
# README.md has at most 60 lines of 100 columns, and the two commands among its first 30; its picture, of 20 lines at most, is that
# of the session in docs/tour.md (which pages.sh follows); and each link of each page leads somewhere.
set -u
cd "$1" || exit 2
failed=0
fail() {
	echo "$1"
	failed=1
}

lines=$(wc -l <README.md)
[ "$lines" -le 60 ] || fail "README.md has $lines lines"
awk 'length($0) > 100 { print "README.md:" FNR ": " length($0) " columns"; bad = 1 } END { exit bad }' README.md ||
	failed=1
for command in demo test; do
	head -n 30 README.md | grep -q "^    scripts/$command\.sh" || fail "README.md does not begin with scripts/$command.sh"
done
shown=$(grep -c '^<text' docs/terminal.svg)
[ "$shown" -le 20 ] || fail "docs/terminal.svg has $shown lines"
scripts/picture.sh docs/tour.md | cmp - docs/terminal.svg ||
	fail 'docs/terminal.svg is not the picture of docs/tour.md: scripts/picture.sh >docs/terminal.svg'

# PAGE:LINK of each link that is not to the network
links() {
	for page in README.md docs/*.md docs/*/*.md; do
		awk -v page="$page" '
		/^ *```/ { code = !code }
		code || /^    / { next }
		{
			gsub(/`[^`]*`/, "")
			while (match($0, /\]\([^)]*\)/)) {
				print page ":" substr($0, RSTART + 2, RLENGTH - 3)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$page"
	done | grep -v ':https\{0,1\}:'
}
links | {
	bad=0
	while IFS=: read -r page link; do
		target=$(dirname "$page")/${link%%#*}
		[ -n "${link%%#*}" ] || target=$page
		[ -e "$target" ] || {
			echo "$page: $link does not exist"
			bad=1
			continue
		}
		case $link in
		*'#'*)
			# a heading becomes an anchor: lower case, blanks become hyphens, all other signs go
			sed -n 's/^##* //p' "$target" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' |
				grep -qx "${link#*#}" || {
				echo "$page: $link: no such heading"
				bad=1
			}
			;;
		esac
	done
	exit $bad
} || failed=1
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Man pages: one for each verb, each function of the shared libraries and each format; none has a fault
# that mandoc knows; the same twice.
#
#	manual.sh MANUAL.SH CAIRN DATE LIBRARY...
set -u
make=$1 cairn=$2 date=$3
shift 3
for tool in lowdown mandoc nm; do
	command -v $tool >/dev/null || {
		echo "skipped: no $tool on this machine"
		exit 77
	}
done
. "$(dirname "$0")/../../lib/test.sh"

fail() {
	echo "manual: $1"
	exit 1
}

"$make" "$cairn" "$work/man" "$date" || fail 'no pages'
TZ=Asia/Tokyo LC_ALL=C "$make" "$cairn" "$work/again" "$date" || fail 'no pages in another locale'
diff -r "$work/man" "$work/again" || fail 'not the same twice'

find "$work/man" -type f -exec mandoc -T lint -W warning {} + || fail 'mandoc finds faults'

# man(1) runs tbl for pages that begin so
find "$work/man" -type f -exec grep -l '^\.TS' {} + | while read -r page; do
	[ "$(head -n 1 "$page")" = "'\\\" t" ] || echo "$page"
done | grep . && fail 'tables that man(1) does not lay out'

# lintian has groff lay out pages so, and takes a table that is wider for a fault
if man --help 2>/dev/null | grep -q -e --warnings && command -v groff >/dev/null; then
	find "$work/man" -type f -exec grep -l '^\.TS' {} + | while read -r page; do
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=120 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null |
			grep -q 'table wider' && echo "$page"
	done | grep . && fail 'tables that are too wide'
fi

# check SECTION NAMES: these and no others
check() {
	find "$work/man/man$1" -type f | sed -e 's|.*/||' -e "s/\\.$1\$//" | LC_ALL=C sort >"$work/pages"
	LC_ALL=C sort "$2" | diff - "$work/pages" || fail "section $1 is not complete"
}

"$cairn" --help | sed -n '/^verbs:/,/^$/s/^  \([^ ]*\) .*/cairn-\1/p' >"$work/verbs"
[ "$(wc -l <"$work/verbs")" -ge 10 ] || fail 'no verbs'
echo cairn >>"$work/verbs"
check 1 "$work/verbs"
for library; do
	nm -D --defined-only "$library"
done | sed -n 's/.* T //p' >"$work/functions"
[ "$(wc -l <"$work/functions")" -ge 90 ] || fail 'no functions'
check 3 "$work/functions"
root=$(cd "$(dirname "$make")/../.." && pwd)
find "$root/docs/formats" -name '*.md' | sed -e 's|.*/|cairn-|' -e 's/\.md$//' -e 's/-README$/-formats/' >"$work/formats"
check 5 "$work/formats"

printf '%s\n' cairn-gdb cairn-lldb cairn-messages >"$work/others"
check 7 "$work/others"
mandoc -T ascii "$work/man/man7/cairn-messages.7" | grep -q 'out of memory' || fail 'the messages are missing'

# each option of each verb is in its page, and what a function returns in its
for verb in $(sed -n 's/^cairn-//p' "$work/verbs"); do
	"$cairn" "$verb" --help >"$work/help"
	for each in $(sed -n '/^verbs:/,/^$/s/^  \([^ ]*\) .*/\1/p' "$work/help"); do
		"$cairn" "$verb" "$each" --help >>"$work/help"
	done
	mandoc -T ascii "$work/man/man1/cairn-$verb.1" | sed 's/.\x08//g' >"$work/page"
	sed -n 's/^  \(-., \)\{0,1\}\(--[^ ]*\) .*/\2/p' "$work/help" | sort -u >"$work/options"
	[ -s "$work/options" ] || fail "$verb: no options"
	while read -r option; do
		grep -q -e "$option" "$work/page" || fail "$verb: $option is not in its page"
	done <"$work/options"
done
# apropos(1) shows the NAME of a page: that of a verb is what the list of verbs says
"$cairn" --help | sed -n '/^verbs:/,/^$/s/^  //p' | sed -e '/^$/d' -e 's/^\([^ ]*\)  */cairn-\1 - /' >"$work/names"
for verb in $(sed -n 's/^cairn-//p' "$work/verbs"); do
	mandoc -T ascii -O width=200 "$work/man/man1/cairn-$verb.1" | sed 's/.\x08//g' |
		sed -n '/^NAME/,/^$/s/^  *cairn/cairn/p'
done | diff "$work/names" - || fail 'names of pages are not the summaries of the verbs'
grep -q backtrace "$work/names" || fail 'apropos backtrace does not find cairn bt'

# a term and what it means: the value belongs to the term, and no gap is between them
mandoc -T ascii "$work/man/man1/cairn-markup.1" | sed 's/.\x08//g' |
	grep -A 1 '^  *--directory DIR\[:DIR...\]$' | grep -q 'search these directories' ||
	fail 'an option and its value are not apart from the text'
mandoc -T ascii "$work/man/man1/cairn.1" | grep -q '^  *cairn bt CORE  *prints the stacks' ||
	fail 'lines of an example are run together'
mandoc -T ascii "$work/man/man3/cairn_symbols_open_bytes.3" | tr -s ' \n' '  ' | grep -q 'NOT_FOUND if the file' ||
	fail 'the page of cairn_symbols_open_bytes lacks its comment'

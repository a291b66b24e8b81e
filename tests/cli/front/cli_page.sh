#!/bin/sh
# SPDX-License-Identifier: MIT
# Is docs/cli.md the page that scripts/manual/page.sh prints now, and do its examples print what it shows?
#
#	cli_page.sh CAIRN [--accept]
#
# The examples are the blocks of the language `console` in scripts/manual/notes.md; they run in tests/fixtures. --accept writes
# their output and docs/cli.md: read the difference before you commit it. Where $LIBDW is "no", examples that need it are skipped.
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
accept=${2:-}
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/tests/lib/test.sh"
notes=$root/scripts/manual/notes.md
export LC_ALL=C XDG_CACHE_HOME="$work/cache" TMPDIR="$work"
unset CAIRN_API_KEY DEBUGINFOD_URLS

cairn() {
	"$program" "$@"
}

mkdir "$work/steps"
awk -v folder="$work/steps" -v part=extract -f "$root/tests/house/pages.awk" "$notes" || exit 2
for command in "$work"/steps/*.command; do
	step=${command%.command}
	(
		cd "$root/tests/fixtures" || exit 2
		# shellcheck source=/dev/null
		. "$command"
	) </dev/null 2>&1 | sed 's/ *$//' >"$step.got"
	if [ "${LIBDW:-yes}" = no ] && grep -Eq 'sframe (create|verify)' "$command"; then
		cp "$step.expected" "$step.got"
	fi
	[ -n "$accept" ] || diff "$step.expected" "$step.got" || fail "notes.md: another output: $(cat "$command")"
done
if [ -n "$accept" ]; then
	awk -v folder="$work/steps" -v part=join -f "$root/tests/house/pages.awk" "$notes" >"$work/notes" && cp "$work/notes" "$notes"
fi

"$root/scripts/manual/page.sh" "$program" >"$work/page" || fail 'page.sh fails'
if [ -n "$accept" ]; then
	cp "$work/page" "$root/docs/cli.md"
else
	diff "$root/docs/cli.md" "$work/page" ||
		fail 'docs/cli.md is not what the help texts and notes.md say now: scripts/manual/page.sh CAIRN >docs/cli.md'
fi
exit $failed

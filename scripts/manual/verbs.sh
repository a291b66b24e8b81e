#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the Markdown of a verb and of the verbs below it: verbs.sh CAIRN page|man [VERB...].
#
# The help texts of CAIRN have the options, notes.md has an example and notes for each verb; verbs.awk joins them.
set -eu
cairn=$1 form=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# list_verbs HELP
list_verbs() {
	sed -n '/^verbs:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p' "$1"
}

# A man page names other pages instead of linking to them.
if [ "$form" = man ]; then
	sed -e 's/\[formats\/\([a-z_-]*\)\.md\]([^)]*)/cairn-\1(5)/g' -e 's/\[\(gdb\|lldb\)\.md\]([^)]*)/cairn-\1(7)/g' \
		-e 's/\[\([^]]*\)\]([^)]*)/\1/g' "$here/notes.md" >"$tmp/notes"
else
	cp "$here/notes.md" "$tmp/notes"
fi
"$cairn" --help >"$tmp/cairn"
if [ $# = 0 ]; then
	cp "$tmp/cairn" "$tmp/help"
else
	"$cairn" "$@" --help >"$tmp/help"
fi
summary=$(sed -n "/^verbs:\$/,/^\$/s/^  ${1:-none}  *//p" "$tmp/cairn")
awk -v words="cairn${*:+ }$*" -v form="$form" -v summary="$summary" -f "$here/verbs.awk" "$tmp/notes" "$tmp/help"
[ $# -gt 0 ] || exit 0
for verb in $(list_verbs "$tmp/help"); do
	"$0" "$cairn" "$form" "$@" "$verb"
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# Print docs/cli.md: scripts/manual/page.sh build/core/cli/cairn >docs/cli.md
#
# All of it comes from the help texts of CAIRN and from notes.md beside this script. tests/cli/front/cli_page.sh compares.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
{
	"$here/verbs.sh" "$1" page
	"$1" --help | sed -n '/^verbs:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p' | while read -r verb; do
		echo
		"$here/verbs.sh" "$1" page "$verb"
	done
} | cat -s

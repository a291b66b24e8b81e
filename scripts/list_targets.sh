#!/bin/sh
# SPDX-License-Identifier: MIT
# list_targets.sh DIRECTORY SUITE...: what the tests of these suites need of a configured build, as ninja takes it
set -eu
directory=$(cd "$1" && pwd)
shift

# list_depends SUITE...: the targets of their tests, as Meson names them
list_depends() {
	tr -d '\n' <"$directory/meson-info/intro-tests.json" | sed 's/{"cmd": /\n&/g' |
		sed -n 's/.*"suite": \[\([^]]*\)\].*"depends": \[\([^]]*\)\].*/\1;\2/p' |
		for_suites "$@" | tr -d '" ' | tr ',' '\n' | LC_ALL=C sort -u
}

for_suites() {
	names=$(printf 'cairn:%s\n' "$@")
	awk -F ';' -v names="$names" '
		BEGIN { count = split(names, wanted, "\n") }
		{
			for (i = 1; i <= count; i++)
				if (index($1, "\"" wanted[i] "\"")) {
					print $2
					next
				}
		}'
}

# list_files: "TARGET FILE" of each
list_files() {
	tr -d '\n' <"$directory/meson-info/intro-targets.json" | sed 's/{"name": "/\n&/g' |
		sed -n 's/.*"id": "\([^"]*\)".*"filename": \["\([^"]*\)".*/\1 \2/p' | LC_ALL=C sort
}

files=$(mktemp)
trap 'rm -f "$files"' EXIT
list_files >"$files"
list_depends "$@" | LC_ALL=C join - "$files" | while read -r _ file; do
	echo "${file#"$directory"/}"
done

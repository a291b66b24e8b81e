#!/bin/sh
# SPDX-License-Identifier: MIT
# Run clang-tidy with the checks of .clang-tidy: scripts/lint.sh [BUILD [FILE...]]
#
# BUILD (default: build) is a directory configured by Meson; its compile_commands.json has the options of each file. Without
# FILE all C sources of core and plugin are checked, which takes a minute of processor time. Exit status 1: a check reported
# something; 77: clang-tidy is not installed.
set -eu
build=${1:-build}
[ $# = 0 ] || shift
command -v clang-tidy >/dev/null || {
	echo 'skipped: clang-tidy is not installed'
	exit 77
}
commands=$build/compile_commands.json
[ -f "$commands" ] || {
	echo "lint.sh: no $commands: run meson setup $build" >&2
	exit 2
}
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$build/lint"
# clang rejects options which only gcc has
sed 's/ -fno-reorder-blocks-and-partition//g' "$commands" >"$build/lint/compile_commands.json"
if [ $# -gt 0 ]; then
	printf '%s\n' "$@"
else
	# Meson names sources relative to the build, or absolutely if it lies elsewhere, and generated ones without "../".
	sed -n 's|^ *"file": "\(.*\)",*$|\1|p' "$commands" | LC_ALL=C sort -u |
		sed -n "s|^\.\./|$top/|; \|^$top/core/.*\.c$|p; \|^$top/plugin/.*\.c$|p"
fi >"$build/lint/files"
[ -s "$build/lint/files" ] || {
	echo "lint.sh: $commands names no sources of core and plugin" >&2
	exit 2
}
if xargs -n 20 -P "$(nproc)" clang-tidy --quiet -p "$build/lint" --config-file="$top/.clang-tidy" \
	<"$build/lint/files" >"$build/lint/log" 2>"$build/lint/errors"; then
	echo "$(wc -l <"$build/lint/files") files, nothing found"
else
	cat "$build/lint/log"
	# It also counts warnings in system headers.
	grep -v 'generated\|treated as error' "$build/lint/errors" || :
	exit 1
fi

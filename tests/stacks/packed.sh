#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs cairn bt on a core and a minidump as they come through a pipe, and packed by each tool that is here: for same_stacks.sh.
. "$(dirname "$0")/../lib/test.sh"
fixtures=$(dirname "$0")/../fixtures
cp "$fixtures/minidump/amd64.dmp" "$work/dump" && sh "$fixtures/bt/core.sh" >"$work/core" || exit 2
for input in dump core; do
	"$CAIRN" bt "$work/$input" >/dev/null || [ $? = 1 ] || fail "$input"
	cat "$work/$input" | "$CAIRN" bt - >/dev/null || [ $? = 1 ] || fail "$input through a pipe"
	"$CAIRN" bt --list-modules "$work/$input" >/dev/null || [ $? = 3 ] || fail "modules of $input"
	for tool in gzip zstd xz lz4; do
		if ! command -v $tool >/dev/null; then
			echo "no $tool on this machine"
			continue
		fi
		$tool -c <"$work/$input" >"$work/packed" || exit 2
		"$CAIRN" bt "$work/packed" >/dev/null || [ $? = 1 ] || fail "$input packed by $tool"
		"$CAIRN" bt - <"$work/packed" >/dev/null || [ $? = 1 ] || fail "$input packed by $tool through a pipe"
	done
done
exit $failed

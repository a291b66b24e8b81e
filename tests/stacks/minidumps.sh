#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs cairn bt on each minidump of the fixtures, with its Breakpad files and without them: for same_stacks.sh.
fixtures=$(cd "$(dirname "$0")/../fixtures/minidump" && pwd) || exit 2
for dump in "$fixtures"/*.dmp; do
	symbols=${dump%.dmp}-symbols
	"$CAIRN" bt "$dump" >/dev/null
	"$CAIRN" bt --directory "$symbols" "$dump" >/dev/null
	"$CAIRN" bt --debug-file-directory "$symbols" "$dump" >/dev/null || [ $? = 1 ] || exit 1
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds cairn and shows its main job: a program whose .eh_frame is gone, in GDB without and with
# cairn, live and as a core dump.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cc -O2 -g -Wa,--gsframe -pthread tests/fixtures/programs/sample.c -o "$work/sample"
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$work/sample"

debug() {
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set width 0' \
		-ex 'set print frame-arguments presence' "$@" "$work/sample" </dev/null 2>&1 |
		grep '^#' | sed "s| at .*/| at |" | uniq | head -n 12
}

load="jit-reader-load $PWD/build/plugin/gdb/cairn-gdb.so"

echo "A program with .sframe and without .eh_frame, stopped in a callback of qsort."
echo
echo "GDB without cairn:"
debug -ex 'break compare' -ex 'run qsort' -ex bt
echo
echo "GDB with cairn:    (gdb) $load" | sed "s|$PWD/||"
debug -ex "$load" -ex 'break compare' -ex 'run qsort' -ex "generate-core-file $work/core" -ex bt
echo
echo "The core dump of it, without cairn:"
debug -ex "core-file $work/core" -ex bt
echo
echo "The core dump with cairn:"
debug -ex "$load" -ex "core-file $work/core" -ex bt

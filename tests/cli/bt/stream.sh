#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Cores on standard input, made by large_core.c: cairn bt prints of a pipe what it prints of the file, of 4 GB
# in 128 MB of address space (32 MB, 64 MB for stacks, and the program itself). A stack that is too large keeps
# its innermost part, and the output tells so.
#
#	stream.sh CAIRN LARGE_CORE POUR
set -u
LC_ALL=C
export LC_ALL
cairn=$1
large_core=$2
pour=$3
. "$(dirname "$0")/../../lib/test.sh"

for kind in stacks segments; do
	"$large_core" $kind sparse "$work/core" || { echo "skipped: no room for a file of 4 GB with holes"; exit 77; }
	"$cairn" bt --quiet --dedup "$work/core" >"$work/file"
	[ $? = 1 ] || fail "$kind: exit status $? of the file"
	grep -q 'and 499 more with this stack' "$work/file" || fail "$kind: not 500 threads"
	[ "$(grep -c '^#' "$work/file")" = 50 ] || fail "$kind: not 50 frames"
	(ulimit -t 60 && exec "$pour" "$work/core") |
		(ulimit -v 131072 && ulimit -t 30 && exec "$cairn" bt --quiet --dedup -) >"$work/stream" 2>"$work/errors"
	[ $? = 1 ] || fail "$kind: exit status $? of the stream: $(head -n 1 "$work/errors")"
	cmp "$work/file" "$work/stream" || fail "$kind: the stream shows other stacks than the file"
	(ulimit -v 131072 && ulimit -t 30 && exec "$cairn" bt --quiet --dedup -) <"$work/core" >"$work/stream" 2>"$work/errors"
	cmp "$work/file" "$work/stream" || fail "$kind: a file on standard input shows other stacks"
done

"$large_core" deep sparse "$work/core" || exit 2
"$cairn" bt --quiet "$work/core" >"$work/file"
[ $? = 1 ] || fail "deep: exit status $? of the file"
cat "$work/core" | "$cairn" bt --quiet - >"$work/stream" 2>"$work/errors"
[ $? = 1 ] || fail "deep: a cut stack is not exit status 1"
[ "$(grep -c '^#' "$work/file")" = 200000 ] || fail "deep: not all frames of the file"
sed '/^Thread 2 /,$d' "$work/file" >"$work/first"
sed '/^Thread 2 /,$d' "$work/stream" | cmp - "$work/first" || fail "deep: the crashed thread is not whole"
[ "$(grep -c '^#' "$work/stream")" -gt 160000 ] || fail "deep: too little of a stack was kept"
grep -q '^Backtrace stopped: .*; only the innermost part of its stack was captured$' "$work/stream" ||
	fail "deep: nothing tells of the stack that was cut"
"$cairn" bt --json - <"$work/core" | grep -q '"stack_cut":true' || fail "deep: no stack_cut"

# Packed, as a file and in a pipe. What is cut gives what came out, and a message.
"$cairn" bt --quiet --dedup - <"$work/core" >"$work/plain" 2>&1
for tool in gzip zstd xz lz4; do
	command -v $tool >/dev/null || { echo "$tool is not here: not tested"; continue; }
	small='' # blocks, so that half a file has some
	[ $tool != lz4 ] || small=-B4
	$tool -1 $small <"$work/core" >"$work/packed"
	"$cairn" bt --quiet --dedup "$work/packed" >"$work/file" 2>&1
	if grep -q 'cairn was built without' "$work/file"; then
		echo "$tool: not built: $(head -n 1 "$work/file")"
		continue
	fi
	cmp "$work/plain" "$work/file" || fail "$tool: a packed core shows other stacks"
	cat "$work/packed" | "$cairn" bt --quiet --dedup - 2>&1 | cmp - "$work/plain" || fail "$tool: a packed stream shows other stacks"
	head -c "$(($(wc -c <"$work/packed") / 2))" "$work/packed" | "$cairn" bt --quiet - >"$work/cut" 2>"$work/errors"
	[ $? = 1 ] && grep -q 'the compressed data is truncated' "$work/errors" && grep -q '^Thread 1 ' "$work/cut" ||
		fail "$tool: a packed core that is cut: $(head -n 1 "$work/errors")"
done

# 4 GB of zeros in some MB: bounded, too.
if command -v lz4 >/dev/null && ! "$cairn" bt "$work/packed" 2>&1 | grep -q 'built without'; then
	"$large_core" stacks sparse "$work/core" || exit 2
	"$cairn" bt --quiet --dedup "$work/core" >"$work/file"
	"$pour" "$work/core" | lz4 -q -1 |
		(ulimit -v 131072 && ulimit -t 60 && exec "$cairn" bt --quiet --dedup -) >"$work/stream" 2>"$work/errors"
	cmp "$work/file" "$work/stream" || fail "lz4: 4 GB show other stacks: $(head -n 1 "$work/errors")"
fi
exit $failed

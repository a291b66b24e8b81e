#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Core files that ask for much, made by core_bombs.c: cairn bt ends in 30 s of processor time and 512 MB of
# address space, and says of a stack that it left off there. Equal stacks are printed once, so that the
# output is small.
#
#	core_bombs.sh CAIRN BOMBS
set -u
LC_ALL=C
export LC_ALL
cairn=$1
bombs=$2
. "$(dirname "$0")/../lib/test.sh"

for kind in $("$bombs"); do
	"$bombs" "$kind" >"$work/core" || exit 2
	(ulimit -v 524288 && spend 30 "$cairn" bt --quiet --dedup "$work/core") \
		>"$work/out" 2>"$work/err"
	status=$?
	if [ $status -ne 1 ] || [ -s "$work/err" ]; then
		echo "$kind: exit status $status: $(head -n 1 "$work/err")"
		failed=1
	fi
	grep -q '^Backtrace stopped: ' "$work/out" || {
		echo "$kind: no stack tells why it ended"
		failed=1
	}
done
# What is printed of names is bounded by the input, and so are the frames of all stacks.
"$bombs" paths >"$work/core" || exit 2
most=$((1048576 + 64 * $(wc -c <"$work/core") + 400 * 310000))
for form in '' --json --explain; do
	(ulimit -v 196608 && spend 30 "$cairn" bt $form "$work/core") 2>"$work/err" | wc -c >"$work/bytes"
	if [ "$(cat "$work/bytes")" -gt $most ] ||
		! grep -qF 'frame and module names exceed the size limit; the remaining names are omitted' "$work/err"; then
		echo "paths $form: $(cat "$work/bytes") bytes, $(head -n 1 "$work/err")"
		failed=1
	fi
done
# packed MESSAGE VERB OPERAND...: ends with status 3 or 1 and the message, in 192 MiB of address space
packed() {
	message=$1
	shift
	(ulimit -v 196608 && spend 30 "$cairn" "$@") >"$work/out" 2>"$work/err"
	status=$?
	if { [ $status != 1 ] && [ $status != 3 ]; } || ! grep -qF "$message" "$work/out" "$work/err"; then
		echo "packed, cairn $1: exit status $status: $(head -n 1 "$work/err")"
		failed=1
	fi
}
# What packs more than 32 times is worth 32 MiB and 32 times its size.
if command -v gzip >/dev/null; then
	head -c 60000000 /dev/zero | gzip -1 >"$work/zeros"
	for _ in 1 2 3 4 5; do cat "$work/zeros"; done >"$work/bomb" # 300 MB
	{ printf MDMP | gzip && cat "$work/bomb"; } >"$work/packed"
	packed "$work/packed: too large to decompress in memory (limit: 32 MiB plus 32 times the compressed size, at most 1 GiB); decompress it to a file first" bt "$work/packed"
	cp "$work/bomb" "$work/packed"
	for verb in 'where --no-cache' 'symbfile dump' 'gsym create -o /dev/null'; do
		# shellcheck disable=SC2086 # words
		packed "$work/packed: too large when decompressed (limit: 32 MiB plus 32 times the compressed size)" \
			$verb "$work/packed"
	done
	"$bombs" late | gzip -1 >"$work/packed"
	packed 'more memory than is kept from a stream' bt "$work/packed"
	"$bombs" threads | gzip -1 >"$work/packed"
	packed 'Backtrace stopped: ' bt --dedup "$work/packed"
fi
exit $failed

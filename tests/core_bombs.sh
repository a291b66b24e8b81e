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
work=$(mktemp -d "${TMPDIR:-/tmp}/core-bombs.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

for kind in $("$bombs"); do
	"$bombs" "$kind" >"$work/core" || exit 2
	(ulimit -v 524288 && ulimit -t 30 && exec "$cairn" bt --dedup "$work/core") \
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
# A minidump that is packed well, and does not fit into the memory that there is.
if command -v gzip >/dev/null; then
	{ printf MDMP && head -c 300000000 /dev/zero; } | gzip -1 >"$work/packed"
	(ulimit -v 262144 && ulimit -t 30 && exec "$cairn" bt "$work/packed") >"$work/out" 2>"$work/err"
	if [ $? != 3 ] || ! grep -qxF "cairn: $work/packed: it unpacks to more than cairn keeps in memory" "$work/err"; then
		echo "a packed minidump: $(head -n 1 "$work/err")"
		failed=1
	fi
fi
exit $failed

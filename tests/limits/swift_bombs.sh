#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Hostile cores of Swift programs, made by swift_bombs.c: cairn bt --tasks stays within the bounds of SECURITY.md, and says
# where it left something out.
#
#	swift_bombs.sh CAIRN BOMBS
set -u
LC_ALL=C
export LC_ALL
cairn=$1 bombs=$2
. "$(dirname "$0")/../lib/test.sh"
mkdir -p "$work/root/lib"

for kind in $("$bombs"); do
	"$bombs" "$kind" "$work/root/lib/libswift_Concurrency.so" >"$work/core" || exit 2
	size=$(cat "$work/core" "$work/root/lib/libswift_Concurrency.so" | wc -c)
	for form in '' --json; do
		# 64 MiB for the process itself, and as much address space for what it maps as there is input
		{
			(ulimit -v $((2 * 65536 + size * 11 / 1024)) && spend $((3 + size / 1000000)) \
				"$cairn" bt --tasks $form --sysroot "$work/root" "$work/core") 2>"$work/err"
			echo $? >"$work/status"
		} | wc -c >"$work/bytes"
		records=250000
		[ "$kind" != million ] || records=1050000
		[ "$(cat "$work/status")" = 1 ] || fail "$kind $form: exit status $(cat "$work/status"): $(head -n 1 "$work/err")"
		[ "$(cat "$work/bytes")" -le $((1048576 + 64 * size + 400 * records)) ] || fail "$kind $form: $(cat "$work/bytes") bytes"
	done
	case $kind in
	million) message='tasks: too many Swift tasks, or a mapping above 64 GiB; some tasks are omitted; ' ;;
	chains | cycles | frames) message="tasks: too many contexts of Swift's async functions; some callers or tasks are omitted; " ;;
	*) message= ;;
	esac
	[ -z "$message" ] || [ "$(grep -cF "core: $message" "$work/err")" = 1 ] || fail "$kind: no message: $(head -n 1 "$work/err")"
	[ "$kind" != running ] || grep -q 'the remaining names are omitted' "$work/err" || fail "$kind: no message about names"
done
exit $failed

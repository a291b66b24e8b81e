#!/bin/sh
# SPDX-License-Identifier: MIT
# Through a small program instruction by instruction without a debugger: the registers of all frames
# by .sframe are those by .eh_frame (registers.c).  Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
need "$CC_TARGET" objcopy

build steps.c steps "$@"
status=0
"$REGISTERS" -v -e 8 "$tmp/eh/steps" >"$tmp/told" 2>&1 || status=$?
case $status in
0) ;;
1) fail "$(grep '^wrong' "$tmp/told" | head -n 5)" ;;
*) skip "$(cat "$tmp/told")" ;;
esac
tail -n 1 "$tmp/told"
# "... 7719024 values same, 0 lost, 0 wrong"
awk '{ for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^stops/) stops = $i; if ($(i + 1) ~ /^lost/) lost = $i } }
	END { exit !(stops >= 300 && lost == 0) }' "$tmp/told" || fail "$(grep -m 5 '^lost' "$tmp/told")"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn demangle` of standard input: lines that are no names stay, one of more than 128 MiB is left out and told of.
#
#	demangle.sh CAIRN
cairn=$(realpath "$1") || exit 2
. "$(dirname "$0")/../../lib/test.sh"

cd "$work" || exit 2
{
	printf '%s\n' '$s4deck4DeckV4parkyyF' 'no name' '' _Z1fv
	head -c 134217729 /dev/zero | tr '\0' a
	printf '\n%s' '$s4deck4DeckV4parkyyF'
} | "$cairn" demangle >printed 2>errors
[ $? = 3 ] || fail 'exit status'
printf '%s\n' 'Deck.park()' 'no name' '' 'f()' 'Deck.park()' >expected
cmp -s printed expected || fail "printed: $(head -c 200 printed)"
[ "$(cat errors)" = 'cairn: omitting the line at byte 37, which exceeds the limit of 134217728 bytes' ] || fail "$(cat errors)"
exit $failed

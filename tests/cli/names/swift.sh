#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn demangle` prints Swift names exactly like swift-demangle: the names in SHARED/names.tsv.xz, and, where Swift is
# installed, those of its libraries.
#
#	swift.sh CAIRN SHARED
cairn=$(realpath "$1") || exit 2
shared=$2
. "$(dirname "$0")/../../lib/test.sh"

# check WHAT: compares the demangled names with the files short and full.
check() {
	for form in short full; do
		# shellcheck disable=SC2046 # no option for the short form
		"$cairn" demangle $([ $form = short ] || echo --full) <"$work/names" >"$work/printed" || fail "$1: status $?"
		cmp "$work/$form" "$work/printed" || fail "$1: $(diff "$work/$form" "$work/printed" | head -n 4)"
	done
	echo "$1: $(wc -l <"$work/names") names"
}

tested=
if [ -f "$shared/names.tsv.xz" ]; then
	xz -dc "$shared/names.tsv.xz" >"$work/rows"
	cut -f 1 "$work/rows" >"$work/names"
	cut -f 2 "$work/rows" >"$work/short"
	cut -f 3 "$work/rows" >"$work/full"
	check 'shared names'
	tested=yes
fi
swift=/usr/libexec/swift
if [ -x $swift/bin/swift-demangle ]; then
	nm -D --defined-only $swift/lib/swift/linux/*.so | awk '$3 ~ /^_?\$[sS]/ { print $3 }' | sort -u >"$work/names"
	$swift/bin/swift-demangle -compact -simplified <"$work/names" >"$work/short"
	$swift/bin/swift-demangle -compact <"$work/names" >"$work/full"
	check "Swift's libraries"
	tested=yes
else
	echo "not tested: names of Swift's libraries, because Swift is not installed"
fi
[ "$tested" ] || skip "neither $shared nor Swift is here"
exit $failed

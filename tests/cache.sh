#!/bin/sh
# SPDX-License-Identifier: MIT
# The cache of conversions, with many processes at once: cache.sh CAIRN CC...
set -u
cairn=$1
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME

fail() {
	echo "cache: $1"
	exit 1
}

ask() {
	"$cairn" where --lines "$binary" "$address"
}

binary=$work/prog
echo 'int twice(int n) { return n + n; } int main(void) { return twice(0); }' >"$work/prog.c"
"$@" -g -Wl,--build-id=sha1 "$work/prog.c" -o "$binary" 2>/dev/null || {
	echo "cache: skipped, no program with a build ID can be linked"
	exit 77
}

address=$("$cairn" gsym create --quiet "$binary" -o - | "$cairn" gsym dump --json - |
	sed -n 's/.*"start":"\(0x[0-9a-f]*\)".*/\1/p' | head -1)
[ -n "$address" ] || fail "no function in $binary"
expected=$("$cairn" where --no-cache --lines "$binary" "$address") || fail "no answer"
[ ! -e "$work/cache" ] || fail "--no-cache writes to the cache"

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	ask >"$work/answer.$i" 2>&1 &
done
wait
for answer in "$work"/answer.*; do
	[ "$(cat "$answer")" = "$expected" ] || fail "twenty at once: $(cat "$answer")"
done
[ "$(find "$work/cache" -type f | wc -l)" -eq 1 ] || fail "other files than one are left"
file=$(find "$work/cache" -name '*.gsym')

# what is damaged, cut short or of another converter is made again
good=$(cksum <"$file")
for damage in "head -c 100" "sed s/cairn/other/" "tr M m"; do
	$damage <"$file" >"$work/damaged"
	cp "$work/damaged" "$file"
	[ "$(ask)" = "$expected" ] || fail "a wrong answer after $damage"
	[ "$(cksum <"$file")" = "$good" ] || fail "not made again after $damage"
done
"$cairn" cache list | grep -q "${file##*/}" || fail "it is not listed"
"$cairn" cache clear >/dev/null && [ ! -e "$file" ] || fail "it is not removed"

# a cache that cannot be written to is no reason not to answer
XDG_CACHE_HOME=/dev/null
[ "$(ask 2>/dev/null)" = "$expected" ] || fail "no answer without a cache"

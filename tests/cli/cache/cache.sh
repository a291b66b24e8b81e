#!/bin/sh
# SPDX-License-Identifier: MIT
# The cache of conversions, with many processes at once: cache.sh CAIRN CC...
set -u
cairn=$1
shift
. "$(dirname "$0")/../../lib/test.sh"
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
	sed -n 's/.*"twice","start":"\(0x[0-9a-f]*\)".*/\1/p')
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

# The symbols, and the end of the trailer: its stamps depend on how old the program is by then (os/cache.h).
content() {
	head -c -320 "$file" | cksum
	tail -c 32 "$file" | cksum
}

# what is damaged, cut short or of another converter is made again; beside the program it would be found
good=$(content)
mkdir "$work/apart"
for damage in "head -c 100" "sed s/cairn.made.me/other.made.me/" "tr M m"; do
	$damage <"$file" >"$work/apart/damaged"
	cp "$work/apart/damaged" "$file"
	[ "$(ask)" = "$expected" ] || fail "a wrong answer after $damage"
	[ "$(content)" = "$good" ] || fail "not made again after $damage"
done
"$cairn" cache list | grep -q "${file##*/}" || fail "it is not listed"
"$cairn" cache clear >/dev/null && [ ! -e "$file" ] || fail "it is not removed"

# a copy is the same program, and nothing is made again
ask >/dev/null
before=$(ls -i "$file")
cp "$binary" "$work/copy"
[ "$("$cairn" where --lines "$work/copy" "$address")" = "$expected" ] || fail "a wrong answer for a copy"
[ "$(ls -i "$file")" = "$before" ] || fail "made again for a copy"

# anybody may write any build ID into a program: it gets its own names, and leaves others theirs
id=$(basename "$file" .gsym)
sed 's/twice/wrong/g' "$work/prog.c" >"$work/evil.c"
"$@" -g "-Wl,--build-id=0x$id" "$work/evil.c" -o "$work/evil" || fail "no program of the same build ID"
evil=$("$cairn" where --no-cache --lines "$work/evil" "$address")
[ "$evil" != "$expected" ] || fail "both programs are the same"
for turn in 1 2; do
	[ "$("$cairn" where --lines "$work/evil" "$address")" = "$evil" ] ||
		fail "a program of the same build ID gets another one's names"
	"$cairn" gsym lookup --lines "$binary" "$address" >"$work/answer" 2>"$work/errors" &&
		fail "gsym lookup takes another program's names: $(cat "$work/answer")"
	grep -q "made from another program" "$work/errors" || fail "it is not told why: $(cat "$work/errors")"
	[ "$(ask)" = "$expected" ] || fail "another program of the same build ID changes the names"
	"$cairn" gsym lookup --lines "$binary" "$address" >"$work/answer" 2>&1 ||
		fail "gsym lookup does not take the program's own: $(cat "$work/answer")"
done

# the same file with other content, and what the file system tells made to look the same
touch -r "$binary" "$work/stamp"
cat "$work/evil" >"$binary"
touch -r "$work/stamp" "$binary"
expected=$evil
[ "$(ask)" = "$expected" ] || fail "names of what the file held before"

# a sanitizer has all addresses for itself
space=524288
(ulimit -v $space && exec "$cairn" --version) >"$work/answer" 2>&1 || space=unlimited
# where a file is looked for there may be a pipe, or one of the kernel that has no end
for kind in pipe zeros endless; do
	rm -f "$file"
	case $kind in
	pipe) mkfifo "$file" && mkfifo "$work/beside.gsym" ;;
	zeros) ln -s /dev/zero "$file" && ln -s /dev/zero "$work/beside.gsym" ;;
	endless) ln -s /proc/self/pagemap "$file" && ln -s /proc/self/pagemap "$work/beside.gsym" ;;
	esac
	cp "$binary" "$work/beside"
	(ulimit -v $space && exec timeout 20 "$cairn" gsym lookup "$work/beside" "$address") >"$work/answer" 2>"$work/errors"
	[ $? = 1 ] || fail "a $kind beside the program: $(cat "$work/errors")"
	[ "$(timeout 20 "$cairn" where --lines "$binary" "$address")" = "$expected" ] || fail "a $kind in the cache"
	[ -f "$file" ] && [ ! -L "$file" ] || fail "a $kind stays in the cache"
	rm -f "$work/beside.gsym"
done

# a cache that cannot be written to is no reason not to answer
XDG_CACHE_HOME=/dev/null
[ "$(ask 2>/dev/null)" = "$expected" ] || fail "no answer without a cache"

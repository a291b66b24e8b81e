#!/bin/sh
# SPDX-License-Identifier: MIT
# dwarf.sh CAIRN BY_LIBDW [FILE...]: our decoder and libdw give the same functions, rows, inlined calls and
# calls of each FILE, with names of symbols and with those of DWARF; and files that hold the same code
# give the same, whatever their DWARF looks like.
set -eu
LC_ALL=C
export LC_ALL
cairn=$1 by_libdw=$2
shift 2
case $cairn in /*) ;; *) cairn=$PWD/$cairn ;; esac
case $by_libdw in /* | '') ;; *) by_libdw=$PWD/$by_libdw ;; esac
fixtures=$(cd "$(dirname "$0")/../fixtures/dwarf" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-dwarf.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
failed=0 passed=0

# dump OUT OPTION... FILE, and the same by libdw: also what is wrong with it counts
dump() {
	out=$1
	shift
	"$cairn" dwarf dump "$@" >"$out" 2>"$tmp/err" || echo "status $?" >>"$out"
}
dump_by_libdw() {
	out=$1
	shift
	"$by_libdw" "$@" >"$out" 2>"$tmp/err" || echo "status $?" >>"$out"
}

# same WHAT: of $tmp/a and $tmp/b
same() {
	if [ -s "$tmp/a" ] && cmp -s "$tmp/a" "$tmp/b"; then
		passed=$((passed + 1))
	else
		echo "differs: $1"
		diff "$tmp/a" "$tmp/b" | head -n 10
		failed=$((failed + 1))
	fi
}

both_ways() {
	for names in '--calls --statements' '--calls --no-symbols'; do
		# shellcheck disable=SC2086 # a list of options
		dump "$tmp/a" $names "$@"
		# shellcheck disable=SC2086
		dump_by_libdw "$tmp/b" $names "$@"
		same "libdw $names $*"
	done
}

# alike WANTED OPTION... FILE
alike() {
	dump "$tmp/a" "$1"
	shift
	dump "$tmp/b" "$@"
	same "$*"
}

cd "$fixtures"
if [ -n "$by_libdw" ]; then
	for file in "${@:-}" v5.o v4.o v3.o v2.o wide.o types.o nested.o clang.o i386.o big.o zlib.o \
		zdebug.o zstd.o linked; do
		[ -z "$file" ] || both_ways "$file"
	done
	both_ways --alt dwz.alt dwz.a
	# of its functions only symbols tell the names
	dump "$tmp/a" --calls --statements dwz.a
	dump_by_libdw "$tmp/b" --calls --statements dwz.a
	same 'libdw dwz.a without its alternate file'
else
	echo 'skipped: libdw beside our decoder, for this cairn was built without it'
fi
for file in v4.o v3.o wide.o types.o zlib.o zdebug.o zstd.o; do
	alike v5.o "$file"
done
alike linked --alt dwz.alt dwz.a
alike linked --split-directory . split
alike linked --package split.dwp split
echo "dwarf: $passed passed, $failed failed"
[ $failed = 0 ]

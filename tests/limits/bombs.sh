#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files whose DWARF or symbols share their data, made by bombs.c: whatever they ask for, each
# command ends in 10 s of processor time and 64 MB of address space + 10 times the file.  Where it
# does not read all of a file, it tells so; it never runs out of memory.
#
#	bombs.sh CAIRN BOMBS
#
# With all threads, whose stacks and heaps are address space that nobody uses, peak memory is held
# against the same number.
set -u
LC_ALL=C
export LC_ALL
cairn=$1
bombs=$2
. "$(dirname "$0")/../lib/test.sh"
command -v time >/dev/null || {
	echo "skipped: no program time, which tells the peak of memory"
	exit 77
}

fail() {
	echo "$kind: $*: $(tail -1 "$work/err")"
	failed=1
}

# Runs within the limits, which are in kB and s.
bounded() {
	(ulimit -v $limit && spend 10 "$cairn" "$@") >/dev/null 2>"$work/err"
	status=$?
	[ $status -le 3 ] || fail "exit status $status: $*"
	! grep -qiE 'out of memory|no memory' "$work/err" || fail "memory is short: $*"
}

# Is what a lookup left out in the error output?  Of attributes nothing is: the reader passes over them.
reported() {
	case $kind in abbreviations | old-abbreviations | streams | ranges | inlined | old-bases)
		grep -q 'than the file.s size allows' "$work/err" ||
			fail "$1 does not report what it left out"
		;;
	esac
}

# The peak of all threads.
peak() {
	(spend 20 time -f '%M' -o "$work/peak" "$cairn" "$@") >/dev/null 2>"$work/err"
	status=$?
	[ $status -le 3 ] || fail "exit status $status: $*"
	! grep -qiE 'out of memory|no memory' "$work/err" || fail "memory is short: $*"
	[ "$(tail -1 "$work/peak")" -le $limit ] || fail "$(tail -1 "$work/peak") kB: $*"
}

# What markup looks up; the file is found by a build ID, which it need not have.
mkdir -p "$work/debug/.build-id/ab"
cat >"$work/log" <<'END'
{{{module:0:bomb:elf:abcdef}}}
{{{mmap:0x401000:0x100000:load:0:rx:0x401000}}}
{{{pc:0x401010}}} {{{bt:1:0x401022:pc}}}
END

# What cbf looks up: a backtrace and the image that it is in, which has no build ID.
printf 'p401010\nr401022\nr401f00\np450000\n' | "$cairn" cbf encode - >"$work/trace" || exit 2
printf 'M 64 Linux ok 0 -\nI 0 0x501000 - /bomb\n' | "$cairn" cbf encode --image-map - >"$work/map" ||
	exit 2
mkdir "$work/exe"

for kind in $("$bombs"); do
	file=$work/$kind
	out=$work/out
	"$bombs" "$kind" >"$file" || exit 2
	limit=$((65536 + 10 * $(wc -c <"$file") / 1024))
	bounded gsym create -j 1 --keep-going "$file" -o "$out"
	bounded symbfile create -j 1 "$file" -o "$out"
	bounded symbols write --for "$file" --force "$file" -o "$out"
	bounded where --no-cache "$file" 0x401010
	bounded dwarf dump --summary "$file"
	ln -f "$file" "$work/debug/.build-id/ab/cdef.debug"
	ln -f "$file" "$work/exe/bomb"
	bounded cbf decode --images "$work/map" --exe "$work/exe/bomb" "$work/trace"
	reported cbf
	bounded markup --compat=llvm --debug-file-directory="$work/debug" "$work/log"
	reported markup
	peak cbf decode --images "$work/map" --exe "$work/exe/bomb" "$work/trace"
	peak markup --compat=llvm --debug-file-directory="$work/debug" "$work/log"
	peak gsym create "$file" -o "$out"
	peak symbfile create "$file" -o "$out"
	rm -f "$file" "$out"
done
exit $failed

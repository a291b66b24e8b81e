#!/bin/sh
# SPDX-License-Identifier: MIT
# faults.sh CAIRN LIBRARY: a small run of each verb, with faults.
#
# Killed at its n-th system call, for each n: then the same command answers as if nothing had been, and no file is
# left but the output.  With its n-th allocation failing, and all after it, for each n (tests/tools/fail_allocation.c is
# LIBRARY): it ends with a status from 0 to 3, and if that is 0, with the right answer.
set -u
LC_ALL=C
export LC_ALL
cairn=$1 library=$2
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
failed=0 kills=0 starved=0
fail() {
	echo "FAILED: $*"
	failed=1
}
fixtures=$root/tests/fixtures
cd "$fixtures" || exit 2
mkdir "$work/cache"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
unset DEBUGINFOD_URLS

cat >"$work/commands" <<END
gsym create -j 1 --quiet -o $work/out/made dwarf/v5.o
gsym diff gsym/prog.gsym dwarf/v5.o
gsym dump gsym/prog.gsym
gsym lookup gsym/prog.gsym 0x1150
gsym verify gsym/prog.gsym
symbfile create -j 1 --quiet -o $work/out/made dwarf/linked
symbols write --quiet --machine amd64 -o $work/out/made gsym/prog.gsym
sframe dump --hex sframe/v3-amd64.hex
cbf decode cbf/trace.hex
cbf encode cbf/frames.txt
dwarf dump --summary dwarf/v5.o
where gsym/prog 0x1150
markup --debug-file-directory=markup/debug markup/frames.log
bt minidump/amd64.dmp
END

# begin: an empty directory for outputs, and an empty cache
begin() {
	rm -rf "$work/out" "$work/cache"
	mkdir "$work/out" "$work/cache"
}

# answer COMMAND...: what it prints and writes, as one text
answer() {
	"$cairn" "$@" 2>&1
	echo "status $?"
	(cd "$work/out" && find . -type f | sort | xargs -r cksum)
	(cd "$work/cache" && find . -type f | sort)
}

# kill_at N COMMAND...: at its N-th system call; false: it ended before
kill_at() {
	number=$1
	shift
	strace -f -qq -o /dev/null --inject=all:signal=KILL:when="$number" "$cairn" "$@" >/dev/null 2>&1
	[ $? -ge 128 ]
}

while read -r words; do
	begin
	# shellcheck disable=SC2086 # words
	answer $words >"$work/right"
	n=1
	while begin && kill_at $n $words; do
		kills=$((kills + 1))
		answer $words >"$work/again"
		cmp -s "$work/right" "$work/again" || {
			fail "killed at call $n: $words: another answer then: $(diff "$work/right" "$work/again" | head -n 3)"
			break
		}
		n=$((n + ${KILL_STEP:-1}))
	done
	[ $n -gt 1 ] || fail "never killed: $words"
	begin
	ALLOCATIONS=$work/count LD_PRELOAD=$library "$cairn" $words >"$work/text" 2>/dev/null
	all=$(cat "$work/count")
	n=1
	while [ $n -le "$all" ]; do
		begin
		FAIL_ALLOCATION=$n LD_PRELOAD=$library timeout 60 "$cairn" $words >"$work/starved" 2>"$work/err"
		status=$?
		starved=$((starved + 1))
		if [ $status -gt 3 ]; then
			fail "allocation $n of $all: $words: status $status: $(tail -n 1 "$work/err")"
			break
		elif [ $status = 0 ] && ! cmp -s "$work/text" "$work/starved"; then
			fail "allocation $n of $all: $words: status 0 with another answer"
			break
		fi
		n=$((n + 1 + all / ${ALLOCATIONS_MAX:-300}))
	done
	echo "$words: $all allocations"
done <"$work/commands"
echo "faults: $kills kills, $starved runs with failing allocations"
exit $failed

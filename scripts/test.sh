#!/bin/sh
# SPDX-License-Identifier: MIT
# What demo.sh does; then installs what tests need, and runs all of them: with gcc as users build
# it, the units, fuzz corpora and some inside GDB again with AddressSanitizer and
# UndefinedBehaviorSanitizer, and the units with clang.
set -eu
cd "$(dirname "$0")/.."
scripts/demo.sh
scripts/setup.sh --tests

passed=0 failed=0 skipped=0
# run DIRECTORY ARGUMENTS...: its tests, counted
run() {
	directory=$1
	shift
	meson test -C "$directory" --print-errorlogs "$@" >"$directory/test.log" 2>&1 || :
	grep -vE '^ *[0-9]+/[0-9]+ .* (OK|SKIP)|^ninja|^$|^Full log' "$directory/test.log" || :
	number() {
		sed -n "s/^$1: *\([0-9]*\).*/\1/p" "$directory/test.log" | tail -n 1
	}
	ok=$(number Ok) bad=$(number Fail) late=$(number Timeout) left=$(number Skipped)
	if [ -z "$ok" ]; then
		cat "$directory/test.log"
		bad=1
	fi
	passed=$((passed + ${ok:-0}))
	failed=$((failed + ${bad:-0} + ${late:-0}))
	skipped=$((skipped + ${left:-0}))
	sed -n 's/^ *[0-9]*\/[0-9]* \(.*[^ ]\)  *SKIP .*/skipped: \1/p' "$directory/test.log"
}

run build

# again DIRECTORY SUITES -- SETUP...: the same tests of another build
again() {
	directory=$1 suites=$2
	shift 3
	[ -f "$directory/build.ninja" ] || env "$@" >/dev/null
	meson compile -C "$directory" >"$directory/compile.log" 2>&1 || {
		grep -iE 'error|failed' "$directory/compile.log" | head -n 20
		exit 1
	}
	# shellcheck disable=SC2086 # words
	run "$directory" $suites
}

again build-san '--suite unit --suite fuzz --suite gdb-sanitized' -- meson setup build-san -Db_sanitize=address,undefined
again build-clang '--suite unit' -- CC=clang CXX=clang++ meson setup build-clang

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# What demo.sh does, with everything installed that tests need; then all tests: with gcc as users
# build it; the fuzz corpora, and units and some tests inside GDB again, with AddressSanitizer and
# UndefinedBehaviorSanitizer; and the units with clang.  Every 20 s it prints how far it has come; the last lines name what came
# near its limit (scripts/near_limits.sh) and count the tests.
#
# While packages are installed and tests of the first build run, the other two builds are compiled with the processor time
# that is left over: one package is unpacked at a time, debuggers wait, and the last tests run alone.
#
# Tests get a home and a directory for temporary files of their own.  Whatever is left in them, or under a name in /tmp
# that programs use whatever TMPDIR is, counts as a failure of the build that left it.
set -eu
cd "$(dirname "$0")/.."
. scripts/progress.sh

passed=0 failed=0 skipped=0 notes=
# one more than processors, because a test that drives a debugger waits a third of its time
processes=$(($(nproc) + 1))
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cairn-tests.XXXXXX")
mkdir "$scratch/home" "$scratch/tmp"
chmod 755 "$scratch" # processes of root that read for others are another user's
others=
trap '[ -z "$others" ] || kill "$others" 2>/dev/null || :; rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# in_scratch COMMAND...: with a home and temporary files of its own; a wrapper of the compiler keeps its directory
in_scratch() {
	env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}" \
		HOME="$scratch/home" TMPDIR="$scratch/tmp" "$@"
}

# ours_in_tmp: what programs that we test leave in /tmp whatever TMPDIR is
ours_in_tmp() {
	find /tmp -maxdepth 1 \( -name lldb -o -name 'perf-*.map' -o -name 'jit*' \) | LC_ALL=C sort
}

# find_leftovers: what tests did not remove, a line each; removes what is in the directories of ours
find_leftovers() {
	(cd "$scratch" && find home tmp -mindepth 1 -maxdepth 3 | LC_ALL=C sort)
	ours_in_tmp | LC_ALL=C comm -13 "$scratch/before" -
	rm -rf "${scratch:?}/home" "$scratch/tmp"
	mkdir "$scratch/home" "$scratch/tmp"
}
# list DIRECTORY ARGUMENTS...: the suites and names of its tests, as Meson selects them; old versions
# of Meson print `cairn:SUITES / NAME`, new ones `SUITES - cairn:NAME`
list() {
	meson test --list --no-rebuild -C "$@" 2>/dev/null |
		sed -n -e 's|^cairn:\([^ ]*\) / |\1 |p' -e 's|^\([^ ]*\) - cairn:|\1 |p' | LC_ALL=C sort
}

# tell_skipped DIRECTORY: each test that skipped, and why
tell_skipped() {
	sed -n 's/^{"name": "\([^"]*\)", \(.*"result": "SKIP".*\)/\1|\2/p' \
		"$1/meson-logs/testlog.json" |
		sed -e 's/|"stdout": "\([^"\\]*\).*/: \1/' -e 's/|.*//' -e 's/: skipped: /: /' \
			-e 's/^/skipped: /'
}

# the names of tests that were run and were not good
failed_tests() {
	sed -n -E '/"result": "(FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS|INTERRUPT)"/{
		s/^\{"name": "([^"]*)".*/\1/; s|^.* / ||; s|^.* - cairn:||; p
	}' "$1/meson-logs/testlog.json"
}

# run_again DIRECTORY: failed tests once more, each alone, because the machine may have been too busy;
# adds those that pass then to `unsteady` and all of them to `notes`, so that none is hidden.
# More than three are not the machine's fault.
run_again() {
	failed_tests "$1" >"$1/failed.txt"
	count=$(wc -l <"$1/failed.txt")
	while read -r name; do
		result=failed
		if [ "$count" -le 3 ] && in_scratch CK_TIMEOUT_MULTIPLIER=5 meson test -C "$1" -t 10 --no-rebuild \
			--logbase again "$name" >"$1/again.log" 2>&1 </dev/null &&
			grep -q '^Ok: *1' "$1/again.log"; then
			result='failed, then passed alone'
			unsteady=$((unsteady + 1))
		fi
		notes="$notes$result: $1: $name
"
	done <"$1/failed.txt"
}

# run DIRECTORY ARGUMENTS...: its tests, counted
run() {
	directory=$1
	shift
	list "$directory" "$@" >"$directory/tests.txt"
	listed=$(wc -l <"$directory/tests.txt")
	echo "$directory: $listed tests, checksum of their names" \
		"$(cksum <"$directory/tests.txt" | cut -d ' ' -f 1)"
	# no test measures time, and a limit that a busy machine exceeds proves nothing
	ours_in_tmp >"$scratch/before"
	show_progress 20 "$directory/test.log" "$directory: tests" in_scratch CK_TIMEOUT_MULTIPLIER=5 \
		meson test -C "$directory" -t 5 --num-processes "$processes" --print-errorlogs "$@" || :
	grep -vE '^ *[0-9]+/[0-9]+ .* (OK|SKIP|EXPECTEDFAIL)|^ninja|^$|^Full log' \
		"$directory/test.log" || :
	number() {
		sed -n "s/^$1: *\([0-9]*\).*/\1/p" "$directory/test.log" | tail -n 1 | grep . || echo 0
	}
	good=$(($(number Ok) + $(number 'Expected Fail')))
	left=$(number Skipped)
	scripts/near_limits.sh "$directory" | sed "s|: |: $directory: |" >>"$scratch/near.txt"
	# whatever is neither, or was never run, is not good; nor is a build without tests
	unsteady=0
	run_again "$directory"
	find_leftovers >"$directory/leftovers.txt"
	good=$((good + unsteady))
	bad=$((listed - good - left))
	[ "$listed" != 0 ] || bad=1
	[ ! -s "$directory/leftovers.txt" ] || {
		bad=$((bad + 1))
		notes="$notes$directory: its tests left behind:
$(sed 's/^/	/' "$directory/leftovers.txt")
"
	}
	grep -q '^Ok:' "$directory/test.log" || cat "$directory/test.log"
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + left))
	tell_skipped "$directory"
}

# The suites that run in the other builds.
san_suites='unit fuzz gdb-sanitized' clang_suites=unit

# prepare DIRECTORY LIST OPTION...: another build, in which a warning is an error, behind all else; of it the targets that
# the function LIST prints
prepare() {
	directory=$1 list=$2 status=0
	shift 2
	{
		nice -n 19 scripts/configure.sh "$directory" -Dwerror=true "$@" && targets=$($list) && {
			# shellcheck disable=SC2086 # words
			nice -n 19 ninja -C "$directory" $targets &
			working=$!
			wait $working && working=
		}
	} >"$scratch/$directory.log" 2>&1 || status=$?
}

# prepare_all DIRECTORY LIST OPTION...: the same; the last line of its log has the exit status
prepare_all() {
	prepare "$@"
	echo "exit status $status" >>"$scratch/$directory.log"
}

early_targets() {
	echo core/cli/cairn plugin/gdb/cairn-gdb.so
}

# What gcc has to say of the rest it has said in the first build.
san_targets() {
	# shellcheck disable=SC2086 # words
	scripts/list_targets.sh build-san $san_suites
	echo tests/debuggers/libdebuginfod.so.1 # which its GDB gets by a folder, not by a name
}

# Clang compiles everything, and links what it runs.
clang_targets() {
	ninja -C build-clang -t commands all | sed -n 's/.* -o \([^ ]*\.o\) -c .*/\1/p'
	# shellcheck disable=SC2086 # words
	scripts/list_targets.sh build-clang $clang_suites
}

# prepare_others: both other builds, one after the other
prepare_others() {
	working=
	trap '[ -z "$working" ] || kill $working 2>/dev/null; exit 1' TERM
	# Compilers take half the time for less optimization and no debug information, and the sanitizers see as much; no test of
	# LLDB runs there.
	with_sanitizers='-Db_sanitize=address,undefined -Dinvariants=true -Doptimization=1 -Ddebug=false -Dlldb=disabled'
	# what an earlier demo.sh needed is enough for this part of it; what is wrong is seen again below
	# shellcheck disable=SC2086 # words
	[ ! -f build/.configured ] || prepare build-san early_targets $with_sanitizers
	until [ -f "$scratch/installed" ]; do
		kill -0 $$ 2>/dev/null || exit 1
		sleep 1
	done
	# shellcheck disable=SC2086
	prepare_all build-san san_targets $with_sanitizers
	# As users build it, without invariants: these are in both other builds. No test reads its debug information, which
	# is five sixths of each object.
	export CC=clang CXX=clang++
	prepare_all build-clang clang_targets -Doptimization=0 -Ddebug=false
}

# await_build DIRECTORY: what prepare_others says of it, as it says it; its exit status
await_build() {
	tail -n +1 -f --pid="$others" "$scratch/$1.log" | sed '/^exit status /q'
	grep -q '^exit status 0$' "$scratch/$1.log"
}

# again DIRECTORY SUITE...: the same tests of another build
again() {
	directory=$1
	shift
	suites=$(printf ' --suite %s' "$@")
	if show_progress 20 "$directory/compile.log" "$directory: compiled" await_build "$directory"; then
		# shellcheck disable=SC2086 # words
		run "$directory" $suites
	else
		grep -iE 'error|failed' "$directory/compile.log" | head -n 20
		echo "$directory: not built"
		failed=$((failed + 1))
	fi
}

mkdir -p build-san build-clang
: >"$scratch/build-san.log"
: >"$scratch/build-clang.log"
prepare_others &
others=$!
scripts/setup.sh --tests
scripts/demo.sh
: >"$scratch/installed"
# the corpora run with sanitizers, below
run build --no-suite fuzz
# shellcheck disable=SC2086 # words
again build-san $san_suites
again build-clang $clang_suites

printf '%s' "$notes"
cat "$scratch/near.txt"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests that take long: scripts/long.sh [PART...], of these parts (all when none is named):
#
#	fuzz    each fuzz target for LONG_FUZZ_SECONDS (30), by scripts/fuzz.sh
#	tsan    what has threads, with ThreadSanitizer: conversions, the server and its clients, shared symbols
#	msan    base, formats, all that plugins link, and output with MemorySanitizer: the fuzz corpora, and golden tests
#	ppc     a static build for 32-bit big-endian PowerPC in qemu-user: the fuzz corpora, and the golden tests
#	i386    the same for 32-bit x86
#	integer numbers without a sign that lose bits (clang's -fsanitize=integer): golden tests and fuzz corpora; what may
#	        is in integer.ignore
#	races   GDB and LLDB attach 50 times each to a program that registers and removes code as fast as it can
#	service `cairn serve` with a collector of OpenTelemetry and a browser, and its memory over LONG_SERVE_SECONDS (1800)
#	fleet   workers, broker, store and a network that die, for two minutes (scripts/fleet.sh), and the processor time of a worker;
#	        2,000 dumps by Slurm; `cairn group` with a million crashes, and with 1,000 of 20 bugs (scripts/group_grid.sh)
#	faults  verbs killed at each of their system calls, and with the n-th allocation failing, for each n
#
# A part that passed for this commit is not run again, unless it is named: its result is in
# build-long/PART.passed.  Each takes less than an hour on two cores.  A part whose tools are missing is skipped
# by name.  The last line has the numbers; exit status 1: a part failed.
set -u
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
cd "$top" || exit 2
mkdir -p build-long
passed=0 failed=0 skipped=0
. scripts/checkout.sh
commit=$(own_git rev-parse HEAD 2>/dev/null)$(own_git diff HEAD 2>/dev/null | cksum)

# need COMMAND...: is it there?
need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || {
			echo "skipped: no $tool"
			return 77
		}
	done
}

# build DIRECTORY OPTION...: configured if it is new, then what `targets` names
build() {
	directory=$1
	shift
	[ -f "$directory/build.ninja" ] || meson setup "$directory" -Dinvariants=true "$@" >"build-long/$part.setup.log" 2>&1 || {
		tail -n 5 "build-long/$part.setup.log"
		return 1
	}
	# shellcheck disable=SC2086 # words
	ninja -C "$directory" ${targets:-} >"build-long/$part.ninja.log" 2>&1 || {
		grep -E 'error|FAILED' "build-long/$part.ninja.log" | head -n 5
		return 1
	}
}

fuzz_targets() {
	ninja -C "$1" -t targets all 2>/dev/null | sed -n 's|^\(tests/fuzz/fuzz_[a-z_0-9]*\):.*_LINKER.*|\1|p'
}

# test_build DIRECTORY SELECTION...: Meson's tests; what failed is named
test_build() {
	directory=$1
	shift
	# emulators and sanitizers are slow, and Check has a limit of its own
	CK_TIMEOUT_MULTIPLIER=20 meson test -C "$directory" --no-rebuild -t 20 "$@" >"build-long/$part.test.log" 2>&1
	status=$?
	sed -n 's/^\(Ok\|Fail\|Timeout\|Skipped\): */\1 /p' "build-long/$part.test.log" | tr '\n' ' '
	echo
	[ $status = 0 ] || grep -E ' (FAIL|TIMEOUT|ERROR) ' "build-long/$part.test.log"
	return $status
}

# The golden tests of a build without libraries, in both programs: what they print is the same.
same_golden() {
	targets=core/cli/cairn
	build build-long/plain --auto-features=disabled || return 1
	for program in "$top/build-long/plain/core/cli/cairn" "$1"; do
		LIBDW=no tests/golden/golden.sh "$program" | sed '/^[+-][+-][+-] /d' >"build-long/$part.golden.new"
		tail -n 1 "build-long/$part.golden.new"
		[ "$program" = "$1" ] || mv "build-long/$part.golden.new" "build-long/$part.golden.plain"
	done
	cmp "build-long/$part.golden.plain" "build-long/$part.golden.new"
}

# part_cross NAME TRIPLET QEMU FAMILY ENDIAN
part_cross() {
	need "$2-gcc" "$3" || return
	cross=build-long/$1
	sed -e "s/@CPU@/$1/; s/@TRIPLET@/$2/; s/@QEMU@/$3/; s/@FAMILY@/$4/; s/@ENDIAN@/$5/" scripts/cross.ini.in \
		>"build-long/$1.ini"
	targets=core/cli/cairn
	# what a 32-bit size_t cannot hold is a warning of these compilers alone
	build "$cross" --cross-file "build-long/$1.ini" --auto-features=disabled -Dwerror=true -Dc_args=-Wno-psabi || return 1
	targets=$(fuzz_targets "$cross")
	build "$cross" || return 1
	printf '#!/bin/sh\nexec %s %s/core/cli/cairn "$@"\n' "$3" "$top/$cross" >"build-long/cairn-$1"
	chmod +x "build-long/cairn-$1"
	same_golden "$top/build-long/cairn-$1" || return 1
	test_build "$cross" --suite fuzz
}

part_ppc() { part_cross ppc powerpc-linux-gnu qemu-ppc ppc big; }
part_i386() { part_cross i386 i686-linux-gnu qemu-i386 x86 little; }

part_msan() {
	# older ones do not know that fstat() writes what it is given
	need clang-19 || return
	CC=clang-19 CXX=clang++-19
	export CC CXX
	targets=core/cli/cairn
	build build-long/msan -Db_sanitize=memory -Db_lundef=false --auto-features=disabled || return 1
	targets=$(fuzz_targets build-long/msan)
	build build-long/msan || return 1
	same_golden "$top/build-long/msan/core/cli/cairn" || return 1
	test_build build-long/msan --suite fuzz
}

part_tsan() {
	targets=
	build build-long/tsan -Db_sanitize=thread -Db_lundef=false || return 1
	TSAN_OPTIONS='halt_on_error=1 exitcode=99'
	export TSAN_OPTIONS
	test_build build-long/tsan --suite net --suite golden --suite unit
}

part_integer() {
	need clang || return
	CC=clang CXX=clang++
	export CC CXX
	# without implicit conversions: a store of the low bytes of a number, and a number that is less than 256, are such
	set -- -Db_lundef=false -Dlldb=disabled -Dgdb=disabled -Dc_link_args=-fsanitize=integer \
		"-Dc_args=-g1 -fsanitize=integer -fno-sanitize=implicit-conversion -fno-sanitize-recover=all \
-fsanitize-ignorelist=$top/scripts/integer.ignore"
	targets=core/cli/cairn
	build build-long/integer "$@" || return 1
	targets=$(fuzz_targets build-long/integer)
	build build-long/integer "$@" || return 1
	tests/golden/golden.sh "$top/build-long/integer/core/cli/cairn" >build-long/integer.golden.log || {
		grep -hE 'runtime error|differs' build-long/integer.golden.log | sort -u
		return 1
	}
	tail -n 1 build-long/integer.golden.log
	test_build build-long/integer --suite fuzz
}

part_fuzz() {
	need clang || return
	FUZZ_BUILD=$top/build-long/fuzz
	export FUZZ_BUILD
	(cd build-long && ../scripts/fuzz.sh all "${LONG_FUZZ_SECONDS:-30}") 2>&1 | tee build-long/targets.log | tail -n 5
	grep -q ' 0 stopped$' build-long/targets.log
}

part_fleet() {
	targets="core/cli/cairn tests/fleet/letters"
	build build-long/fleet -Damqp=enabled || return 77
	scripts/fleet.sh "$top/build-long/fleet" || return
	tests/fleet/slurm.sh "$top/build-long/fleet/core/cli/cairn" tests/fixtures 2000 || return
	tests/bench/group.sh "$top/build-long/fleet/core/cli/cairn" || return
	scripts/group_grid.sh "$top/build-long/fleet/core/cli/cairn" build-long/grid
}

part_faults() {
	need strace || return
	targets='core/cli/cairn tests/tools/libfail_allocation.so'
	build build-long/faults || return 1
	scripts/faults.sh "$top/build-long/faults/core/cli/cairn" "$top/build-long/faults/tests/tools/libfail_allocation.so"
}

part_service() {
	need curl || return
	targets=
	build build-long/service || return 1
	scripts/unpack_collector.sh build-long/collector || return 1
	CAIRN_COLLECTOR=$top/build-long/collector/collector
	export CAIRN_COLLECTOR
	test_build build-long/service 'service collector' 'service page' 'service faults' service || return 1
	ninja -C build-long/service tests/bench/serve_names >build-long/service.ninja.log 2>&1 || return 1
	tests/bench/serve_memory.sh build-long/service/core/cli/cairn build-long/service/tests/bench/serve_names \
		build-long/service/core/cli/cairn "${LONG_SERVE_SECONDS:-1800}"
}

part_races() {
	targets=tests/jit/jit_race
	build build-long/races || return 1
	for debugger in gdb lldb; do
		tests/jit/race.sh "$top/build-long/races/tests/jit/jit_race" 50 $debugger || return
	done
}

# run_part NAME
run_part() {
	part=$1
	begun=$(date +%s)
	(part_"$1") >"build-long/$1.log" 2>&1
	status=$?
	took=$(($(date +%s) - begun))
	sed "s/^/$1: /" "build-long/$1.log"
	case $status in
	0)
		passed=$((passed + 1))
		echo "$commit" >"build-long/$1.passed"
		;;
	77) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	echo "$1: status $status after $took s"
}

if [ $# -gt 0 ]; then
	for part in "$@"; do
		case $part in
		fuzz | tsan | msan | ppc | i386 | integer | faults | fleet | races | service) run_part "$part" ;;
		*)
			sed -n '3,16s/^# \{0,1\}//p' "$0"
			exit 2
			;;
		esac
	done
else
	for part in msan tsan ppc i386 integer faults fleet races service fuzz; do
		[ "$(cat "build-long/$part.passed" 2>/dev/null)" = "$commit" ] || run_part "$part"
	done
fi
echo "long.sh: $passed parts passed, $failed failed, $skipped skipped"
[ $failed = 0 ]

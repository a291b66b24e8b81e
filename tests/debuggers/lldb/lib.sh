# SPDX-License-Identifier: MIT
# For the tests that run a real LLDB: sourced, not run.  STEPS is the plugin for tests (commands.cc).
#
# A tool that is missing means exit 77: skipped, and why is printed.

set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
programs=${here%/tests/*}/tests/fixtures/programs
: "${CAIRN?path of cairn}" "${STEPS?path of the plugin}" "${LLDB:=lldb-19}" "${CC_TARGET:=cc}"

skip() {
	echo "skipped: $1"
	exit 77
}

fail() {
	echo "failed: $1"
	exit 1
}

for tool in "$LLDB" "$CC_TARGET" objcopy strip nm awk readelf; do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done
[ -n "$STEPS" ] || skip 'no headers of LLDB (liblldb-19-dev), or no C++ compiler'

tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-lldb.XXXXXX")
# What a sanitizer in the plugin found is a failure, whatever the test made of it.
finish() {
	status=$?
	if ls "$tmp"/sanitizer.* >/dev/null 2>&1; then
		cat "$tmp"/sanitizer.*
		status=1
	fi
	rm -rf "$tmp"
	exit "$status"
}
export UBSAN_OPTIONS="print_stacktrace=1:log_path=$tmp/sanitizer"
export ASAN_OPTIONS="detect_leaks=0:log_path=$tmp/sanitizer" # LLDB keeps what it has until it ends
trap finish EXIT
export TMPDIR="$tmp" # where LLDB makes a folder and leaves it
# The name of a program is on its stack: all builds are run by names of one length.
mkdir "$tmp/eh" "$tmp/no"

# build NAME FLAGS...: $tmp/eh/NAME with symbols and .eh_frame, $tmp/no/NAME with neither, and what
# cairn makes of that, $tmp/NAME.debug.  Every address is the same in both.
build() {
	name=$1
	shift
	echo 'int x;' >"$tmp/probe.c"
	"$CC_TARGET" -c -Wa,--gsframe "$tmp/probe.c" -o "$tmp/probe.o" 2>/dev/null ||
		skip "the assembler does not know --gsframe"
	"$CC_TARGET" "$@" -g0 -Wa,--gsframe -Wl,--build-id=sha1 -o "$tmp/eh/$name"
	strip_build "$name"
}

# hide NAME FLAGS...: the same, but $tmp/no/NAME has its .eh_frame in a section of another name, and no .sframe
hide() {
	name=$1
	shift
	"$CC_TARGET" "$@" -g0 -Wl,--build-id=sha1 -o "$tmp/eh/$name"
	strip --strip-debug "$tmp/eh/$name"
	objcopy --rename-section .eh_frame=.renamed "$tmp/eh/$name" "$tmp/no/$name"
	strip "$tmp/no/$name"
	"$CAIRN" symbols write --debugger=lldb --for "$tmp/no/$name" -q -o "$tmp/$name.debug"
}

# make_table NAME FLAGS...: the same, but no build has .sframe, and $tmp/no/NAME.sframe is a table made of the .eh_frame
make_table() {
	name=$1
	shift
	"$CC_TARGET" "$@" -g0 -Wl,--build-id=sha1 -o "$tmp/eh/$name"
	"$CAIRN" sframe create --quiet "$tmp/eh/$name" -o "$tmp/no/$name.sframe"
	strip_build "$name"
}

strip_build() {
	strip --strip-debug "$tmp/eh/$1"
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/eh/$1" "$tmp/no/$1"
	strip "$tmp/no/$1"
	"$CAIRN" symbols write --debugger=lldb --for "$tmp/no/$1" -q -o "$tmp/$1.debug"
}

# within SECONDS COMMAND...: killed when it takes longer, on a machine that has nothing else to do; a whole
# run of the suite allows as many times that as it allows the tests
within() {
	seconds=$1
	shift
	timeout $((seconds * ${CK_TIMEOUT_MULTIPLIER:-1})) "$@"
}

# lldb PROGRAM ARGUMENTS...: in batch mode, at the same addresses each time.  Functions of libraries are
# bound at once, so that a call of one leads straight there.
lldb() {
	program=$1
	shift
	within "${LIMIT:-300}" "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' \
		-O 'settings set target.env-vars LD_BIND_NOW=1' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' "$@" "$program" </dev/null 2>&1
}

# va NAME SYMBOL: where the symbol of the complete build is; listed once for each build
va() {
	[ "$tmp/eh/$1.symbols" -nt "$tmp/eh/$1" ] || nm "$tmp/eh/$1" >"$tmp/eh/$1.symbols"
	awk -v name="$2" '$3 == name { print $1 }' "$tmp/eh/$1.symbols"
}

# steps WHICH NAME COUNT WORD OUT ARGUMENTS...: COUNT stops to $tmp/OUT, from the function $from on
from=main
steps() {
	which=$1 name=$2 count=$3 word=$4 out=$5
	shift 5
	lldb "$tmp/$which/$name" -O "settings set -- target.run-args $word" "$@" \
		-o "plugin load $STEPS" -o "steps $(va "$name" "$from") $count $tmp/$out" \
		>"$tmp/said" || {
		cat "$tmp/said"
		fail "LLDB: $name $word"
	}
	[ -s "$tmp/$out" ] || {
		cat "$tmp/said"
		fail "no stacks: $name $word"
	}
}

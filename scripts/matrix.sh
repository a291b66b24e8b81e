#!/bin/sh
# SPDX-License-Identifier: MIT
# The host tests in the debuggers of another Debian: scripts/matrix.sh SUITE|here [DIR].
# With ONLY=gdb or ONLY=lldb in the environment in those alone, with ONLY=tables in GDB by files of `cairn sframe create` alone, with ONLY=captures those of
# `cairn open` in both, and with LLDBS="17 23" in these versions of LLDB;
# with TESTS="faults.sh steps.sh" these tests alone.
# "here" is this machine, with the versions of LLDB that its own Debian has; they are unpacked below DIR, and no root is needed.
#
# Makes a small system of that suite in DIR (default /var/tmp/cairn-SUITE) with debootstrap, when
# it is not there yet, and runs in it what is already built here: the module that Debian 12's
# compiler made must work in every GDB and LLDB.  LLDB comes in all versions that the suite has: one is
# installed, the others are unpacked beside it, because their packages conflict.  Needs root, for debootstrap and chroot.  The directory stays,
# to be used again.
set -eu
suite=${1:?usage: scripts/matrix.sh SUITE|here [DIR]}
folder=${2:-/var/tmp/cairn-$suite}
case $folder in
/*) ;;
*) folder=$PWD/$folder ;;
esac
cd "$(dirname "$0")/.."
. scripts/root.sh
root=$PWD
module=$root/build/plugin/gdb/cairn-gdb.so
[ -f "$module" ] || { echo "matrix.sh: build first: no $module"; exit 2; }
if [ "$suite" = here ]; then
	[ "${ONLY:-}" = captures ] || ONLY=lldb # what GDB does here is in the ordinary tests
elif [ "${3:-}" != --apart ]; then
	reason=$(root_hindrance "$suite")
	[ -z "$reason" ] || { echo "matrix.sh: $reason"; exit 77; }
	apart "$root/scripts/matrix.sh" "$suite" "$folder" --apart
fi

in_folder() {
	in_root "$folder" LC_ALL=C "$@"
}

# prepare_folder: a system of that suite, with GDB
prepare_folder() {
	[ -x "$folder/usr/bin/gdb" ] || make_root "$suite" "$folder"
	mount_root "$suite" "$folder"
	# at the same path, so that the module's own path is right
	mkdir -p "$folder$root"
	mount --bind "$root" "$folder$root"
	if [ ! -x "$folder/usr/bin/gdb" ]; then
		in_folder sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends gdb gdbserver gcc libc6-dev binutils' >/dev/null
	fi
	in_folder gdb --version | head -n 1
}
[ "$suite" = here ] || prepare_folder

passed=0 failed=0
tell() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
		echo "ok: $1: $(tail -n 1 "$share/last")"
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		tail -n 15 "$share/last"
	fi
	rm -f "$share/last"
}

# What makes symbols is here, and need not be there: only GDB and the programs run there.
share=$(mktemp -d)
if [ "$suite" = here ]; then
	trap 'rm -rf "$share"' EXIT
else
	mkdir -p "$folder$share"
	mount --bind "$share" "$folder$share"
	trap 'umount "$folder$share" && rmdir "$folder$share"; rm -rf "$share"' EXIT
fi
printf '#!/bin/sh\nexec chroot %s gdb "$@"\n' "$folder" >"$share/gdb"
chmod +x "$share/gdb"
# is_asked TEST: or none is asked by name
is_asked() {
	case " ${TESTS:-$1} " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# prepare_cairn: cores and captures are opened where the program's libraries are, so that the command line runs there, too
prepare_cairn() {
	in_folder "$root/build/core/cli/cairn" --version >/dev/null 2>&1 ||
		in_folder sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			libdw1 libdeflate0 liblz4-1' >/dev/null
}

run_gdb_tests() {
	for test in symbols.sh follow.sh libraries.sh before.sh mi_before.sh sessions.sh settings.sh; do
		is_asked "$test" || continue
		status=0
		TMPDIR=$share GDB=$share/gdb RUN="chroot $folder" MODULE=$module CAIRN=$root/build/core/cli/cairn \
			CAIRN_GDB=$root/build/scripts/cairn.gdb sh "$root/tests/debuggers/$test" </dev/null \
			>"$share/last" 2>&1 || status=$?
		tell "$test" $status
	done

	status=0
	! is_asked rules_gdb.sh || {
		TMPDIR=$share GDB=$share/gdb RUN="chroot $folder" sh "$root/tests/jit/rules_gdb.sh" "$root/build/tests/jit/jit_rules" "$module" \
			</dev/null >"$share/last" 2>&1 || status=$?
		tell rules_gdb.sh $status
	}

	! is_asked recipe.sh || prepare_cairn
	while read -r test flags; do
		is_asked "$test" || continue
		# shellcheck disable=SC2086 # flags are words
		status=0
		in_folder MODULE="$module" CAIRN_GDB="$root/build/scripts/cairn.gdb" \
			sh "$root/tests/debuggers/$test" $flags </dev/null >"$share/last" 2>&1 || status=$?
		tell "$test $flags" $status
	done <<'END'
live.sh -O0
live.sh -O2
live.sh -O2 -fno-omit-frame-pointer
live.sh -O2 -static
core.sh -O2
outside.sh -O2
commands.sh -O0
commands.sh -O2
steps.sh -O0 -no-pie
steps.sh -O2 -no-pie
jit.sh
robust.sh
contexts.sh
mi.sh
colors.sh
readers.sh
recipe.sh
END
}

# Stacks of programs without unwind tables by files that cairn makes here; the programs run there.
run_table_tests() {
	printf '#!/bin/sh\nexec chroot %s gdb-multiarch "$@"\n' "$folder" >"$share/gdb-multiarch"
	chmod +x "$share/gdb-multiarch"
	[ -x "$folder/usr/bin/gdb-multiarch" ] || in_folder sh -c 'apt-get update -qq &&
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gdb-multiarch' >/dev/null
	mkdir -p "$folder/usr/aarch64-linux-gnu" "$folder/usr/s390x-linux-gnu"
	for each in aarch64 s390x; do
		[ ! -d /usr/$each-linux-gnu ] || mount --bind /usr/$each-linux-gnu "$folder/usr/$each-linux-gnu"
	done
	while read -r test flags; do
		is_asked "$test" || continue
		status=0
		# shellcheck disable=SC2086 # flags are words
		TMPDIR=$share GDB=$share/gdb GDB_CROSS=$share/gdb-multiarch RUN="chroot $folder" MODULE=$module CAIRN=$root/build/core/cli/cairn \
			CAIRN_GDB=$root/build/scripts/cairn.gdb sh "$root/tests/debuggers/$test" $flags </dev/null >"$share/last" 2>&1 || status=$?
		tell "$test $flags" $status
	done <<'END'
live.sh -O0 -DSIDE_FILE
live.sh -O2 -DSIDE_FILE
core.sh -O2 -DSIDE_FILE
outside.sh -O2 -DSIDE_FILE
add_sframe.sh -O2
side_cross.sh gdb aarch64 -O2 -fomit-frame-pointer
side_cross.sh gdb s390x -O2
END
}

# versions_there COMMAND...: those that its package manager has, or that the user named
versions_there() {
	[ -z "${LLDBS:-}" ] || {
		echo "$LLDBS" | tr ' ' '\n'
		return
	}
	"$@" apt-cache search --names-only '^lldb-[0-9]+$' | sed 's/^lldb-\([0-9]*\) .*/\1/p;d' | sort -n
}

# The versions of LLDB that the suite has, and how each is started there.
list_lldb() {
	for version in $(versions_there in_folder); do
		if [ -x "$folder/usr/bin/lldb-$version" ]; then
			echo "$version /usr/bin/lldb-$version"
		elif in_folder sh /srv/unpack_lldb.sh "$version" "/srv/lldb-$version" >/dev/null; then
			echo "$version /srv/lldb-$version/lldb"
		else
			echo "matrix.sh: LLDB $version cannot be unpacked" >&2
			return 1
		fi
	done
}

list_lldb_here() {
	for version in $(versions_there env); do
		if command -v "lldb-$version" >/dev/null; then
			echo "$version $(command -v "lldb-$version")"
		elif scripts/unpack_lldb.sh "$version" "$folder/lldb-$version" >/dev/null; then
			echo "$version $folder/lldb-$version/lldb"
		else
			echo "matrix.sh: LLDB $version cannot be unpacked" >&2
			return 1
		fi
	done
}

# prepare_lldb: what LLDB needs comes with the one that is installed
prepare_lldb() {
	[ -n "$(ls "$folder"/usr/bin/lldb-[0-9]* 2>/dev/null)" ] || in_folder sh -c 'apt-get update -qq &&
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends lldb' >/dev/null
	cp scripts/unpack_lldb.sh "$folder/srv/"
}

# wrap NAME PROGRAM: $share/bin/NAME runs a program of that Debian, in the same directory
wrap() {
	cat >"$share/bin/$1" <<EOF
#!/bin/sh
# run as: $2
exec chroot $folder /usr/bin/env "HOME=\$HOME" sh -c 'cd "\$1" && shift && exec $2 "\$@"' sh "\$PWD" "\$@"
EOF
	chmod +x "$share/bin/$1"
}

# list_and_wrap: $share/versions, and a program in $share/bin for each
list_and_wrap() {
	mkdir -p "$share/bin"
	if [ "$suite" = here ]; then
		list_lldb_here >"$share/versions"
		while read -r version program; do
			ln -sf "$program" "$share/bin/lldb-$version"
		done <"$share/versions"
		return
	fi
	prepare_lldb
	list_lldb >"$share/versions"
	wrap gdb /usr/bin/gdb
	while read -r version program; do
		wrap "lldb-$version" "$program"
	done <"$share/versions"
}

run_lldb_tests() {
	list_and_wrap
	while read -r version program <&3; do
		while read -r test flags; do
			is_asked "$test" || continue
			status=0
			# shellcheck disable=SC2086 # flags are words
			TMPDIR=$share PATH=$share/bin:$PATH LLDB=lldb-$version CAIRN=$root/build/core/cli/cairn \
				STEPS=$root/build/tests/debuggers/lldb/lldb-commands.so \
				PLACES=$root/build/tests/debuggers/lldb/lldb-commands.so \
				COST=$root/build/tests/debuggers/lldb/lldb-commands.so \
				FAULTS=$root/build/tests/debuggers/lldb/lldb-faults.so \
				LLDB_PLUGIN=$root/build/plugin/lldb/cairn-lldb.so \
				LLDB_LIBRARY=$(find_liblldb "$program") \
				sh "$root/tests/debuggers/lldb/$test" $flags </dev/null >"$share/last" 2>&1 || status=$?
			tell "LLDB $version: $test $flags" $status
		done <<'TESTS'
needed.sh
plugin.sh
transcripts.sh
answers.sh
../both/play.sh lldb
colors.sh
cores.sh
auto.sh
cost.sh
faults.sh
damaged.sh
running.sh
long.sh
steps.sh -O2
TESTS
	done 3<"$share/versions"
}

# run_capture_test TITLE LLDB TEST FLAGS...: here or there
run_capture_test() {
	title=$1 lldb=$2 test=$3
	shift 3
	is_asked "$test" || return 0
	in=in_folder
	[ "$suite" != here ] || in=env
	status=0
	$in MODULE="$module" CAIRN="$root/build/core/cli/cairn" CAIRN_GDB="$root/build/scripts/cairn.gdb" LLDB="$lldb" \
		LLDB_PLUGIN="$root/build/plugin/lldb/cairn-lldb.so" sh "$root/tests/debuggers/$test" "$@" </dev/null >"$share/last" 2>&1 || status=$?
	tell "$title$test $*" $status
}

# Captures in GDB and in each LLDB: a core that `cairn open` makes is walked by both.
run_capture_tests() {
	[ "$suite" = here ] || prepare_cairn
	[ "$suite" = here ] || run_capture_test '' '' open_beside.sh gdb
	list_and_wrap
	while read -r version program <&3; do
		while read -r test flags; do
			# shellcheck disable=SC2086 # flags are words
			run_capture_test "LLDB $version: " "$program" "$test" $flags
		done <<'CAPTURES'
open_beside.sh lldb
open_minidump.sh -O2
open_minidump.sh -O2 -static
open_captured.sh -O2
open_placeholders.sh
CAPTURES
	done 3<"$share/versions"
}

# find_liblldb PROGRAM: the library that it loads, by its path on this side; here the test finds it
find_liblldb() {
	[ "$suite" != here ] || return 0
	tree=$folder/usr
	[ "$(dirname "$1")" = /usr/bin ] || tree=$folder$(dirname "$1")/usr
	find "$tree" -name 'liblldb-*.so.*' -type f | head -n 1
}

[ "${ONLY:-gdb}" != gdb ] || run_gdb_tests
case ${ONLY:-tables} in gdb | tables) [ "$suite" = here ] || run_table_tests ;; esac
[ "${ONLY:-lldb}" != lldb ] || run_lldb_tests
[ "${ONLY:-captures}" != captures ] || run_capture_tests
echo "$passed passed, $failed failed"
[ $failed = 0 ]

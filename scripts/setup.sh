#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing and builds into build/: scripts/setup.sh [--tests] [--profiles] [--fleet].
# With --tests also what only the tests use, and a warning of the compiler is an error; with --profiles what only the
# tests of profiles use beside them, some 335 MB; with --fleet a broker, a web server and Slurm, which those of workers use.  Debian 12
# and newer; elsewhere, and without root and sudo, the tools must be there already, and what is missing
# is named with the line to type.  While packages are installed and sources compiled, a line every 4 s
# tells how far it is.
set -eu
cd "$(dirname "$0")/.."
for_tests= for_profiles= for_fleet=
for option in "$@"; do
	case $option in
	--tests) for_tests=yes ;;
	--profiles) for_profiles=yes ;;
	--fleet) for_fleet=yes ;;
	*)
		[ "$option" = --help ] || [ "$option" = -h ] || exec >&2
		echo 'usage: scripts/setup.sh [--tests] [--profiles] [--fleet]     installs what is missing (with --tests for tests, too), and builds'
		[ "$option" = --help ] || [ "$option" = -h ] || exit 2
		exit 0
		;;
	esac
done
. scripts/progress.sh

# what a user runs; the tests are built with everything
targets='cairn:executable cairn-gdb'
tests=
# SETUP_OPTIONS=tests: with the options that --tests has, so that what is built here is not built again for the tests
options=
test_options='-Dwerror=true -Dinvariants=true'
[ "${SETUP_OPTIONS:-}" != tests ] || options=$test_options
# without these there is nothing to build or to show
needed='gcc libc6-dev meson ninja-build pkg-config binutils libelf-dev libdw-dev gdb'
# of names with a bar between them any will do, and the first is preferred
packages="$needed libmicrohttpd-dev libzstd-dev liblzma-dev liblz4-dev zlib1g-dev libdeflate-dev librabbitmq-dev"
# libcurl comes in several builds, and any will do
pkg-config --exists libcurl 2>/dev/null || packages="$packages libcurl4-openssl-dev"
[ -z "$for_profiles" ] || packages="$packages golang-go linux-perf"
[ -z "$for_fleet" ] || packages="$packages rabbitmq-server nginx-light iproute2 curl slurmctld slurmd slurm-client munge"
if [ -n "$for_tests" ]; then
	targets=
	options=$test_options tests=yes
	packages="$packages g++ check clang clang-format clang-tidy gdbserver gdb-multiarch qemu-user xz-utils
		binutils-dev llvm llvm-19 gcc-aarch64-linux-gnu libc6-dev-arm64-cross file zstd lz4 elfutils
		libc6-dev-i386 lib32gcc-12-dev|lib32gcc-14-dev|lib32gcc-15-dev|lib32gcc-16-dev
		libc6-dev-s390x-cross binutils-s390x-linux-gnu
		libgcc-12-dev-s390x-cross|libgcc-14-dev-s390x-cross|libgcc-15-dev-s390x-cross
		libc6-dev-ppc64el-cross binutils-powerpc64le-linux-gnu
		libgcc-12-dev-ppc64el-cross|libgcc-14-dev-ppc64el-cross|libgcc-15-dev-ppc64el-cross
		debuginfod libdebuginfod1|libdebuginfod1t64 curl time lldb-19 liblldb-19-dev libunwind-19 libunwind-dev
		lowdown mandoc zsh fish valgrind git libbz2-dev"
fi

installed() {
	dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

# missing NAME|NAME...: none of these is installed
missing() {
	for each in $(echo "$1" | tr '|' ' '); do
		! installed "$each" || return 1
	done
}

# choose NAME|NAME...: the first of these that this Debian has; if it has none, tells so, and the
# tests that need it will skip.  Without lists of packages the first name is as good as any.
choose() {
	[ -n "$known" ] || {
		echo "${1%%|*}"
		return
	}
	for each in $(echo "$1" | tr '|' ' '); do
		if echo "$known" | grep -qx "Package: $each"; then
			echo "$each"
			return
		fi
	done
	echo "Not in this Debian: $1" >&2
}

# choose_all NAME...: of all of these
choose_all() {
	# shellcheck disable=SC2046 # a list of names
	known=$(apt-cache show $(echo "$*" | tr '|' ' ') 2>/dev/null | sed -n '/^Package: /p')
	for package in "$@"; do choose "$package"; done
}

# install NAME...: as root, by sudo, or not at all
install() {
	as_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || return 1
		as_root=sudo
		sudo -v || return 1 # asks for the password here, where it is seen
	fi
	show_progress 4 build/install.log 'reading lists of packages' $as_root apt-get update || {
		tail -n 5 build/install.log
		return 1
	}
	chosen=$(choose_all "$@")
	[ -n "$chosen" ] || return 0
	echo "Installing:" $chosen
	# shellcheck disable=SC2086 # a list of names
	show_progress 4 build/install.log 'installing' $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends $chosen || {
		tail -n 5 build/install.log
		return 1
	}
}

# has_changed: were packages installed or removed since the build was configured?
has_changed() {
	[ -n "$(find "${DPKG_STATUS:-/var/lib/dpkg/status}" -newer build/.configured 2>/dev/null)" ]
}

# tell_missing NAME...: the line to type; ends the script if what is needed is among them
tell_missing() {
	echo "Not installed: $*"
	echo "As root:       apt-get install --no-install-recommends" $(choose_all "$@")
	for package in $needed; do
		! missing "$package" || {
			echo "cairn cannot be built without $package." >&2
			exit 1
		}
	done
	echo "Going on without them."
}

mkdir -p build
if command -v dpkg-query >/dev/null; then
	wanted=
	for package in $packages; do
		! missing "$package" || wanted="$wanted $package"
	done
	if [ -n "$wanted" ]; then
		# shellcheck disable=SC2086 # a list of names
		if install $wanted; then
			rm -f build/.configured # it may have been built before these were there
		else
			tell_missing $wanted
		fi
	fi
	# an old LLDB beside it: for its headers, and to be run
	[ -z "$tests" ] || [ -x build/lldb-14/lldb ] || {
		show_progress 4 build/lldb.log 'unpacking an older LLDB' scripts/unpack_lldb.sh 14 build/lldb-14 &&
			rm -f build/.configured || [ $? = 77 ] || {
			cat build/lldb.log
			exit 1
		}
	}
	! has_changed || rm -f build/.configured # Meson does not look again for what it did not find
else
	for tool in cc meson ninja pkg-config gdb; do
		command -v "$tool" >/dev/null || echo "Not installed: $tool"
	done
fi

# shellcheck disable=SC2086 # none means none
if [ -n "$tests" ] || [ ! -f build/.configured ]; then
	# shellcheck disable=SC2086 # options are words
	show_progress 4 build/configure.log 'configuring' scripts/configure.sh build $options || {
		cat build/configure.log
		exit 1
	}
	: >build/.configured
fi
# list_for_tests: what is built for all tests but the corpora, whose programs are built when they are to run; Meson alone
# would build the program of each test
list_for_tests() {
	for group in all meson-test-prereq; do
		ninja -C build -t query $group | sed -n '/^  input:/,/^  outputs:/s/^    |* *//p'
	done | grep -v -x -e meson-test-prereq -e 'tests/fuzz/fuzz_.*' || : # none: this ninja does not tell
}

compile="meson compile -C build $targets"
[ -z "$tests" ] || compile="ninja -C build $(list_for_tests)"
# shellcheck disable=SC2086 # words; none means all
show_progress 4 build/compile.log 'compiling' $compile || {
	grep -iE 'error|failed' build/compile.log | head -n 20
	exit 1
}

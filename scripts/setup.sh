#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing and builds into build/: scripts/setup.sh [--tests].
# With --tests also what only the tests use.  Debian 12 and newer; elsewhere the tools must be
# there already, and what is missing is named.
set -eu
cd "$(dirname "$0")/.."

# what a user runs; the tests are built with everything
targets='cairn:executable cairn-gdb'
packages='gcc libc6-dev meson ninja-build pkg-config binutils libelf-dev libdw-dev gdb
	libmicrohttpd-dev libzstd-dev liblzma-dev'
# libcurl comes in several builds, and any will do
pkg-config --exists libcurl 2>/dev/null || packages="$packages libcurl4-openssl-dev"
if [ "${1:-}" = --tests ]; then
	targets=
	packages="$packages g++ check clang clang-format gdbserver gdb-multiarch qemu-user xz-utils
		binutils-dev zlib1g-dev llvm llvm-19 gcc-aarch64-linux-gnu libc6-dev-arm64-cross file zstd
		debuginfod libdebuginfod1"
fi

missing() {
	for package in $packages; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
			echo "$package"
	done
}

if command -v dpkg-query >/dev/null; then
	wanted=$(missing)
	if [ -n "$wanted" ]; then
		as_root=
		[ "$(id -u)" = 0 ] || as_root=sudo
		echo "Installing:" $wanted
		$as_root apt-get update -qq
		# shellcheck disable=SC2086 # a list of names
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends $wanted >/dev/null
	fi
else
	for tool in cc meson ninja pkg-config gdb; do
		command -v "$tool" >/dev/null || echo "missing: $tool"
	done
fi

[ -f build/build.ninja ] || meson setup build >/dev/null
# shellcheck disable=SC2086 # none means all
meson compile -C build $targets >build/compile.log 2>&1 || {
	grep -iE 'error|failed' build/compile.log | head -n 20
	exit 1
}

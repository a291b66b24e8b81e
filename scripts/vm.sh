#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests of the suite `vm` on the existing build: scripts/vm.sh [arm64] [BUILD]
#
# They start a small virtual machine: the crash handler because it changes settings of the kernel, and with
# arm64 the stacks of aarch64, and its recordings of perf, because they need its kernel. What they need and the ordinary
# tests do not is got here, on Debian: qemu and busybox are installed (by root), kernels are only unpacked, into
# ${XDG_CACHE_HOME:-~/.cache}/cairn-vm. It is some 200 MB, with arm64 400 more.
set -eu
cd "$(dirname "$0")/.."
machine=amd64
[ "${1:-}" != arm64 ] || { machine=arm64; shift; }
build=${1:-build}
[ -f "$build/build.ninja" ] || { echo "no build in $build: meson setup $build"; exit 1; }
[ "$(dpkg --print-architecture)" = amd64 ] || { echo 'skipped: this prepares a machine of amd64'; exit 77; }
folder=${XDG_CACHE_HOME:-$HOME/.cache}/cairn-vm

# require COMMAND PACKAGE
require() {
	command -v "$1" >/dev/null && return
	[ "$(id -u)" = 0 ] || { echo "as root: apt-get install --no-install-recommends $2"; exit 77; }
	apt-get install -y --no-install-recommends "$2"
}

# unpack PACKAGE: into the current directory
unpack() {
	apt-get download "$1"
	dpkg-deb -x "$1"_*.deb .
	rm "$1"_*.deb
}

find_kernel() {
	package=$(apt-cache depends "linux-image-cloud-$machine" | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	[ -n "$package" ] || { echo "apt knows no linux-image-cloud-$machine; apt-get update?"; exit 1; }
}

require busybox busybox-static
if [ $machine = amd64 ]; then
	require qemu-system-x86_64 qemu-system-x86
	if ! ls "$folder"/boot/vmlinuz-* >/dev/null 2>&1; then
		mkdir -p "$folder"
		find_kernel
		(cd "$folder" && unpack "$package")
	fi
	CAIRN_VM_KERNEL=$(ls "$folder"/boot/vmlinuz-* | tail -n 1)
	export CAIRN_VM_KERNEL
	exec meson test -C "$build" --suite vm --verbose
fi

require qemu-system-aarch64 qemu-system-arm
require aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
folder=$folder/arm64
# what perf of Debian 12 is linked to
perf_packages='linux-perf libbabeltrace1 libblkid1 libbz2-1.0 libc6 libcap2 libcom-err2 libcrypt1 libdw1 libelf1 libexpat1 libffi8 libgcc-s1
	libglib2.0-0 libgssapi-krb5-2 libk5crypto3 libkeyutils1 libkrb5-3 libkrb5support0 liblzma5 libmd0 libmount1 libnuma1 libopencsd1
	libpcre2-8-0 libperl5.36 libpython3.11 libselinux1 libslang2 libssl3 libstdc++6 libtinfo6 libunwind8 libuuid1 libzstd1 zlib1g'
# packages of another machine, by lists of their own: the settings of apt and dpkg stay as they are
if [ ! -f "$folder/vmlinuz" ] || [ ! -d "$folder/perf" ]; then
	rm -rf "$folder"
	mkdir -p "$folder/lists/partial" "$folder/packages/archives/partial" "$folder/files"
	: >"$folder/status"
	printf '%s\n' 'APT::Architecture "arm64";' 'APT::Architectures { "arm64"; };' "Dir::State::lists \"$folder/lists\";" \
		"Dir::Cache \"$folder/packages\";" "Dir::State::status \"$folder/status\";" >"$folder/apt.conf"
	APT_CONFIG=$folder/apt.conf
	export APT_CONFIG
	apt-get update
	find_kernel
	(cd "$folder/files" && unpack "$package" && unpack busybox-static)
	mkdir "$folder/packed"
	(cd "$folder/packed" && for one in $perf_packages; do unpack "$one"; done)
	unset APT_CONFIG
	rm -rf "$folder/packed/usr/share"
	mv "$folder/packed" "$folder/perf"
	cp "$folder/files/bin/busybox" "$folder/busybox"
	cp "$folder"/files/boot/vmlinuz-* "$folder/vmlinuz"
	rm -rf "$folder/files" "$folder/lists" "$folder/packages"
fi
sed -e 's/@CPU@/arm64/; s/@TRIPLET@/aarch64-linux-gnu/; s/@QEMU@/qemu-aarch64/; s/@FAMILY@/aarch64/; s/@ENDIAN@/little/' \
	scripts/cross.ini.in >"$folder/cross.ini"
[ -f build-vm/build.ninja ] || meson setup build-vm --cross-file "$folder/cross.ini" --auto-features=disabled -Dstatic=true
ninja -C build-vm core/cli/cairn
cp build-vm/core/cli/cairn "$folder/cairn"
CAIRN_VM_ARM64=$folder
export CAIRN_VM_ARM64
exec meson test -C "$build" --verbose 'bt in a virtual machine' 'recordings in a virtual machine'

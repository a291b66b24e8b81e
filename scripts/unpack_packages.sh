#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks packages of this machine's Debian, of any architecture, for scripts that want many programs and libraries: nothing is installed.
#
#	unpack_packages.sh ARCHITECTURE DIR [PACKAGE...]
#
# Without packages it takes a list of some 80 with libraries and programs in C, C++, Fortran, Go and Rust. A package that the archive
# does not have for the architecture is left out, with a message.
set -eu
architecture=${1:?usage: unpack_packages.sh ARCHITECTURE DIR [PACKAGE...]} folder=${2:?usage: unpack_packages.sh ARCHITECTURE DIR [PACKAGE...]}
shift 2
[ $# -gt 0 ] || set -- bash coreutils util-linux tar grep sed findutils gawk vim git openssh-client curl wget rsync gnupg gpgsm nginx-core redis-server \
	sqlite3 libsqlite3-0 postgresql-client-15 libpq5 mariadb-client-core libmariadb3 libssl3 libgnutls30 libgcrypt20 nettle-bin libhogweed6 libgmp10 libmpfr6 \
	libc6 libstdc++6 libgfortran5 libgomp1 libpython3.11-stdlib libpython3.11 perl-base libruby3.1 liblua5.4-0 php8.2-cli nodejs libglib2.0-0 libgtk-3-0 \
	libcairo2 libpango-1.0-0 libfreetype6 libharfbuzz0b libpixman-1-0 libx11-6 libqt5core5a libqt5gui5 libqt5widgets5 libboost-regex1.74.0 libicu72 libxml2 libxslt1.1 \
	libavcodec59 libavformat59 libavutil57 libx264-164 libx265-199 libvpx7 libopus0 ffmpeg imagemagick-6.q16 libmagickcore-6.q16-6 libtiff6 libjpeg62-turbo libpng16-16 \
	libopenblas0-pthread libfftw3-double3 libblas3 liblapack3 ripgrep fd-find bat gh golang-github-xenolf-lego-dev restic rclone zstd xz-utils libzstd1 liblz4-1 brotli
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/archive.sh"
mkdir -p "$folder"
from=$(archive)
fetch_list "$from" "$codename" "$architecture" "$folder/packages.list"
for package; do
	unpack_listed "$from" "$folder/packages.list" "$package" "$folder/$architecture" || {
		[ $? = 1 ] || exit 1
		echo "unpack_packages.sh: no $package of $architecture" >&2
	}
done
rm -f "$folder/packages.list"

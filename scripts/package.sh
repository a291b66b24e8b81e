#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian packages of HEAD, built and tried in fresh systems: scripts/package.sh [SUITE [FOLDER]].
#
# Makes a Debian of SUITE (default bookworm) with debootstrap, builds the packages of scripts/packaging/debian in it
# from a tree that git exports, and runs lintian, which may find nothing.  Then it makes a second one without the
# tree, installs the packages by apt from a local repository, runs debian/tests there, and purges them, after which
# nothing of cairn may be left.  The packages stay in FOLDER (default build-packages/SUITE).  With
# DEB_BUILD_OPTIONS=nocheck in the environment the unit tests do not run.  Needs root and a Debian archive; without
# these it says so and exits with 77.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
. scripts/root.sh

# say WORDS: a step, with the seconds since the first one
say() {
	echo "== $suite, after $(($(date +%s) - began)) s: $*"
}

# export_tree FOLDER: the sources of HEAD with debian/
export_tree() {
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
	tree=$1/src/cairn-$version
	mkdir -p "$tree"
	git archive HEAD | tar -x -C "$tree"
	cp -r scripts/packaging/debian "$tree/debian"
	sed -i -e "s/@VERSION@/$version/" -e "s/@DATE@/$(git log -1 --format=%cD)/" "$tree/debian/changelog"
	# the text of the licence, as a copyright file wants it
	sed -n '/^Permission/,$p' LICENSE | sed -e 's/^$/./' -e 's/^/ /' >"$1/src/licence"
	sed -i -e "s/@COPYRIGHT@/$(sed -n 's/^Copyright (c) //p' LICENSE)/" -e "/@LICENSE@/{
		r $1/src/licence
		d
	}" "$tree/debian/copyright"
}

build_packages() {
	make_root "$suite" "$1"
	export_tree "$1"
	mount_root "$suite" "$1"
	# what was carried from this machine may be a package's own file there
	echo 'Dpkg::Options { "--force-confold"; };' >"$1/etc/apt/apt.conf.d/zz-package"
	say 'the tools of the build'
	cat >"$1/src/build" <<END
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /src/cairn-*
{ apt-get update -qq &&
	apt-get install -y -qq --no-install-recommends dpkg-dev lintian apt-utils &&
	apt-get build-dep -y -qq --no-install-recommends ./; } >../apt.log 2>&1 || {
	tail -n 40 ../apt.log
	exit 1
}
export DEB_BUILD_OPTIONS='${DEB_BUILD_OPTIONS:-}'
echo "== building"
dpkg-buildpackage -us -uc -b >../log 2>&1 || {
	tail -n 60 ../log
	exit 1
}
grep -E '^(Ok|Fail|Skipped): ' ../log || :
echo "== lintian"
lintian --version
lintian --fail-on error,warning --tag-display-limit 0 ../*.changes
cd ..
mkdir repository
mv *.deb repository
cd repository
apt-ftparchive packages . >Packages
END
	in_root "$1" sh /src/build
	mkdir -p "$2"
	rm -f "$2"/*
	cp "$1"/src/repository/* "$2"
	rm -rf "$1/repository"
}

try_packages() {
	make_root "$suite" "$1"
	mount_root "$suite" "$1"
	mkdir -p "$1/repository" "$1/src/debian"
	cp "$2"/* "$1/repository"
	cp -r scripts/packaging/debian/tests "$1/src/debian"
	echo 'deb [trusted=yes] file:/repository ./' >"$1/etc/apt/sources.list.d/cairn.list"
	say 'installing the packages in a second system'
	cat >"$1/src/try" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive
packages=$(sed -n 's/^Package: //p' /repository/Packages | grep -v dbgsym)
apt-get update -qq
# shellcheck disable=SC2086 # words
apt-get install -y -qq --no-install-recommends $packages >/dev/null
apt-get install -y -qq --no-install-recommends binutils gcc libc6-dev pkg-config >/dev/null
for package in $packages; do
	dpkg -s $package | grep -q '^Status: install ok installed'
done
! systemctl is-enabled cairn-symbols 2>/dev/null || exit 1
[ ! -e /etc/sysctl.d/60-cairn-crash.conf ] || exit 1
cd /src
sh debian/tests/core
# shellcheck disable=SC2086 # words
apt-get purge -y -qq $packages >/dev/null
# the user of the server stays, as users of packages do
left=$(find / -xdev \( -path /proc -o -path /repository -o -path /src -o -path /var/cache/apt -o -path /var/lib/apt -o -path /usr/share/zoneinfo \) -prune \
	-o -path '*cairn*' ! -path /etc/apt/sources.list.d/cairn.list ! -path '/root/*' -print)
[ -z "$left" ] || {
	echo "left behind:"
	echo "$left"
	exit 1
}
echo "nothing is left after removal"
END
	in_root "$1" sh /src/try
}

if [ "${1:-}" = --apart ]; then
	suite=$2 began=$5
	say 'a fresh Debian'
	build_packages "$3/build" "$4"
	rm -rf --one-file-system "$3/build/src"
	try_packages "$3/try" "$4"
	say 'all of it'
	exit
fi
suite=${1:-bookworm} folder=${2:-$top/build-packages/${1:-bookworm}}
reason=$(root_hindrance "$suite")
[ -z "$reason" ] || {
	echo "package.sh: $reason"
	exit 77
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/cairn-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
unshare --mount --pid --fork --kill-child --mount-proc "$top/scripts/package.sh" --apart "$suite" "$work" "$folder" \
	"$(date +%s)" || status=$?
exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian packages of HEAD, built and tried in fresh systems:
# scripts/package.sh [--try|--lint LINTIAN|--cross ARCHITECTURE] [SUITE [DIR]].
#
# Makes a Debian of SUITE (default bookworm) with debootstrap, builds the packages of scripts/packaging/debian in it
# from a tree that git exports, and runs lintian, which may find nothing.  Then it makes a second one without the
# tree, installs the packages by apt from a local repository, runs debian/tests there, and purges them, after which
# nothing of cairn may be left.  The packages stay in DIR (default build-packages/SUITE).  With
# DEB_BUILD_OPTIONS=nocheck in the environment the unit tests do not run.  With BEFORE=COMMIT packages of that commit
# are built too, without their tests and with a lower version; the second system gets them first, and is upgraded.
# With --try the packages are not built: those in DIR are tried.  What takes a user's time is measured: installing by
# apt, and the first stack in GDB after it.
# With --lint LINTIAN they are not built either: lintian of the suite LINTIAN checks those in DIR.
# With --cross the packages are those of another architecture, such as arm64, built on this one without unit tests; the
# second system is the one that built them: apt installs them there, and QEMU runs cairn.
# Needs root and a Debian archive, and with --cross a QEMU for ARCHITECTURE in SUITE; without these it prints which is
# missing and exits with 77.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
. scripts/root.sh
. scripts/checkout.sh

# say WORDS: a step, with the seconds since the first one
say() {
	echo "== $suite, after $(($(date +%s) - began)) s: $*"
}

# export_tree DIR COMMIT TREE LATER: the sources of COMMIT with debian/ in DIR/TREE; their version ends in LATER
export_tree() {
	tree=$1/$3
	mkdir -p "$tree"
	own_git archive "$2" | tar -x -C "$tree"
	cp -r "$tree/scripts/packaging/debian" "$tree/debian"
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$tree/meson.build")$4
	sed -i -e "s/@VERSION@/$version/" -e "s/@DATE@/$(own_git log -1 --format=%cD "$2")/" "$tree/debian/changelog"
	# the text of the licence, as a copyright file wants it
	sed -n '/^Permission/,$p' LICENSE | sed -e 's/^$/./' -e 's/^/ /' >"$1/licence"
	sed -i -e "s/@COPYRIGHT@/$(sed -n 's/^Copyright (c) //p' LICENSE)/" -e "/@LICENSE@/{
		r $1/licence
		d
	}" "$tree/debian/copyright"
}

build_packages() {
	make_root "$suite" "$1"
	mkdir -p "$1/src/now" "$1/src/before"
	export_tree "$1/src/now" HEAD cairn ''
	[ -z "${BEFORE:-}" ] || export_tree "$1/src/before" "$BEFORE" cairn '~before'
	mount_root "$suite" "$1"
	say 'the tools of the build'
	cat >"$1/src/build" <<END
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /src/now/cairn
{ apt-get update -qq &&
	apt-get install -y -qq --no-install-recommends dpkg-dev lintian apt-utils &&
	apt-get build-dep -y -qq --no-install-recommends ./; } >../apt.log 2>&1 || {
	tail -n 40 ../apt.log
	exit 1
}
mkdir -p /src/repository /src/before/repository
if [ -d /src/before/cairn ]; then
	echo "== building the packages before"
	cd /src/before/cairn
	DEB_BUILD_OPTIONS='nocheck noautodbgsym' dpkg-buildpackage -us -uc -b >../log 2>&1 || {
		tail -n 60 ../log
		exit 1
	}
	mv ../*.deb ../repository
	cd ../repository
	apt-ftparchive packages . >Packages
	cd /src/now/cairn
fi
export DEB_BUILD_OPTIONS='${DEB_BUILD_OPTIONS:-}'
echo "== building, the source package too"
dpkg-buildpackage -us -uc >../log 2>&1 || {
	tail -n 60 ../log
	exit 1
}
grep -E '^(Ok|Fail|Skipped): ' ../log || :
echo "== lintian"
lintian --version
lintian --fail-on error,warning --tag-display-limit 0 ../*.changes
mv ../*_* /src/repository
cd /src/repository
apt-ftparchive packages . >Packages
END
	in_root "$1" sh /src/build
	mkdir -p "$2/before"
	rm -f "$2"/*_* "$2/Packages" "$2"/before/*
	cp "$1"/src/repository/* "$2"
	[ -z "${BEFORE:-}" ] || cp "$1"/src/before/repository/* "$2/before"
}

cross_packages() {
	make_root "$suite" "$1"
	mkdir -p "$1/src/now"
	export_tree "$1/src/now" HEAD cairn ''
	mount_root "$suite" "$1"
	say "the tools of the build for $architecture"
	cat >"$1/src/build" <<END
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /src/now/cairn
dpkg --add-architecture $architecture
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends dpkg-dev; } >../apt.log 2>&1 || {
	tail -n 40 ../apt.log
	exit 1
}
apt-cache show qemu-user >../apt.log 2>&1 || {
	echo "package.sh: Debian $suite has no qemu-user"
	exit 77
}
# apt takes gdb-minimal for gdb:native, and that one has not the header
{ apt-get install -y -qq --no-install-recommends lintian gdb crossbuild-essential-$architecture &&
	apt-get build-dep -y -qq --no-install-recommends --host-architecture $architecture -P cross,nocheck ./; } \
	>../apt.log 2>&1 || {
	tail -n 40 ../apt.log
	exit 1
}
run=qemu-\$(dpkg-architecture -a $architecture -q DEB_HOST_GNU_CPU)
command -v "\$run" >../apt.log || {
	echo "package.sh: qemu-user of Debian $suite runs no $architecture"
	exit 77
}
echo "== building"
DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b --host-arch=$architecture --build-profiles=cross,nocheck >../log 2>&1 || {
	tail -n 60 ../log
	exit 1
}
echo "== lintian"
lintian --fail-on error,warning --tag-display-limit 0 ../*.changes
cd ..
echo "== installing and running"
apt-get install -y -qq --no-install-recommends ./cairn_*_$architecture.deb ./libcairn0.3_*_$architecture.deb \
	./libcairn-dwarf0.2_*_$architecture.deb ./libcairn-jit0.2_*_$architecture.deb ./libcairn-dev_*_$architecture.deb >apt.log 2>&1 || {
	tail -n 40 apt.log
	exit 1
}
triplet=\$(dpkg-architecture -a $architecture -q DEB_HOST_GNU_TYPE)
[ "\$(dpkg -s cairn | sed -n 's/^Architecture: //p')" = $architecture ]
\$triplet-readelf -h /usr/bin/cairn | grep Machine:
"\$run" /usr/bin/cairn --version
cp cairn/docs/examples/shop.c .
"\$triplet-gcc" -O2 -g -Wa,--gsframe shop.c -o shop
"\$run" /usr/bin/cairn gsym create --quiet shop
at=\$("\$triplet-nm" shop | sed -n 's/^0*\([0-9a-f]*\) [Tt] item_total\$/0x\1/p')
"\$run" /usr/bin/cairn gsym find shop.gsym item_total | grep "^\$at[. ].* item_total\$"
"\$run" /usr/bin/cairn sframe verify shop | grep 'faults 0'
cat >version.c <<'C'
#include <cairn.h>
#include <stdio.h>
int main(void) { puts(cairn_version()); return 0; }
C
"\$triplet-gcc" version.c -lcairn -o version
[ "cairn \$("\$run" ./version)" = "\$("\$run" /usr/bin/cairn --version)" ]
echo "the packages of $architecture work under QEMU"
END
	in_root "$1" sh /src/build
	rm -f "$2"/*_*
	cp "$1"/src/now/*_* "$2"
}

lint_packages() {
	make_root "$suite" "$1"
	mount_root "$suite" "$1"
	mkdir -p "$1/src/packages"
	cp "$2"/*_* "$1/src/packages"
	say 'installing its lintian'
	cat >"$1/src/lint" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends lintian >/dev/null
cd /src/packages
grep -h '^Date: ' *.changes
lintian --version
lintian --fail-on error,warning --tag-display-limit 0 *.changes
END
	in_root "$1" sh /src/lint
}

try_packages() {
	make_root "$suite" "$1"
	mount_root "$suite" "$1"
	mkdir -p "$1/repository" "$1/src/debian"
	cp "$2"/*.deb "$2/Packages" "$1/repository"
	[ ! -e "$2/before/Packages" ] || cp -r "$2/before" "$1/"
	cp -r scripts/packaging/debian/tests "$1/src/debian"
	say 'installing the packages in a second system'
	cat >"$1/src/try" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive
packages=$(sed -n 's/^Package: //p' /repository/Packages | grep -v dbgsym)
version=$(sed -n '/^Package: cairn$/,/^$/s/^Version: //p' /repository/Packages)

# install_all VERSION: all packages, of which each must have that version
install_all() {
	apt-get update -qq
	# shellcheck disable=SC2086 # words
	apt-get install -y -qq --no-install-recommends $packages >/dev/null
	for package in $packages; do
		dpkg -s "$package" | grep -q '^Status: install ok installed'
		[ "$(dpkg-query -W -f '${Version}' "$package")" = "$1" ] || {
			dpkg -s "$package"
			exit 1
		}
	done
	# shellcheck disable=SC2086 # words
	dpkg --verify $packages >/src/differs || echo 'dpkg: files of these packages differ' >>/src/differs
	[ ! -s /src/differs ] || {
		cat /src/differs
		exit 1
	}
	! systemctl is-enabled cairn-symbols 2>/dev/null || exit 1
	[ ! -e /etc/sysctl.d/60-cairn-crash.conf ] || exit 1
}

# now: milliseconds
now() {
	date +%s%3N
}
# what the test of the packages needs, and what a user of GDB has
apt-get update -qq
apt-get install -y -qq --no-install-recommends binutils gcc gdb libc6-dev pkg-config >/dev/null
if [ -d /before ]; then
	echo 'deb [trusted=yes] file:/before ./' >/etc/apt/sources.list.d/cairn.list
	install_all "$version~before"
	cairn setup --write gdb >/dev/null
fi
echo 'deb [trusted=yes] file:/repository ./' >/etc/apt/sources.list.d/cairn.list
first=$(now)
install_all "$version"
for file in lib/systemd/system/cairn-symbols.service share/doc/cairn-server/examples/cairn-symbols.nginx; do
	[ -f "/usr/$file" ]
done
[ -d /before ] || echo "measured: apt installed the packages, and what they need beside GDB, in $(($(now) - first)) ms"
if [ -d /before ]; then
	# the line in the user's file from before still leads to the module
	gdb -batch -ex 'cairn status' >/src/status 2>&1
	grep -q "^cairn $(cairn --version | sed 's/.* //') in GDB" /src/status || {
		cat /src/status
		exit 1
	}
	cairn setup --remove gdb >/dev/null
	echo "upgraded from $version~before to $version"
fi
cd /src
sh debian/tests/core
# shellcheck disable=SC2086 # words
apt-get purge -y -qq $packages >/dev/null
# packages of before may have made a user
[ -d /before ] || ! grep cairn /etc/passwd /etc/group
left=$(find / -xdev \( -path /proc -o -path /repository -o -path /before -o -path /src -o -path /var/cache/apt -o -path /var/lib/apt -o -path /usr/share/zoneinfo \) -prune \
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
	case $6 in
	lint) lint_packages "$3/lint" "$4" ;;
	cross)
		architecture=$7
		cross_packages "$3/cross" "$4"
		;;
	*)
		[ "$6" = try ] || {
			build_packages "$3/build" "$4"
			rm -rf --one-file-system "$3/build/src"
		}
		try_packages "$3/try" "$4"
		;;
	esac
	say 'all of it'
	exit
fi
what=build architecture='' lintian=''
case ${1:-} in
--try)
	what=try
	shift
	;;
--lint)
	what=lint
	lintian=${2:?usage: scripts/package.sh --lint LINTIAN [SUITE [DIR]]}
	shift 2
	;;
--cross)
	what=cross
	architecture=${2:?usage: scripts/package.sh --cross ARCHITECTURE [SUITE [DIR]]}
	shift 2
	;;
esac
suite=${1:-bookworm} folder=${2:-$top/build-packages/${1:-bookworm}${architecture:+-$architecture}}
suite=${lintian:-$suite}
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
	"$(date +%s)" "$what" "$architecture" || status=$?
exit $status

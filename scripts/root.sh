# SPDX-License-Identifier: MIT
# Small Debian systems in directories, for bare.sh and matrix.sh: sourced, not run.
#
# Everything that is mounted for such a system is mounted in a mount namespace of its own, and what
# runs there is in a process namespace of its own: neither outlives the script that made it.

# Packages stay here between runs, a directory for each suite.  It belongs to root, so that nobody else
# can put a package there.
root_cache=/var/cache/cairn
apt_helper=${APT_HELPER:-/usr/lib/apt/apt-helper}

# archive: the Debian archive that this machine uses; nothing when it uses none
archive() {
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' \
		2>/dev/null | head -n 1)
	# before the first update only the places of the lists are known
	[ -n "$uri" ] || uri=$(apt-get --print-uris update 2>/dev/null |
		sed -n "s|^'\(.*/debian\)/dists/.*|\1|p" | head -n 1)
	echo "${uri%/}"
}

# fetch_source DIR PACKAGE: unpacked in DIR, by an apt of its own, of the suite that this machine has; what was said is in
# DIR/fetch.log
fetch_source() {
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	# shellcheck disable=SC1091 # of the system
	echo "deb-src $(archive) $(. /etc/os-release && echo "$VERSION_CODENAME") main" >"$1/sources.list"
	(
		cd "$1" && source_package=$2
		set -- -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$PWD/lists" \
			-o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root -qq
		apt-get "$@" update && apt-get "$@" source "$source_package"
	) >"$1/fetch.log" 2>&1
}

# reach_archive SUITE: it answers.  One that answers but has no such suite is reached as well.
reach_archive() {
	to=$(mktemp -d)
	from=$(archive)
	reached=1
	for each in "$1" stable; do
		! "$apt_helper" download-file "$from/dists/$each/InRelease" "$to/index" >/dev/null 2>&1 || {
			reached=0
			break
		}
	done
	rm -rf "$to"
	return $reached
}

# root_hindrance SUITE: prints why a system of SUITE cannot be made here at all; nothing when it
# can.  Only these two count: whatever else goes wrong is a failure.
root_hindrance() {
	if [ "$(id -u)" != 0 ]; then
		echo 'only root can make a Debian system'
	elif ! unshare --mount --pid --fork true 2>/dev/null; then
		echo 'root may not mount here'
	elif [ -z "$(archive)" ]; then
		echo 'the package manager knows no Debian archive'
	elif [ -x "$apt_helper" ] && ! reach_archive "$1"; then
		echo "no network: $(archive) does not answer"
	fi
}

# apart COMMAND...: goes on as COMMAND, in namespaces of its own.  unshare waits for it and cannot be
# interrupted; to end it, with all that it started, kill it with SIGKILL.
apart() {
	exec unshare --mount --pid --fork --kill-child --mount-proc "$@"
}

# set_proxy: for debootstrap, which does not ask apt
set_proxy() {
	for scheme in http https; do
		eval "known=\${${scheme}_proxy:-}"
		[ -z "$known" ] || continue
		found=$(apt-config dump --format '%v' "Acquire::$scheme::Proxy")
		[ -z "$found" ] || export "${scheme}_proxy=$found"
	done
}

# carry_apt SUITE DIR: what this machine's package manager needs to know, that one needs too;
# but what this machine does beside installing (hooks of other programs) is its own affair.
carry_apt() {
	for each in apt.conf apt.conf.d auth.conf.d; do
		[ ! -e "/etc/apt/$each" ] || cp -RL "/etc/apt/$each" "$2/etc/apt/"
	done
	{
		for hook in DPkg::Pre-Invoke DPkg::Post-Invoke DPkg::Pre-Install-Pkgs \
			APT::Update::Pre-Invoke APT::Update::Post-Invoke APT::Update::Post-Invoke-Success; do
			echo "#clear $hook;"
		done
		for scheme in http https; do
			eval "known=\${${scheme}_proxy:-}"
			[ -z "$known" ] || echo "Acquire::$scheme::Proxy \"$known\";"
		done
		echo 'APT::Keep-Downloaded-Packages "true";'
		# what is carried here may be a package's own file there, about which it would ask
		echo 'Dpkg::Options { "--force-confold"; };'
		# such a system is thrown away: nothing has to be on the disk before the next file is written
		echo 'Dpkg::Options { "--force-unsafe-io"; };'
	} >"$2/etc/apt/apt.conf.d/zz-root"
	grep -qs "^VERSION_CODENAME=$1$" /etc/os-release || return 0
	for each in sources.list sources.list.d/debian.sources; do
		[ ! -s "/etc/apt/$each" ] || {
			rm -f "$2/etc/apt/sources.list"
			mkdir -p "$2/etc/apt/sources.list.d"
		}
	done
	for each in sources.list sources.list.d/debian.sources; do
		[ ! -s "/etc/apt/$each" ] || cp -L "/etc/apt/$each" "$2/etc/apt/$each"
	done
}

# make_root SUITE DIR: the smallest Debian in which packages can be installed, and nothing else;
# call it apart, because debootstrap mounts too
make_root() {
	command -v debootstrap >/dev/null || {
		apt-get update -qq && apt-get install -y -qq debootstrap
	} >/dev/null || return
	set_proxy
	mkdir -p "$root_cache/$1/base" "$root_cache/$1/archives" || return
	# a suite that is younger than this debootstrap is made as unstable is
	script=
	[ -e "/usr/share/debootstrap/scripts/$1" ] || script=sid
	# shellcheck disable=SC2086 # none means none
	debootstrap --variant=minbase --cache-dir="$root_cache/$1/base" "$1" "$2" "$(archive)" $script \
		>"$2.log" 2>&1 || {
		tail -n 20 "$2.log"
		return 1
	}
	rm -f "$2.log"
	cp -L /etc/resolv.conf /etc/hosts "$2/etc/" || return
	carry_apt "$1" "$2"
}

# mount_root SUITE DIR: what every Debian finds when it has started; call it apart
mount_root() {
	mount -t proc proc "$2/proc" &&
		mount -t sysfs -o ro sysfs "$2/sys" &&
		mount --bind /dev "$2/dev" &&
		mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$2/dev/pts" &&
		mkdir -p "$2/dev/shm" &&
		mount -t tmpfs -o mode=1777 tmpfs "$2/dev/shm" &&
		mount --bind "$root_cache/$1/archives" "$2/var/cache/apt/archives"
}

# in_root DIR COMMAND...: there, with nothing of this machine's environment
in_root() {
	in=$1
	shift
	chroot "$in" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root "$@"
}

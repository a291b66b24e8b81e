# SPDX-License-Identifier: MIT
# Packages of other suites and machines, unpacked and not installed: sourced, after root.sh.
#
# What comes from an archive is believed only as far as its keys go: they sign the release, which has the sum of each list of
# packages, which has the sum of each package.

# fetch_list ARCHIVE SUITE ARCHITECTURE FILE: its list of packages; KEYS names other keys than Debian's
fetch_list() {
	keys=${KEYS:-/usr/share/keyrings/debian-archive-keyring.gpg}
	[ -f "$keys" ] || {
		echo "no keys of $1: $keys is not there" >&2
		return 1
	}
	curl -sSf "$1/dists/$2/InRelease" -o "$4.signed" || return
	gpgv --quiet --keyring "$keys" --output - "$4.signed" >"$4.release" 2>"$4.said" || {
		cat "$4.said" >&2
		return 1
	}
	sum=$(awk -v list="main/binary-$3/Packages.xz" 'length($1) == 64 && $3 == list { print $1; exit }' "$4.release")
	curl -sSf "$1/dists/$2/main/binary-$3/Packages.xz" -o "$4.xz" || return
	echo "$sum  $4.xz" | sha256sum --quiet --check || return
	xz -dc "$4.xz" >"$4" || return
	rm -f "$4.signed" "$4.release" "$4.said" "$4.xz"
}

# unpack_listed ARCHIVE LIST PACKAGE DIR: status 1 if the list does not have it, 2 if it cannot be had, or is another
unpack_listed() {
	place=$(awk -v name="$3" '
		$1 == "Package:" { on = $2 == name }
		on && $1 == "Filename:" { file = $2 }
		on && $1 == "SHA256:" { sum = $2 }
		END { if (file != "") print file, sum }' "$2")
	[ -n "$place" ] || return 1
	curl -sSf "$1/${place% *}" -o "$2.deb" || return 2
	echo "${place#* }  $2.deb" | sha256sum --quiet --check || return 2
	mkdir -p "$4" && dpkg-deb -x "$2.deb" "$4" || return 2
	rm -f "$2.deb"
}

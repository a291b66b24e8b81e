#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks the assembler and linker of another release beside this one's, with the C library that they need: nothing is installed.
#
#	unpack_binutils.sh SUITE FOLDER
#
# SUITE is one of Debian, or of Ubuntu (questing has binutils 2.45, resolute 2.46). Prints the folder with `as`, `ld` and `objdump`. Again
# with the same FOLDER it uses what is there.
set -eu
suite=${1:?usage: unpack_binutils.sh SUITE FOLDER} folder=${2:?usage: unpack_binutils.sh SUITE FOLDER}
tools=$folder/tools
[ ! -x "$tools/objdump" ] || {
	echo "$tools"
	exit 0
}
archive=http://deb.debian.org/debian
case $suite in
jammy | noble | plucky | questing | resolute) archive=http://archive.ubuntu.com/ubuntu ;;
esac
packages='binutils-x86-64-linux-gnu binutils-common libbinutils libctf0 libctf-nobfd0 libgprofng0 libsframe1 libsframe2 libsframe3 libsframe4 libjansson4
	zlib1g libzstd1 libc6 libstdc++6 libgcc-s1 gcc-14-base gcc-15-base gcc-16-base'
mkdir -p "$folder/root" "$tools"
curl -sSf "$archive/dists/$suite/main/binary-amd64/Packages.xz" | xz -dc >"$folder/Packages"
for package in $packages; do
	awk -v name="$package" '
		$1 == "Package:" { on = $2 == name }
		on && $1 == "Filename:" { file = $2 }
		on && $1 == "SHA256:" { sum = $2 }
		END { if (file != "") print file, sum }' "$folder/Packages" |
		while read -r file sum; do
			curl -sSf "$archive/$file" -o "$folder/package.deb"
			echo "$sum  $folder/package.deb" | sha256sum --quiet --check
			dpkg-deb -x "$folder/package.deb" "$folder/root"
		done
done
rm -f "$folder/package.deb" "$folder/Packages"
root=$(cd "$folder/root" && pwd)
libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu:$root/lib64
loader=$(find "$root" -name 'ld-linux-x86-64.so.2' | head -n 1)
for tool in as ld.bfd objdump objcopy readelf; do
	cat >"$tools/$tool" <<EOF
#!/bin/sh
exec $loader --library-path $libraries $root/usr/bin/x86_64-linux-gnu-$tool "\$@"
EOF
	chmod +x "$tools/$tool"
done
ln -sf ld.bfd "$tools/ld"
"$tools/as" --version >/dev/null
(cd "$tools" && pwd)

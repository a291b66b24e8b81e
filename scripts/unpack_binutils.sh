#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks the assembler and linker of another release beside this one's, with the C library that they need: nothing is installed.
#
#	unpack_binutils.sh SUITE DIR
#
# SUITE is one of Debian, or of Ubuntu (questing has binutils 2.45, resolute 2.46; Debian 13 has the keys). Prints the directory with `as`, `ld` and `objdump`. Again
# with the same DIR it uses what is there.
set -eu
suite=${1:?usage: unpack_binutils.sh SUITE DIR} folder=${2:?usage: unpack_binutils.sh SUITE DIR}
tools=$folder/tools
[ ! -x "$tools/objdump" ] || {
	echo "$tools"
	exit 0
}
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/archive.sh"
packages='binutils-x86-64-linux-gnu binutils-common libbinutils libctf0 libctf-nobfd0 libgprofng0 libsframe1 libsframe2 libsframe3 libsframe4 libjansson4
	zlib1g libzstd1 libc6 libstdc++6 libgcc-s1 gcc-14-base gcc-15-base gcc-16-base'
mkdir -p "$folder/root" "$tools"
from=$(archive)
case $suite in
jammy | noble | plucky | questing | resolute)
	fetch_list "$from" trixie amd64 "$folder/packages.list"
	unpack_listed "$from" "$folder/packages.list" ubuntu-keyring "$folder/keys"
	KEYS=$folder/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
	from=http://archive.ubuntu.com/ubuntu
	;;
esac
fetch_list "$from" "$suite" amd64 "$folder/packages.list"
for package in $packages; do
	unpack_listed "$from" "$folder/packages.list" "$package" "$folder/root" || [ $? = 1 ] || exit 1 # names differ by suite
done
rm -f "$folder/packages.list"
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

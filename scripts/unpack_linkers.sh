#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks mold and the newest lld of another release of Debian beside this one's, with the libraries that they need: nothing is installed.
#
#	unpack_linkers.sh SUITE DIR
#
# Prints the directory with `mold` and `ld.lld`. Again with the same DIR it uses what is there.
set -eu
suite=${1:?usage: unpack_linkers.sh SUITE DIR} folder=${2:?usage: unpack_linkers.sh SUITE DIR}
tools=$folder/linkers
[ ! -x "$tools/mold" ] || {
	(cd "$tools" && pwd)
	exit 0
}
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/archive.sh"
mkdir -p "$folder/linkers-root" "$tools"
from=$(archive)
fetch_list "$from" "$suite" amd64 "$folder/linkers.list"
version=$(sed -n 's/^Package: lld-\([0-9]*\)$/\1/p' "$folder/linkers.list" | sort -n | tail -n 1)
packages="mold lld-$version libllvm$version libmimalloc3 libtbb12 libblake3-0 libedit2 libbsd0 libmd0 libffi8 libxml2-16 libxml2 libicu76 liblzma5 libz3-4
	libtinfo6 zlib1g libzstd1 libc6 libstdc++6 libgcc-s1"
for package in $packages; do
	unpack_listed "$from" "$folder/linkers.list" "$package" "$folder/linkers-root" || [ $? = 1 ] || exit 1 # names differ by suite
done
rm -f "$folder/linkers.list"
root=$(cd "$folder/linkers-root" && pwd)
libraries=$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/llvm-$version/lib:$root/lib/x86_64-linux-gnu
loader=$(find "$root" -name 'ld-linux-x86-64.so.2' | head -n 1)
# wrap NAME PROGRAM: lld goes by the name that it is called by
wrap() {
	cat >"$tools/$1" <<EOF
#!/bin/sh
exec $loader --argv0 $1 --library-path $libraries $2 "\$@"
EOF
	chmod +x "$tools/$1"
	"$tools/$1" --version >/dev/null
}
wrap ld.lld "$root/usr/lib/llvm-$version/bin/lld"
wrap mold "$root/usr/bin/mold"
(cd "$tools" && pwd)

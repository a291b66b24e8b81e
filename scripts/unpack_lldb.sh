#!/bin/sh
# SPDX-License-Identifier: MIT
# unpack_lldb.sh VERSION DIR: LLDB of that version beside the installed one, for tests.
#
# Debian's packages of two versions of LLDB cannot be installed together, but unpacked they run.
# DIR/lldb starts it, and DIR/usr/lib/llvm-VERSION/include has its headers.  Libraries that are
# installed are not fetched again.  Exit status 77: this Debian does not have that version.
set -eu
version=${1:?usage: scripts/unpack_lldb.sh VERSION DIR}
folder=${2:?usage: scripts/unpack_lldb.sh VERSION DIR}
tree=usr/lib/llvm-$version
[ ! -x "$folder/lldb" ] || exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 77
apt-cache show "lldb-$version" >/dev/null 2>&1 || exit 77

# libraries of LLDB and LLVM are called differently from one Debian to the next
libraries=$(apt-cache depends "lldb-$version" |
	sed -n 's/^ *|*Depends: \(lib\(lldb-\|llvm\|clang-cpp\).*\)/\1/p')
mkdir -p "$folder/packages"
folder=$(cd "$folder" && pwd)
for package in "lldb-$version" "liblldb-$version-dev" $libraries; do
	status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || :)
	case $package:$status in
	liblldb-*) ;;
	lib*:*'ok installed') continue ;;
	esac
	# apt warns that it does not fetch as a user of its own; what fails is tried below
	(cd "$folder/packages" && apt-get download -qq "$package" >/dev/null 2>&1) || {
		echo "unpack_lldb.sh: $package cannot be fetched" >&2
		exit 1
	}
done
for package in "$folder"/packages/*.deb; do
	dpkg-deb -x "$package" "$folder"
done
rm -r "$folder/packages"

library=$(find "$folder/usr/lib" -maxdepth 2 -name 'liblldb*.so*' -exec dirname {} \; | sort -u | tr '\n' ':')
cat >"$folder/lldb.new" <<EOF
#!/bin/sh
# made by scripts/unpack_lldb.sh
export LLDB_DEBUGSERVER_PATH=$folder/$tree/bin/lldb-server
export LD_LIBRARY_PATH=$folder/$tree/lib:$library
exec $folder/$tree/bin/lldb "\$@"
EOF
chmod +x "$folder/lldb.new"
# unpacked, it does not find its own Python and complains; only a start that fails is worth a word
"$folder/lldb.new" --version >"$folder/version.txt" 2>&1 || {
	cat "$folder/version.txt" >&2
	exit 1
}
mv "$folder/lldb.new" "$folder/lldb"

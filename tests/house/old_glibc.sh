#!/bin/sh
# SPDX-License-Identifier: MIT
# The oldest C library that a program or module needs: old_glibc.sh FILE NEWEST reads the versions that FILE
# asks its libraries for; none may be newer than GLIBC_NEWEST, nor is one newer than gcc 8's allowed.
set -u
file=$1 newest=$2
case $(readelf -h "$file" | sed -n 's/^ *Machine: *//p') in
*X86-64 | AArch64) ;;
*)
	echo "skipped: only on amd64 and aarch64 is the module made for old systems"
	exit 77
	;;
esac
readelf -W -V "$file" | sed -n 's/.*Name: \([A-Za-z_]*_[0-9.]*\) .*/\1/p' | sort -uV >"${TMPDIR:-/tmp}/needed.$$"
trap 'rm -f "${TMPDIR:-/tmp}/needed.$$"' EXIT
[ -s "${TMPDIR:-/tmp}/needed.$$" ] || {
	echo "$file needs no version of anything: that was not read well"
	exit 1
}
status=0
while read -r version; do
	case $version in
	GLIBC_*) limit=GLIBC_$newest ;;
	GCC_*) limit=GCC_7.0.0 ;;
	*) limit= ;;
	esac
	last=$(printf '%s\n%s\n' "$version" "$limit" | sort -V | tail -n 1)
	[ "$last" = "$limit" ] || {
		echo "$file needs $version"
		readelf -W --dyn-syms "$file" | sed -n "s/.* UND \(.*@$version\).*/	\1/p"
		status=1
	}
done <"${TMPDIR:-/tmp}/needed.$$"
[ $status != 0 ] || tail -n 1 "${TMPDIR:-/tmp}/needed.$$"
exit $status

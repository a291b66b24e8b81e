#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs bench_gsym on a GSYM file made of at least 100 MB of DWARF:
#
#	gsym.sh BENCH CAIRN DIR
#
# The file is $CAIRN_BENCH_GSYM when that is set.  Otherwise it is made once, in DIR: Debian's
# package ceph-mds-dbg (a C++ program; 101 MB of compressed DWARF) is downloaded with apt-get, not
# installed, and converted by llvm-gsymutil of the package llvm-19.  Without these it is skipped.
set -eu
bench=$1
cairn=$2
dir=$3
package=ceph-mds-dbg

skip() {
	echo "skipped: $1; set CAIRN_BENCH_GSYM to a GSYM file"
	exit 77
}

convert() {
	"$gsymutil" --convert="$1" --out-file="$2.new" --num-threads=1 --quiet >"$2.log" 2>&1 &&
		[ -s "$2.new" ] || skip "$gsymutil does not convert $1"
	mv "$2.new" "$2"
}

mkdir -p "$dir"
if command -v llvm-gsymutil-19 >/dev/null; then gsymutil=llvm-gsymutil-19; else gsymutil=; fi
big=${CAIRN_BENCH_GSYM:-$dir/$package.gsym}
small=$dir/cairn.gsym
if [ ! -s "$big" ]; then
	[ -n "$gsymutil" ] || skip "no llvm-gsymutil-19"
	command -v apt-get >/dev/null || skip "no apt-get"
	(cd "$dir" && apt-get download "$package" >/dev/null 2>&1) || skip "no package $package"
	dpkg-deb -x "$dir/$package"_*.deb "$dir/$package"
	debug=$(find "$dir/$package" -name '*.debug' -size +50M | head -1)
	[ -n "$debug" ] || skip "no debug file in $package"
	convert "$debug" "$big"
fi
if [ -n "$gsymutil" ] && [ ! -s "$small" ]; then
	convert "$cairn" "$small"
fi
[ -s "$small" ] || small=
exec "$bench" "$big" ${small:+"$small"}

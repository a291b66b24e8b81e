#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh DIR SOURCES...: builds real programs at -O2 with .sframe in DIR, and prints a line
# for each: the command line with which registers.sh runs it.  SOURCES are unpacked sources as their
# projects publish them, known by their files: sqlite's amalgamation (sqlite3.c, shell.c), leveldb
# (db/db_impl.cc, helpers/memenv), libsass (src/sass_context.cpp).
#
# CC and CXX name other compilers; RUN a command that comes before them, such as `chroot ROOT`, where
# all directories must be at the same path.  CFLAGS come last.
set -eu
folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
CC=${CC:-gcc}
CXX=${CXX:-g++}
RUN=${RUN:-}
common="-O2 -Wa,--gsframe ${CFLAGS:-}"

# compile COMPILER SOURCE...: objects in $objects; those that are newer than their sources stay
compile() {
	compiler=$1 objects=
	shift
	for source; do
		object=$folder/$(echo "${source#/}" | tr / _).o
		# shellcheck disable=SC2086 # flags are words
		[ "$object" -nt "$source" ] || $RUN $compiler $common -c -o "$object" "$source"
		objects="$objects $object"
	done
}

build_sqlite() {
	compile "$CC -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE" "$1/sqlite3.c" "$1/shell.c"
	# shellcheck disable=SC2086
	$RUN $CC -o "$folder/sqlite" $objects -lm -lpthread -ldl
	echo "$folder/sqlite -init $here/sqlite.sql :memory: .quit"
}

build_leveldb() {
	# shellcheck disable=SC2046 # files are words, and none of them has a blank
	compile "$CXX -std=c++11 -DLEVELDB_PLATFORM_POSIX -DOS_LINUX -pthread -I$1 -I$1/include" \
		$(find "$1/db" "$1/table" "$1/util" "$1/port" "$1/helpers" -name '*.cc' ! -name '*_test.cc' \
			! -name '*_bench.cc' ! -name 'leveldbutil.cc' ! -name 'testharness.cc' \
			! -name 'testutil.cc' ! -path '*/win/*') "$here/leveldb.cc"
	# shellcheck disable=SC2086
	$RUN $CXX -o "$folder/leveldb" $objects -pthread
	echo "$folder/leveldb"
}

build_libsass() {
	flags="-I$1/include -DLIBSASS_VERSION=\"3\""
	# shellcheck disable=SC2046
	compile "$CXX -std=c++11 $flags" $(find "$1/src" -name '*.cpp')
	parts=$objects
	compile "$CC $flags" "$1/src/cencode.c" "$here/libsass.c"
	# shellcheck disable=SC2086
	$RUN $CXX -o "$folder/libsass" $parts $objects -ldl
	echo "$folder/libsass $here/libsass.scss"
}

mkdir -p "$folder"
for sources; do
	if [ -e "$sources/shell.c" ]; then
		build_sqlite "$sources"
	elif [ -e "$sources/db/db_impl.cc" ]; then
		build_leveldb "$sources"
	elif [ -e "$sources/src/sass_context.cpp" ]; then
		build_libsass "$sources"
	else
		echo "programs.sh: $sources has the sources of none of the programs" >&2
		exit 2
	fi
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes what GDB would do again at each start of a program: the debug information of the C library, unpacked and with an
# index of its names. A session that runs a program takes half the time then, and shows the same.
#
#	make_debug_files.sh OUTPUT
#
# writes the files below OUTPUT.files and OUTPUT itself, a script of GDB that makes it search there first. Where the C
# library has no debug information, or a tool is missing, nothing is searched first.
set -eu
output=$(realpath "$1")
files=$output.files

# list_libraries: what GDB is linked with, the C library and its mathematics among it
list_libraries() {
	ldd "$(command -v gdb)" | sed -n -e 's/.* => \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p'
}

# find_debug_file LIBRARY: its name below a directory of debug information, by build ID
find_debug_file() {
	readelf -n "$1" 2>/dev/null | sed -n 's|.*Build ID: \(..\)\([0-9a-f]*\)$|.build-id/\1/\2.debug|p' | head -n 1
}

# index_debug_file FILE COPY; no index is not a failure, GDB makes its own then
index_debug_file() {
	mkdir -p "$(dirname "$2")"
	objcopy --decompress-debug-sections "$1" "$2"
	gdb -nx -batch -iex 'set debuginfod enabled off' -ex "save gdb-index $files" "$2" >/dev/null 2>&1 || :
	index=$files/$(basename "$2").gdb-index
	[ ! -s "$index" ] || {
		objcopy --add-section ".gdb_index=$index" --set-section-flags .gdb_index=readonly "$2"
		rm "$index"
	}
}

rm -rf "$files"
mkdir -p "$files"
folders=$(gdb -nx -batch -ex 'show debug-file-directory' 2>/dev/null | sed -n 's/.* is "\(.*\)"\.$/\1/p')
for library in $(list_libraries); do
	name=$(find_debug_file "$library")
	for folder in $(echo "$folders" | tr ':' ' '); do
		[ -z "$name" ] || [ ! -f "$folder/$name" ] || [ -e "$files/$name" ] ||
			index_debug_file "$folder/$name" "$files/$name"
	done
done
echo "set debug-file-directory $files:$folders" >"$output"

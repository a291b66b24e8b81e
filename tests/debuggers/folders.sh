#!/bin/sh
# SPDX-License-Identifier: MIT
# Directories with `..`, of compilations and of sources: paths are the same text as addr2line and
# llvm-symbolizer print, and breakpoints on lines and `list` in GDB are as with the complete build.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" objcopy addr2line nm

mkdir -p "$tmp/tree/src" "$tmp/tree/inc" "$tmp/tree/build" "$tmp/tree/other"
cp "$programs/folders.c" "$tmp/tree/src"
cp "$programs/twice.h" "$tmp/tree/inc"
root=$(cd "$tmp/tree" && pwd -P)
cd "$root/build"

# same WHAT TEXT: as addr2line has it
same() {
	[ "$2" = "$expected" ] || fail "$1 of $at: $2; addr2line: $expected"
}
# folded COMMAND...: the places of an address, innermost first
folded() {
	"$@" | sed -e 's/^.* at //' -e 's/ (discriminator [0-9]*)$//' | tr '\n' ' '
}
places() {
	id=$("$CAIRN" gsym dump folders.gsym | sed -n 's/^ *UUID *= *//p')
	main=$(nm "$program" | awk '$3 == "main" { print $1 }')
	for offset in 0 4 8 12 16 20 24 28; do
		at=$(printf 0x%x $((0x$main + offset)))
		expected=$(folded addr2line -i -e "$program" "$at")
		case $expected in *\?*) continue ;; */../*) compared=$((compared + 1)) ;; esac
		same GSYM "$(folded "$CAIRN" gsym lookup folders.gsym "$at")"
		same 'a symbfile' "$(folded "$CAIRN" symbfile lookup --no-cache folders.ranges "$at")"
		same where "$(folded "$CAIRN" where --no-cache "$program" "$at")"
		printf '{{{module:0:m:elf:%s}}}\n{{{mmap:0x0:0x1000000:load:0:rx:0x0}}}\n{{{bt:0:%s:pc}}}\n' \
			"$id" "$at" >log
		same markup "$("$CAIRN" markup --exe="$program" log |
			sed -n 's/^ *#0[.0-9]*  *0x[0-9a-f]* [^ ]* \([^ ]*\):[0-9]* (.*/\1/p' | tr '\n' ' ')"
		command -v "${SYMBOLIZER:=llvm-symbolizer-19}" >/dev/null || continue
		expected=$("$SYMBOLIZER" --functions=none -i -e "$program" "$at" |
			sed -e '/^$/d' -e 's/:[0-9]*$//' | tr '\n' ' ')
		same 'GSYM beside llvm-symbolizer' "$(folded "$CAIRN" gsym lookup folders.gsym "$at")"
	done
}

# GDB's paths come whole from GSYM: the compilation's directory is not another part of them.
asked() {
	for place in folders.c:9 twice.h:7 src/folders.c:10 ../src/folders.c:6 inc/twice.h:5 \
		"$root/src/folders.c:10" "$root/build/../src/folders.c:9"; do
		echo "break $place"
	done
	printf '%s\n' 'list folders.c:7,8' run bt list 'info breakpoints'
}
shown() {
	sed -n -e 's| file [^ ]*/| file |' -e 's| at [^ ]*/| at |' -e 's/ ([^)]*) at/ at/' \
		-e 's/0x[0-9a-f]* in //' -e 's|^\([^ ]*\) .* in \([a-z]*\) at|\1 in \2 at|' \
		-e '/^Breakpoint [0-9]/p' -e '/^#/p' -e '/^[0-9]/p' -e '/^No /p'
}
in_gdb() {
	objcopy -S "$program" "$tmp/no/folders"
	cp "$program" "$tmp/eh/folders"
	asked >commands
	set --
	while read -r line; do
		set -- "$@" -ex "$line"
	done <commands
	debug without "$tmp/eh/folders" -ex starti "$@" | shown >"$tmp/breaks.eh"
	debug without "$tmp/no/folders" -ex "source $CAIRN_GDB" -ex starti \
		-ex "cairn add-gsym $root/build/folders.gsym" "$@" | shown >"$tmp/breaks.no"
	grep -q 'n = twice(n)' "$tmp/breaks.eh" || fail 'no source in the complete build'
	compare breaks 15
}

compared=0
for flags in "" "-fdebug-prefix-map=$root/build=$root/other/../build"; do
	for version in 4 5; do
		program=made-$version
		# shellcheck disable=SC2086 # none, or one
		"$CC_TARGET" -O1 -g -gdwarf-$version $flags -Wl,--build-id=sha1 ../src/folders.c -o "$program"
		rm -f folders.gsym folders.ranges
		"$CAIRN" gsym create --quiet --statements "$program" -o folders.gsym
		"$CAIRN" symbfile create --quiet --only ranges "$program" -o folders
		places
		in_gdb
	done
done
[ $compared -gt 8 ] || fail "addr2line knows $compared places"
echo "$compared places, and the breakpoints of four programs"

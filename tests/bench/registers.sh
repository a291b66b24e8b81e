#!/bin/sh
# SPDX-License-Identifier: MIT
# registers.sh REGISTERS SOURCES DIR [PROGRAM...]
# cairn itself, compiled at -O2 with .sframe in DIR, run instruction by instruction: how many
# registers of how many frames are the same by .sframe as by .eh_frame, how many lost, and wrong.
# Then each PROGRAM (a command line, with both tables in it) likewise; - for SOURCES: those alone.
# real/programs.sh builds some, and prints their command lines:
#
#	tests/bench/real/programs.sh DIR SOURCES... >list
#	while read -r program; do set -- "$@" "$program"; done <list
#	tests/bench/registers.sh REGISTERS - DIR "$@"
#
# CC names another compiler; RUN a command that comes before compilers, such as `chroot ROOT`, where
# both directories must be at the same path.  OPTIONS are some more for REGISTERS: -w for programs as if they had no
# .eh_frame.  Each program goes PROGRAM_STEPS instructions, at most.
set -eu
registers=$1 sources=$2 folder=$3
shift 3
CC=${CC:-gcc}
RUN=${RUN:-}

# run PROGRAM ARGUMENTS...: the last line that is told of it, and what is wrong.
status=0
run() {
	# shellcheck disable=SC2086 # options are words
	"$registers" ${OPTIONS:-} -v -e 2 -i "${STEPS:-700000}" -o "$folder/functions" "$@" >"$folder/told" 2>&1 \
		</dev/null || status=$?
	grep '^wrong' "$folder/told" | head -n 5
	grep 'values same' "$folder/told" | tail -n 1 | tee -a "$folder/all"
}

# total WHAT: all runs together.
total() {
	awk -v what="$1" -v functions="$(sort -u "$folder/functions" | wc -l)" '
		{ for (i = 2; i <= NF; i++) { if ($i ~ /^stops/) stops += $(i - 1)
			if ($i ~ /^values/) same += $(i - 1)
			if ($i ~ /^lost/) lost += $(i - 1); if ($i ~ /^wrong/) wrong += $(i - 1) } }
		END { printf "%s: %d stops in %d functions, %d values same, %d lost, %d wrong\n", what,
			stops, functions, same, lost, wrong }' "$folder/all"
	rm -f "$folder/all" "$folder/functions"
}

build_cairn() {
	objects=
	for source in $(find "$sources/core" -name '*.c' | LC_ALL=C sort); do
		object=$folder/$(echo "${source#"$sources"/}" | tr / _).o
		case $source in
		*/core/server/net/absent.c) ;;
		*/core/server/net/*) continue ;; # curl, microhttpd
		*/process/emit.c | */process/loaded_modules.c | */net/main.c | */net/start.c) continue ;;
		*/debuginfo/cfi*) continue ;; # libelf, libdw
		esac
		[ "$object" -nt "$source" ] || $RUN "$CC" -std=c11 -D_POSIX_C_SOURCE=200809L \
			-D_XOPEN_SOURCE=700 -DCAIRN_VERSION='"0"' -DCAIRN_PREFIX='""' -DCAIRN_BINDIR='""' \
			-DCAIRN_DATADIR='""' -DCAIRN_LIBDIR='""' -I"$sources/core" \
			-I"$sources/core/include" -g0 -O2 -Wa,--gsframe -c -o "$object" "$source"
		objects="$objects $object"
	done
	# shellcheck disable=SC2086 # objects are words
	$RUN "$CC" -o "$folder/cairn" $objects -lz -lzstd -llzma -lpthread
}

run_cairn() {
	fixtures=$sources/tests/fixtures
	run "$folder/cairn" gsym create -q -j 1 "$fixtures/dwarf/named" -o "$folder/out.gsym"
	run "$folder/cairn" gsym dump "$folder/out.gsym"
	run "$folder/cairn" symbfile create --quiet -j 1 "$fixtures/dwarf/named" -o "$folder/out.symbfile"
	run "$folder/cairn" symbfile stats "$folder/out.symbfile"
	run "$folder/cairn" symbols write --machine amd64 -q "$fixtures/gsym/prog.gsym" -o "$folder/out.elf"
	run "$folder/cairn" sframe dump "$fixtures/gsym/prog"
	run "$folder/cairn" sframe dump --hex "$fixtures/sframe/program-linked.hex"
	run "$folder/cairn" dwarf dump --calls "$fixtures/dwarf/v5.o" "$fixtures/dwarf/clang.o"
	run "$folder/cairn" markup --debug-file-directory="$fixtures/markup/debug" \
		"$fixtures/markup/frames.log"
	run "$folder/cairn" cbf decode --image-map "$fixtures/cbf/map.hex"
	run "$folder/cairn" where --no-cache "$fixtures/dwarf/named" 0x401040
	total cairn
}

mkdir -p "$folder"
if ! $RUN "$CC" -Wa,--gsframe -c -x c -o /dev/null /dev/null 2>/dev/null; then
	echo "no compiler $CC, or its assembler does not know --gsframe"
	exit 77
fi
rm -f "$folder/all" "$folder/functions"
if [ "$sources" != - ]; then
	build_cairn
	run_cairn
fi
for program in "$@"; do
	# shellcheck disable=SC2086 # a command line
	STEPS=${PROGRAM_STEPS:-1500000} run $program
	total "$program"
done
[ "$status" = 0 ]

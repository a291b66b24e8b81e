#!/bin/sh
# SPDX-License-Identifier: MIT
# The seeds that make_seeds.c makes are in the corpus, byte for byte: seeds.sh MAKE_SEEDS CORPUS [--accept]
# With --accept those of the corpus become what is made.
set -eu
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-seeds.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
"$1" "$tmp"

# put NAME BYTES <FILE: the file with BYTES, as printf has them, before it
put() {
	mkdir -p "$tmp/${1%/*}"
	# shellcheck disable=SC2059 # escapes
	{
		printf "$2"
		cat
	} >"$tmp/$1"
}

# The number of a row of fuzz_verbs, then FILE; of fuzz_space orders to search all memory and read backtraces of it.
fixtures=$2/../../fixtures
sh "$fixtures/cbf/core.sh" >"$tmp/core"
put verbs/find '\032' <"$tmp/core"
put verbs/find-json '\033' <"$tmp/core"
put verbs/symbfile-verify '\034' <"$2/symbfile/pb-group-unterminated.symbfile"
put verbs/symbfile-verify-sound '\034' <"$2/symbfile/lookup-covered-parent.symbfile"
put verbs/symbfile-stats '\035' <"$2/symbfile/lookup-covered-parent.symbfile"
put verbs/symbfile-dump '\036' <"$2/symbfile/pad-delta-chain.symbfile"
put verbs/gsym-verify '\037' <"$2/gsym/bad-rows-back.gsym"
put verbs/gsym-stats '\040' <"$2/gsym/first.v2be.gsym"
put verbs/gsym-diff '\041' <"$2/gsym/merged-calls.v1.gsym"
put verbs/gsym-find '\042' <"$2/gsym/first.v1le.gsym"
put verbs/markup-text '\043' <"$2/markup/frames"
put verbs/image-map '\044' <"$2/imagemap/golden-0"
put verbs/image-map-short '\044' <"$2/imagemap/short-5"
put verbs/object-lldb '\045' <"$2/gsym/first.v1le.gsym"
put space/traces '\014\001\000\000\377\177\014\000\000\000\377\177\015\000\060\000\000\000\015\000\060\000\010\000\000' \
	<"$2/swift_scan/value-with-images"
put space/traces-damaged '\014\001\000\000\377\177\000' <"$2/swift_scan/damaged"
put space/files '\004\000\000\000\000\020\005\000\000\000\000\000\013\001\000\000\000\000\017\000\100\000\200\000\000' \
	<"$2/elf/debug_frame"
put stacks/core '' <"$2/core_stacks/threads.core"
put stacks/minidump '' <"$2/minidump/amd64"
rm "$tmp/core"

# A file of symbols at a path, in the program, and as NAME.gsym and NAME.sym in a directory; the host ends the work once.
put symbol_file/named '\040\000' <"$2/gsym/first.v2be.gsym"
put symbol_file/symbfile '\040\000' <"$2/symbfile/lookup-covered-parent.symbfile"
put symbol_file/interrupted '\140\000' <"$2/breakpad/all.sym"
put symbol_file/go '\041\000' <"$2/gopclntab/go1.18"
put symbol_file/breakpad '\043\000' <"$2/breakpad/all.sym"
id=$(dd if="$fixtures/gsym/prog.gsym" bs=1 skip=28 count=20 status=none | od -An -v -to1 | tr -d '\n' | tr ' ' '\\')
put symbol_file/found "\\002\\024$id" <"$fixtures/gsym/prog.gsym"
put symbol_file/embedded "\\001\\024$id" <"$fixtures/gsym/prog.embedded"
# a directory, and beside a core; process 4711
put functions/single '\114' <"$2/dwarf/single"
put functions/i386-lldb '\222' <"$2/dwarf/i386"
put functions/i386-segments '\040' <"$2/dwarf/i386"
put functions/breakpad '\100' <"$2/breakpad/all.sym"
put functions/gsym '\117' <"$2/gsym/first.v1le.gsym"
put functions/gsym-damaged '\100' <"$2/gsym/bad-rows-back.gsym"
put functions/symbfile '\001' <"$2/symbfile/lookup-covered-parent.symbfile"
put functions/packed '\000' <"$2/symbfile/in-gzip"
put jit_file/dump '\000\147\022\000\000\000' <"$2/jit/dump"
put jit_file/map '\001\147\022\000\000\000' <"$2/jit/map"
put jit_file/dump-beside '\002\147\022\000\000\004core' <"$2/jit/replaced"
put jit_file/map-beside '\003\147\022\000\000\011x.core.zst' <"$2/perfmap/names"

if [ "${3:-}" = --accept ]; then
	cp -R "$tmp/." "$2"
	exit
fi
failed=0
for seed in "$tmp"/*/*; do
	there=$2/${seed#"$tmp/"}
	cmp -s "$seed" "$there" && continue
	echo "$there: not what make_seeds makes"
	failed=1
done
exit $failed

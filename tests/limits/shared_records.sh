#!/bin/sh
# SPDX-License-Identifier: MIT
# GSYM files, symbfiles and backtraces whose parts share their bytes: what reads all of one ends soon, in memory
# that is bounded by its size, and so is what it prints.
#
#	shared_records.sh CAIRN SHARED_GSYM SHARED_SYMBFILE
set -u
cairn=$1 make=$2 make_symbfile=$3
. "$(dirname "$0")/../lib/test.sh"

size=1000000
seconds=5
if [ "${SANITIZED:-no}" = yes ]; then # up to forty times as slow
	size=500000
	seconds=100
fi
memory=$((64 * 1024 + 10 * size / 1024)) # KiB of address space, all libraries among them
# Bytes of output: PRINTED_TIMES of printed.h, times file and strings, six for each that has to be
# escaped; and 200 around the names of each record, which has eight bytes or more.
printed=$((64 * (size + size / 2) * 6 + 200 * size / 8))

PRINTED_LEAST=1048576

fail() {
	echo "shared: $1"
	exit 1
}

# limited COMMAND...: under the limits; its messages, its exit status, and its output to go on with
limited() {
	(
		[ "${SANITIZED:-no}" = yes ] || ulimit -v "$memory"
		spend "$seconds" "$@"
	) 2>"$work/err"
	echo $? >"$work/status"
}

ended() {
	status=$(cat "$work/status")
	[ "$status" -le 3 ] || fail "status $status: $*: $(tail -c 300 "$work/err")"
}

# run COMMAND...: what prints little
run() {
	limited "$@" >"$work/out"
	ended "$@"
}

# show MESSAGE COMMAND...: what prints names; with a message, they are too many
show() {
	message=$1
	shift
	bytes=$(limited "$@" | wc -c)
	ended "$@"
	[ "$bytes" -le "$printed" ] || fail "$bytes bytes are printed: $*"
	[ -z "$message" ] || { [ "$status" = 3 ] && grep -q "$message" "$work/err"; } ||
		fail "status $status, $bytes bytes, and nothing is told: $*"
}

small=$(dirname "$0")/../fuzz/corpus/gsym/first.v1le.gsym
for kind in rows inlines nested levels overlap calls merged name bytes tails paths; do
	file=$work/$kind.gsym
	"$make" "$kind" "$size" >"$file" || fail "no file $kind"
	run "$cairn" gsym verify "$file"
	case $kind in
	rows | inlines | nested | overlap | calls)
		[ "$status" = 3 ] && grep -q 'records share too many of their bytes at byte' "$work/out" ||
			fail "gsym verify $kind: nothing is told"
		;;
	esac
	run "$cairn" gsym verify --json "$file"
	run "$cairn" gsym stats "$file"
	run "$cairn" gsym find "$file" f
	run "$cairn" gsym create --quiet -j 1 -o "$work/made.gsym" "$file"
	run "$cairn" gsym create --quiet --verify -j 1 -o "$work/made.gsym" "$file"
	run "$cairn" symbfile create --quiet -j 1 --only ranges -o "$work/made" "$file"
	run "$cairn" symbols write --quiet --machine amd64 -o "$work/made.o" "$file"
	run "$cairn" symbols write --quiet --machine amd64 --debugger=lldb -o "$work/made.o" "$file"
	if [ $kind = name ]; then
		show 'function names exceed the size limit; the remaining names are omitted' "$cairn" dwarf dump "$work/made.o"
		bytes=$(seq 4096 4500 | limited "$cairn" gsym lookup "$file" | wc -c)
		[ "$bytes" -le $((PRINTED_LEAST + 64 * size + 405 * (65536 + 400))) ] ||
			fail "$bytes bytes are printed of 405 answers"
	fi
	run "$cairn" gsym lookup "$file" 0x1000 0x1010
	some='' all=''
	case $kind in
	name | bytes | tails) some='function names exceed the size limit; the remaining functions are omitted' all=$some ;;
	paths) some='function names exceed the size limit; the remaining functions are omitted' ;;
	esac
	show "$some" "$cairn" gsym dump "$file"
	show "$all" "$cairn" gsym dump --json "$file"
	show "$all" "$cairn" gsym find --contains "$file" nothing
	some=''
	[ "$kind" = levels ] && some=': names of inlined functions exceed the size limit; the remaining names are omitted'
	for form in '' --json --lines --addr2line --gsymutil; do
		show "$some" "$cairn" gsym lookup $form "$file" 0x1000
	done
	run "$cairn" gsym diff --merged-functions --call-sites "$file" "$file"
	grep -q '^functions: .* 0 different, 0 only in the first file, 0 only' "$work/out" ||
		fail "gsym diff $kind: a file differs from itself: $(tail -n 1 "$work/out")"
	bytes=$(limited "$cairn" gsym diff --json "$file" "$small" | wc -c)
	ended gsym diff "$kind"
	[ "$bytes" -le "$printed" ] || fail "$bytes bytes are printed: gsym diff $kind"
	rm -f "$file"
done
for kind in ranges pads bytes; do
	file=$work/$kind.symbfile
	"$make_symbfile" "$kind" "$size" >"$file" || fail "no file $kind"
	for form in '' --json --lines; do
		show 'record names exceed the size limit; the remaining records are omitted' "$cairn" symbfile dump $form "$file"
		run "$cairn" symbfile verify $form "$file"
		if [ $kind = pads ]; then
			show ': names of inlined functions exceed the size limit; the remaining names are omitted' \
				"$cairn" symbfile lookup --return --no-cache --explain $form "$file" 0x1001
		fi
	done
	if [ $kind = ranges ]; then
		for verb in 'gsym create --quiet' 'symbfile create --quiet --only ranges' 'symbols write --machine amd64'; do
			run "$cairn" $verb -o "$work/made" "$file"
			[ "$status" = 3 ] &&
				grep -q 'record names exceed the size limit, or a function has too many lines' "$work/err" ||
				fail "$verb $kind: status $status, and nothing is told"
		done
	fi
	rm -f "$file"
done

# a function with more lines than any has, each of them two bytes
"$make_symbfile" lines 4000000 >"$work/lines" || fail "no file lines"
run "$cairn" gsym create --quiet -o "$work/made.gsym" "$work/lines"
[ "$status" = 3 ] && grep -q 'or a function has too many lines' "$work/err" || fail "lines: status $status"
rm -f "$work/lines"

# Breakpad: calls in the ranges of calls, and calls that share a name
awk -v size=$size 'BEGIN {
	print "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 p\nINLINE_ORIGIN 0 n\nFUNC 1000 ffffff 0 f"
	printf "INLINE 0 1 0 0"
	for (i = 0; i < size / 8; i++) printf " %x 1", 4096 + 2 * i
	for (depth = 1; depth < 500; depth++) printf "\nINLINE %d 1 0 0 1000 ffffff", depth
	print ""
}' >"$work/ranges.sym"
awk -v size=$size 'BEGIN {
	print "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 p\nFUNC 1000 ffffff 0 f"
	printf "INLINE_ORIGIN 0 "
	for (i = 0; i < size / 16; i++) printf "nnnnnnnn"
	for (i = 0; i < size / 48; i++) printf "\nINLINE 0 1 0 0 %x 1", 4096 + 2 * i
	print ""
}' >"$work/names.sym"
for kind in ranges names; do
	run "$cairn" gsym create -o "$work/made.gsym" "$work/$kind.sym"
	case $kind in
	ranges) told='too deep or too scattered' ;;
	names) told='names of inlined functions exceed the size limit; the remaining calls have no names' ;;
	esac
	grep -q "$told" "$work/out" "$work/err" || fail "Breakpad $kind: nothing is told"
	run "$cairn" symbfile create --quiet --only ranges -o "$work/made" "$work/$kind.sym"
	run "$cairn" symbols write --machine amd64 -o "$work/made.o" "$work/$kind.sym"
done
rm -f "$work"/*.sym "$work"/made*

# what no index, and no message of a symbfile, can hold
"$make_symbfile" levels 100000 >"$work/levels" || fail "no file levels"
show 'levels: the ranges overlap too much to be indexed' "$cairn" symbfile lookup "$work/levels" 0x100010
show 'levels: the ranges overlap too much to be indexed' \
	"$cairn" gsym create --quiet -o "$work/made.gsym" "$work/levels"
"$make" name 40000000 >"$work/name" || fail "no file of one name"
"$cairn" symbfile create --quiet --only ranges -o "$work/made" "$work/name" 2>"$work/err"
[ $? = 3 ] && grep -qxF "cairn: $work/name: a function exceeds the limit of 16 MiB per symbfile message" "$work/err" ||
	fail "a name of 20 MB: $(cat "$work/err")"
rm -f "$work/name"

# Frames that are all in one image, whose name and build ID are long; and backtraces that each come with
# all images of one map.
name=$(head -c 4000 /dev/zero | tr '\0' n)
id=$(head -c 20000 /dev/zero | tr '\0' a)
printf 'M 64 Linux ok 0 -\nI 0x400000 0x501000 %s /%s\n' "$id" "$name" >"$work/map.lines"
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "r%x\n", 4198400 + i * 7919 % 100000 }' >"$work/frames"
awk 'BEGIN { for (i = 0; i < 20000; i++) print "00" }' >"$work/each"
awk 'BEGIN { print "M 64 Linux ok 0 -"
	for (i = 0; i < 20000; i++) printf "I 0x%x 0x%x ab /n\n", i * 4096, i * 4096 + 1 }' >"$work/many.lines"
"$cairn" cbf encode --image-map "$work/map.lines" >"$work/map" || fail "no image map"
"$cairn" cbf encode --image-map "$work/many.lines" >"$work/many" || fail "no image map of many images"
"$cairn" cbf encode "$work/frames" >"$work/trace" || fail "no backtrace"
printed=$((64 * ($(wc -c <"$work/trace") + $(wc -c <"$work/map")) * 2 + 1048576 + 20000 * 300))
for form in '' --lines --json; do
	show 'frame names exceed the size limit; the remaining names are omitted' "$cairn" cbf decode $form --images "$work/map" "$work/trace"
done
printed=$((64 * ($(wc -c <"$work/each") + $(wc -c <"$work/many")) * 2 + 1048576 + 20000 * 400))
show 'frame names exceed the size limit; the remaining names are omitted' "$cairn" cbf decode --each --from hex --json --images "$work/many" "$work/each"
for form in '' --lines; do
	show '' "$cairn" cbf decode --each --from hex $form --images "$work/many" "$work/each"
done
# One long name, which each of its many differences is printed with.
for first in 10 20; do
	{
		printf 'MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F100 p\nFILE 0 a.c\nFUNC 1000 3000 0 '
		head -c 100000 /dev/zero | tr '\0' n
		awk -v first=$first 'BEGIN { print ""; for (i = 0; i < 3000; i++) printf "%x 1 %d 0\n", 4096 + i, first + i }'
	} >"$work/$first.sym"
done
printed=$((64 * 6 * 2 * $(wc -c <"$work/10.sym")))
bytes=$(limited "$cairn" gsym diff --json "$work/10.sym" "$work/20.sym" | wc -c)
[ "$(cat "$work/status")" = 2 ] && [ "$bytes" -le "$printed" ] && grep -q 'names exceed the size limit; the remaining differences are omitted' "$work/err" ||
	fail "gsym diff of a long name: $bytes bytes, $(cat "$work/err")"
echo 'shared: all end within bounds'

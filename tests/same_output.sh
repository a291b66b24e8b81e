#!/bin/sh
# SPDX-License-Identifier: MIT
# same_output.sh [--texts] [--sample COUNT SEED] OLD NEW [FILE|DIR...]
#
# Runs two builds of the command line, OLD and NEW, over the same files and reports where they
# differ: in the bytes of what they create (GSYM, with and without statements, symbfiles, symbol
# objects), in JSON (also of the stacks of cores and minidumps, and of lookups), and in exit status.
# JSON is compared without the values of "what", "message" and "error", which are for people.  With
# --texts the printed text and the messages count too, and the DWARF of each ELF file is printed.
#
# Without a file it takes tests/fixtures, the fuzz corpora, and ../shared/conformance when that is
# there; with --sample so many of the files, drawn by the seed.  Each difference is one line; the last line counts
# files, runs and differences.  A run that has not ended after 60 s is ended: its status is then 124.
set -u
LC_ALL=C
export LC_ALL

texts=no sample=0 seed=0
while :; do
	case ${1:-} in
	--texts) texts=yes ;;
	--sample)
		sample=${2:-} seed=${3:-}
		shift 2
		;;
	*) break ;;
	esac
	shift
done
if [ $# -lt 2 ] || [ ! -x "$1" ] || [ ! -x "$2" ]; then
	echo "usage: same_output.sh [--texts] [--sample COUNT SEED] OLD NEW [FILE|DIR...]" >&2
	exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
shift 2
if [ $# -eq 0 ]; then
	tests=$(cd "$(dirname "$0")" && pwd) || exit 2
	set -- "$tests/fixtures" "$tests/fuzz/corpus"
	shared=$tests/../../shared/conformance
	[ ! -d "$shared" ] || set -- "$@" "$(realpath "$shared")"
fi

. "$(dirname "$0")/lib/test.sh"
trap 'exit 2' HUP INT TERM
runs=0 differences=0
# each side has a cache of its own, at one path
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
mkdir "$work/old.cache" "$work/new.cache"
ln -s old.cache "$work/cache"

# The side of a comparison: run SIDE PROGRAM ARGUMENTS...; output files are called OUT in arguments.
run() {
	side=$work/$1
	ln -sfn "$1.cache" "$work/cache"
	program=$2
	shift 2
	rm -rf "$side"
	mkdir "$side"
	(
		cd "$side" || exit 2
		timeout 60 "$program" "$@" >stdout 2>stderr <"$input"
		echo $? >status
	)
}

# what stays of an answer when only bytes, JSON and the exit status count
strip_texts() {
	case " $* " in
	*" --json "*)
		sed -i -E 's/"(what|message|error)":"([^"\\]|\\.)*"/"\1":""/g' \
			"$work/old/stdout" "$work/new/stdout"
		;;
	*" -o "*) ;;
	*) rm -f "$work/old/stdout" "$work/new/stdout" ;;
	esac
	rm -f "$work/old/stderr" "$work/new/stderr"
}

compare() {
	run old "$old" "$@"
	run new "$new" "$@"
	[ $texts = yes ] || strip_texts "$@"
	runs=$((runs + 1))
	if ! diff -rq "$work/old" "$work/new" >"$work/found"; then
		differences=$((differences + 1))
		echo "differs: cairn $*: $(sed "s|$work/||g" "$work/found" | tr '\n' ';')"
	fi
}

# addresses_of FILE: the first bytes of up to 40 functions, an address near each, and three that are in none
addresses_of() {
	"$old" gsym dump --json "$1" 2>"$work/ignored" |
		sed -n 's/^{"function":.*"start":"\(0x[0-9a-f]*\)".*/\1/p' |
		awk 'NR <= 40 { print; sub(/.$/, "f"); print } END { print "0\n0x1\n0xffffffffffffffff" }'
}

# Lookups, of a program and of its GSYM file.
compare_lookups() {
	rm -f "$work/made"
	"$old" gsym create --quiet -o "$work/made" "$1" >"$work/ignored" 2>&1
	[ -s "$work/made" ] || return 0
	addresses_of "$work/made" >"$work/addresses"
	input=$work/addresses
	compare where --no-cache --json "$1"
	compare where --no-cache "$1"
	compare where --no-cache --lines "$1"
	compare where --json "$1"
	compare where --json "$1"
	compare_gsym "$work/made"
	input=$1
}

compare_gsym() {
	addresses_of "$1" >"$work/addresses"
	input=$work/addresses
	compare gsym lookup --json "$1"
	compare gsym lookup "$1"
	compare gsym lookup --lines "$1"
	compare gsym lookup --addr2line "$1"
	input=$1
}

# compare_stacks CORE|MINIDUMP: with the directories beside it, in which fixtures have their symbols
compare_stacks() {
	symbols=${1%.dmp}-symbols:${1%/*}/symbols
	compare bt --json "$1"
	compare bt --json --directory "$symbols" "$1"
	compare bt --explain --registers --debug-file-directory "$symbols" "$1"
	compare bt --folded --dedup "$1"
	compare bt --markup "$1"
	compare bt --json --list-modules "$1"
	compare bt --json - # as a stream
}

# Is it an ELF core?  e_type is at byte 16, in the file's byte order.
is_core() {
	case $(od -An -tx1 -j16 -N2 "$1" | tr -d ' \n') in
	0400 | 0004) ;;
	*) return 1 ;;
	esac
}

compare_elf() {
	compare gsym create --quiet -o out "$1"
	compare gsym create --quiet --statements --format 2 -o out "$1"
	compare symbfile create --quiet -o out "$1"
	compare symbols write --quiet --for "$1" -o out "$1"
	compare sframe dump --json "$1"
	compare sframe verify --json "$1"
	compare cbf find --json "$1"
	compare symbfile id --json "$1"
	[ $texts = no ] || compare dwarf dump --quiet "$1"
	if is_core "$1"; then
		compare_stacks "$1"
	else
		compare_lookups "$1"
	fi
}

compare_any() {
	input=$1
	case $(head -c 4 "$1" | od -An -tx1 | tr -d ' \n') in
	7f454c46) compare_elf "$1" ;;
	4d444d50) compare_stacks "$1" ;;
	4d59534d* | 4753594d*)
		compare_gsym "$1"
		compare gsym create --quiet -o out "$1"
		compare symbols write --quiet --machine amd64 -o out "$1"
		;;
	73796d62*)
		compare gsym create --quiet -o out "$1"
		compare symbfile verify --json "$1"
		compare symbfile dump --json "$1"
		compare symbfile stats --json "$1"
		;;
	4d4f4455*)
		compare gsym create --quiet -o out "$1"
		compare symbfile create --quiet -o out "$1"
		;;
	*)
		compare sframe dump --json "$1"
		compare cbf decode --json "$1"
		;;
	esac
	compare gsym dump --json "$1"
	compare gsym verify --json "$1"
	compare gsym stats --json "$1"
	if [ "$(wc -c <"$1")" -lt 4000000 ]; then
		compare markup -
		compare markup --json -
		compare markup --style fuchsia -
	fi
}

# draw: so many of the lines of standard input, by the seed, in their order
draw() {
	while read -r file; do
		echo "$(echo "$seed $file" | cksum) $file"
	done | sort -n | head -n "$sample" | cut -d' ' -f3- | sort
}

find "$@" -type f ! -name '*.xz' | sort >"$work/all"
if [ "$sample" = 0 ]; then
	mv "$work/all" "$work/files"
else
	draw <"$work/all" >"$work/files"
fi
while read -r file; do
	compare_any "$(realpath "$file")"
done <"$work/files"
echo "$(wc -l <"$work/files") files, $runs runs, $differences differences"
[ "$differences" = 0 ]

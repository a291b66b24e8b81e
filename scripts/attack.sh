#!/bin/sh
# SPDX-License-Identifier: MIT
# Attacks cairn by chance: scripts/attack.sh [--rounds FIRST-LAST] [--part PART] SEED [SECONDS]
#
#	verbs   a damaged file goes to verbs of the command line
#	target  a remote target that lies to GDB, with the module loaded
#	peer    damaged answers to fetch and push, damaged requests to serve
#	kills   a signal at some system call of a verb, then the same verb again
#	cuts    a file that is cut while a verb reads it
#	shapes  files of which records share much, lists and headers that lie
#	places  pipes, devices, directories and links where files are looked for
#	cores   damaged cores in GDB and LLDB, with the module loaded
#	service clients that do not read, helpers that are killed, few descriptors, words of a broker
#
# Files are those of tests/fixtures, the corpora of tests/fuzz and ../shared/conformance, damaged by tests/tools/mutate.c.
# They go to two builds: one with sanitizers, which must report nothing, and an ordinary one within the limits of
# docs/SECURITY.md: memory, processor time, output. Each run must end by itself with a status from 0 to 3,
# never report that memory is short, and never write a control character to a terminal.
#
# The same SEED attacks in the same way, round after round. What broke a rule is kept in attack-SEED, and the line
# that repeats its round is printed. Exit status 1: there is some. A part whose tools are missing is named at the end.
# Builds: build-attack and build-attack-san, made when they are missing; ATTACK_BUILD and ATTACK_SAN name others
# (with ATTACK_BUILT they are taken as they are), ATTACK_FILES other directories of files. With ATTACK_TIMES the file of that name
# gets a line for each run of the ordinary build, which alone is run then: scripts/worst_times.sh makes a table of them.
set -u
LC_ALL=C
no_proxy=127.0.0.1
export LC_ALL no_proxy
unset DEBUGINFOD_URLS CAIRN_API_KEY http_proxy HTTP_PROXY all_proxy ALL_PROXY

usage() {
	sed -n '3,13s/^# \{0,1\}//p' "$0"
	exit 2
}
parts='verbs target peer kills cuts shapes places cores service' first=1 last=0
while :; do
	case ${1:-} in
	--rounds) first=${2%-*} last=${2#*-} && shift 2 ;;
	--part) parts=$2 && shift 2 ;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# = 2 ] || { [ $# = 1 ] && [ "$last" -gt 0 ]; } || usage
seed=$1 seconds=${2:-0}
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
here=$top/scripts/attack
out=$PWD/attack-$seed
plain=${ATTACK_BUILD:-$top/build-attack}
san=${ATTACK_SAN:-$top/build-attack-san}
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=1024:exitcode=99
UBSAN_OPTIONS=exitcode=99
export ASAN_OPTIONS UBSAN_OPTIONS

# make_build DIR OPTION...: with what the parts need, where the tools for it are there
make_build() {
	[ -z "${ATTACK_BUILT:-}" ] || return 0
	[ -f "$1/build.ninja" ] || (cd "$top" && meson setup "$@") >/dev/null || exit 2
	set -- "$1" core/cli/cairn core/cli/cairn-net tests/tools/mutate tests/tools/libcut_file.so tests/net/exchange tests/net/crowd tests/net/odd_server tests/net/make_symbfile \
		tests/shapes/make_shape tests/shapes/make_place tests/tools/shared_gsym tests/tools/shared_symbfile
	for target in tests/fleet/odd_broker tests/debuggers/remote_stub plugin/gdb/cairn-gdb.so tests/debuggers/libdebuginfod.so.1 \
		plugin/lldb/cairn-lldb.so tests/debuggers/lldb/lldb-driver; do
		! ninja -C "$1" -t query "$target" >/dev/null 2>&1 || set -- "$@" "$target"
	done
	said=$(ninja -C "$@" 2>&1) || {
		printf '%s\n' "$said" | tail -n 20 >&2
		exit 2
	}
}
make_build "$plain"
make_build "$san" -Db_sanitize=address,undefined -Db_lundef=false
# only now, because a compiler may have a cache there, too
XDG_CACHE_HOME=/dev/null/none # nobody can make that, root neither
export XDG_CACHE_HOME

work=$(mktemp -d "${TMPDIR:-/tmp}/attack.XXXXXX") || exit 2
children=
finish() {
	for child in $children; do
		kill -9 "$child" 2>/dev/null
	done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 2' HUP INT TERM
mkdir -p "$work/debug/.build-id/ab"
file=$work/file debug=$work/debug/.build-id/ab/cdef.debug
# shellcheck disable=SC2086 # several directories
find ${ATTACK_FILES:-"$top/tests/fixtures" "$top/tests/fuzz/corpus" "$top/../shared/conformance"} -type f -size -512k 2>/dev/null |
	sort >"$work/files"
files=$(wc -l <"$work/files")

# draw BOUND: the next number below it, by the generator of Park and Miller; its square, because the numbers of
# rounds that follow each other are equally far apart
draw() {
	state=$((state * 16807 % 2147483647))
	drawn=$((state * state / 65536 % $1))
}

# draw_line FILE: one of its lines
draw_line() {
	draw "$(wc -l <"$1")"
	drawn_line=$(sed -n "$((drawn + 1))p" "$1")
}

# damage FROM OTHER: into the file of this round
damage() {
	draw 1000000007
	"$plain/tests/tools/mutate" "$drawn" "$1" "$2" >"$file" || exit 2
}

# keep WHY WHAT: for somebody to look at
keep() {
	findings=$((findings + 1))
	mkdir -p "$out"
	[ ! -f "$file" ] || cp "$file" "$out/$findings.input"
	{
		echo "$1: $2"
		echo "part $part, from ${source:-nothing}"
		tail -c 8000 "$work/err"
	} >"$out/$findings.txt"
	echo "$findings: $1: $2 (${source:-no file})"
	echo "	again: scripts/attack.sh --part $part --rounds $round-$round $seed"
}

# has_report FILE...: of a sanitizer
has_report() {
	grep -qE 'runtime error|AddressSanitizer|LeakSanitizer|invariant' "$@" 2>/dev/null
}

# has_control FILE: a character that a terminal obeys
has_control() {
	tr -d '\n\t' <"$1" | grep -q '[[:cntrl:]]'
}

# is_packed FILE: by gzip, zstd, xz or lz4, as a whole
is_packed() {
	od -An -tx1 -N4 "$1" | grep -qE '^ (1f 8b|28 b5 2f fd|fd 37 7a 58|04 22 4d 18)'
}

# has_packed FILE: does it contain compressed data, for which the promise has more memory?
has_packed() {
	is_packed "$1" ||
		readelf -SW "$1" 2>/dev/null | grep -qE '^ *\[.* [A-Z]*C[A-Z]* +[0-9]+ +[0-9]+ +[0-9]+$|\.zdebug|gnu_debugdata'
}

# run_limited KILOBYTES COMMAND...: within the promise's memory for so much input, its time and its largest output
run_limited() {
	limit_kb=$1
	shift
	(
		ulimit -c 0
		ulimit -v $((65536 + limit_kb))
		ulimit -t $((base_seconds + bytes / 1048576))
		ulimit -f $(((67108864 + frame_bytes + 60 * bytes) / 512))
		[ -z "${ATTACK_TIMES:-}" ] ||
			exec time -a -o "$ATTACK_TIMES" -f "%U %S $bytes $base_seconds ${source##*/} $round $what" -- "$@"
		exec "$@"
	) >"$work/text" 2>"$work/err" </dev/null
	status=$?
}

# is_short: did memory not suffice?
is_short() {
	[ $status -gt 3 ] || grep -qiE 'out of memory|no memory' "$work/err"
}

# run_plain WHAT COMMAND...: again where the file has compressed data, or is packed as a whole, for which there is more
# memory: liblzma and libzstd reserve the window that the file asks for
run_plain() {
	what=$1
	shift
	run_limited $((10 * bytes / 1024)) "$@"
	if is_short && has_packed "$file"; then
		run_limited $((60 * bytes / 1024)) "$@"
	fi
	if is_short && is_packed "$file"; then
		run_limited $((131072 + 60 * bytes / 1024)) "$@"
	fi
	runs=$((runs + 1))
	if [ $status -gt 3 ]; then
		keep "status $status" "$what"
	elif grep -qiE 'out of memory|no memory' "$work/err"; then
		keep 'memory is short' "$what"
	elif [ "$(wc -c <"$work/text")" -gt $((4194304 + frame_bytes + 200 * bytes)) ]; then
		keep "$(wc -c <"$work/text") bytes of output" "$what"
	elif [ "${what#cairn markup}" = "$what" ] && has_control "$work/text"; then
		keep 'a control character' "$what"
	elif has_control "$work/err"; then
		keep 'a control character in a message' "$what"
	fi
}

# run_sanitized WHAT COMMAND...
run_sanitized() {
	[ -z "${ATTACK_TIMES:-}" ] || return 0
	what=$1
	shift
	(
		ulimit -c 0
		ulimit -t $((30 + 10 * bytes / 1048576))
		exec "$@"
	) >/dev/null 2>"$work/err" </dev/null
	status=$?
	runs=$((runs + 1))
	if [ $status -gt 3 ] || has_report "$work/err"; then
		keep "sanitizer, status $status" "$what"
	fi
}

. "$here/verbs.sh"
prepare_verbs
missing= ready=
for part in $parts; do
	. "$here/$part.sh" || exit 2
	reason=
	if "prepare_$part"; then
		ready="$ready $part"
	else
		missing="$missing, $part ($reason)"
	fi
done
[ -n "$ready" ] || {
	echo "attack.sh: nothing can run${missing#,}"
	exit 77
}

# choose_part: of 24 rounds 4 are for the verbs
choose_part() {
	part=${ready##* }
	[ "$part" != "${ready# }" ] || return 0
	case $((round % 24)) in
	1) part=target ;;
	4 | 16) part=peer ;;
	7 | 13 | 19) part=kills ;;
	10 | 22) part=cuts ;;
	2 | 8 | 14 | 20) part=shapes ;;
	5 | 11 | 17) part=places ;;
	3) part=cores ;;
	6 | 9 | 12 | 15) part=service ;; # one of each kind: attack_service() chooses by the round
	*) part=verbs ;;
	esac
	case "$ready " in
	*" $part "*) ;;
	*) part=verbs ;;
	esac
}

findings=0 round=$((first - 1)) runs=0
base_seconds=3 frame_bytes=0 # of processor time for any input, and of output for frames that threads share
end=$(($(date +%s) + seconds))
while { [ "$last" -gt 0 ] && [ $round -lt "$last" ]; } || { [ "$last" = 0 ] && [ "$(date +%s)" -lt $end ]; }; do
	round=$((round + 1))
	state=$(((seed % 2147483 * 1000 + round * 104729) % 2147483646 + 1))
	draw 2 && draw 2
	choose_part
	draw_line "$work/files"
	source=$drawn_line
	draw_line "$work/files"
	rm -f "$file" "$debug"
	damage "$source" "$drawn_line"
	bytes=$(wc -c <"$file")
	"attack_$part"
done
echo "attack.sh: seed $seed: $((round - first + 1)) rounds, $runs runs, $findings findings${missing:+; not run$missing}"
[ $findings = 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# Attacks the command line with damaged files: scripts/attack.sh SEED SECONDS.
#
# Each file of tests/fixtures, the corpora of tests/fuzz and ../shared/conformance, damaged by chance
# (tests/mutate.c: the same for a seed), goes to verbs that are drawn by chance. Each command runs twice:
# in a build with sanitizers, which must report nothing, and in the ordinary build within the limits of
# docs/SECURITY.md: 64 MiB of address space and 60 times the file, processor time, output. Each must end by
# itself with a status from 0 to 3, never report that memory is short, and never write a control character to
# a terminal.
#
# What broke a rule is kept in attack-SEED: the input, the command, its messages. Exit status 1: there is some.
# Builds: build-attack and build-attack-san, made when they are missing.
set -u
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
[ $# = 2 ] || {
	sed -n '3,4s/^# //p' "$0"
	exit 2
}
seed=$1 seconds=$2
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
out=$PWD/attack-$seed
plain=${ATTACK_BUILD:-$top/build-attack}
san=${ATTACK_SAN:-$top/build-attack-san}
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=1024:exitcode=99
UBSAN_OPTIONS=exitcode=99
XDG_CACHE_HOME=/nonexistent
export ASAN_OPTIONS UBSAN_OPTIONS XDG_CACHE_HOME

make_build() {
	[ -f "$1/build.ninja" ] || (cd "$top" && meson setup "$@") >/dev/null || exit 2
	ninja -C "$1" core/cli/cairn tests/mutate >/dev/null || exit 2
}
make_build "$plain"
make_build "$san" -Db_sanitize=address,undefined -Db_lundef=false

work=$(mktemp -d "${TMPDIR:-/tmp}/attack.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
mkdir -p "$work/debug/.build-id/ab"
file=$work/file debug=$work/debug/.build-id/ab/cdef.debug
cat >"$work/log" <<'END'
{{{module:0:program:elf:abcdef}}}
{{{mmap:0x0:0x1000000:load:0:rwx:0x0}}}
{{{pc:0x401010}}} {{{bt:0:0x1150:pc}}} {{{bt:1:0x4011d6:ra}}} {{{data:0x4010}}} {{{symbol:_Z3fooIiEvT_}}}
END
find "$top/tests/fixtures" "$top/tests/fuzz/corpus" "$top/../shared/conformance" -type f -size -512k 2>/dev/null |
	sort >"$work/files"
files=$(wc -l <"$work/files")

# FILE is the damaged file; OUT is written to.  One command a line.
cat >"$work/verbs" <<'END'
sframe dump FILE
sframe dump --lines FILE
sframe dump --json FILE
sframe verify FILE
sframe verify --json FILE
sframe lookup FILE 0x1150 0x401136
cbf decode FILE
cbf decode --json FILE
cbf decode --each --lines FILE
cbf decode --stream --json --from raw FILE
cbf decode --images FILE FILE
cbf decode --image-map --json FILE
cbf decode --image-map --from raw FILE
cbf encode FILE
cbf encode --image-map FILE
cbf find FILE
cbf find --json --arrays FILE
gsym create -j 1 --quiet --keep-going -o OUT FILE
gsym create --quiet --verify -o OUT FILE
gsym create --quiet --statements -o OUT FILE
gsym diff FILE FILE
gsym dump FILE
gsym dump --json FILE
gsym verify FILE
gsym verify --json FILE
gsym stats FILE
gsym find --contains FILE a
gsym lookup FILE 0x1000 0x1010 0x401136
gsym lookup --json FILE 0x1000 0x1150
gsym lookup --addr2line FILE 1000 1150
gsym lookup --gsymutil FILE 0x1000 0x1150
symbfile create -j 1 --quiet -o OUT FILE
symbfile dump FILE
symbfile dump --json FILE
symbfile verify FILE
symbfile stats FILE
symbfile lookup FILE 0x1000 0x1150
symbfile id FILE
symbols write --quiet --machine amd64 --force -o OUT FILE
symbols write --quiet --for FILE --force -o OUT FILE
symbols write --quiet --debugger=lldb --for FILE --force -o OUT FILE
where --no-cache FILE 0x1150 0x401136
where --no-cache --json FILE 0x1150 0x401136
dwarf dump --summary FILE
dwarf dump --libdw --summary FILE
dwarf dump FILE
markup FILE
markup --json FILE
markup --compat=llvm FILE
markup --debug-file-directory=DEBUG LOG
markup --compat=llvm --debug-file-directory=DEBUG LOG
bt FILE
bt --json FILE
bt --explain --registers FILE
bt --modules FILE
bt --folded FILE
END
verbs=$(wc -l <"$work/verbs")

# The n-th number below BOUND of this seed; the generator of Park and Miller, which every awk has.
draw() {
	state=$((state * 16807 % 2147483647))
	drawn=$((state % $1))
}

# keep WHY: for somebody to look at
keep() {
	findings=$((findings + 1))
	mkdir -p "$out"
	cp "$file" "$out/$findings.input"
	{
		echo "$1: cairn $words"
		echo "from $source, mutation $mutation"
		head -c 4000 "$work/err"
	} >"$out/$findings.txt"
	echo "$findings: $1: cairn $words ($source)"
}

# Within the promise: kB of address space, seconds of processor time, bytes of output.
run_bounded() {
	(
		ulimit -v $memory
		ulimit -t $time
		ulimit -f $((written / 512 + 1))
		exec "$plain/core/cli/cairn" "$@"
	) >"$work/text" 2>"$work/err" </dev/null
	status=$?
	size=$(wc -c <"$work/text")
	if [ $status -gt 3 ]; then
		keep "status $status"
	elif grep -qiE 'out of memory|no memory' "$work/err"; then
		keep "memory is short"
	elif [ "$size" -gt "$printed" ]; then
		keep "$size bytes of output"
	elif [ "${words%% *}" != markup ] && tr -d '\n\t' <"$work/text" | grep -q '[[:cntrl:]]'; then
		keep "a control character"
	elif tr -d '\n\t' <"$work/err" | grep -q '[[:cntrl:]]'; then
		keep "a control character in a message"
	fi
}

run_sanitized() {
	(
		ulimit -t $((10 * time))
		exec "$san/core/cli/cairn" "$@"
	) >/dev/null 2>"$work/err" </dev/null
	status=$?
	if [ $status -gt 3 ] || grep -qE 'runtime error|AddressSanitizer|LeakSanitizer' "$work/err"; then
		keep "sanitizer, status $status"
	fi
}

state=$((seed % 2147483646 + 1)) findings=0 mutation=0 runs=0
end=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt $end ]; do
	mutation=$((mutation + 1))
	draw "$files"
	source=$(sed -n "$((drawn + 1))p" "$work/files")
	draw "$files"
	other=$(sed -n "$((drawn + 1))p" "$work/files")
	"$plain/tests/mutate" $((seed * 1000003 + mutation)) "$source" "$other" >"$file" || exit 2
	ln -f "$file" "$debug"
	bytes=$(wc -c <"$file")
	memory=$((65536 + 60 * bytes / 1024))
	time=$((3 + bytes / 1048576))
	printed=$((4194304 + 200 * bytes))
	written=$((67108864 + 60 * bytes))
	for again in 1 2 3 4; do
		draw "$verbs"
		words=$(sed -n "$((drawn + 1))p" "$work/verbs")
		set --
		for word in $words; do
			case $word in
			FILE) word=$file ;;
			OUT) word=$work/out ;;
			LOG) word=$work/log ;;
			DEBUG | --debug-file-directory=DEBUG) word=--debug-file-directory=$work/debug ;;
			esac
			set -- "$@" "$word"
		done
		run_bounded "$@"
		run_sanitized "$@"
		rm -rf "$work"/out*
		runs=$((runs + 2))
	done
done
echo "attack.sh: seed $seed: $mutation files, $runs runs, $findings findings"
[ $findings = 0 ]

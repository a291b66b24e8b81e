#!/bin/sh
# SPDX-License-Identifier: MIT
# A core is made a minidump, and that a core again: stock GDB, LLDB and cairn bt show the frames of the first core, thread by
# thread. LLDB shows them of the minidump, too.
#
#	open_minidump.sh FLAGS...
set -eu
export LC_ALL=C
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"

command -v "$GDB" >/dev/null || skip 'no GDB on this machine'
lldb=$(command -v "${LLDB:-lldb-19}" || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
plugin=plugin with=1
case " $* " in *' -static '*) plugin='' with=0 ;; esac
"$CC_TARGET" -g -pthread "$@" -DWITH_PLUGIN=$with "$programs/stacks.c" -o "$work/stacks" 2>"$work/refused" ||
	skip "the compiler cannot make it: $(head -n 1 "$work/refused")"
[ -z "$plugin" ] || "$CC_TARGET" -g "$@" -pie -fPIC -shared "$programs/stacks_plugin.c" -o "$work/plugin.so"

# of programs a stack overflows soon
debug() (
	ulimit -s "${stack:-256}"
	exec timeout 240 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set pagination off' -ex 'set confirm off' "$@" "$work/stacks" </dev/null 2>&1
)

# split KIND: what a debugger says of each file, which it names in a line "=== NAME", to NAME.KIND
split() {
	awk -v work="$work" -v kind="$1" '/^=== / { file = work "/" $2 "." kind; next } file { print >file }'
}

# dump_cores HANDLING NAME...: one GDB writes the core of each case
dump_cores() {
	handling=$1
	shift
	for name; do
		[ $name != plugin ] || name="plugin $work/plugin.so"
		printf 'run %s\ngenerate-core-file %s\n' "$name" "$work/${name%% *}.core"
	done >"$work/cores.gdb"
	debug -ex "handle SIGSEGV $handling" -x "$work/cores.gdb" >>"$work/said" || :
}

# Each debugger starts once, for all files NAME.KIND. The linker's list may have another name of a library's directory than the list of mapped files.
gdb_frames() {
	printf 'set print frame-arguments %s\n' "${arguments:-scalars}" >"$work/arguments.gdb"
	for file; do
		printf 'echo %s=== %s%s\ncore-file %s\nthread apply all -q bt\n' '\n' "$file" '\n' "$work/$file"
	done >"$work/frames.gdb"
	debug -x "$work/arguments.gdb" -x "$work/frames.gdb" | sed -n -e 's| from /lib/| from /usr/lib/|' -e '/^#\|^=== /p' | split gdb
}
# LLDB shows some arguments otherwise after another process at the same addresses: it sees one kind of file at a time. It
# has the debug information of the C library from the copies that GDB takes it from.
lldb_frames() {
	for file; do
		printf 'target create --core %s %s\nbt all\ntarget delete\n' "$work/$file" "$work/stacks"
	done >"$work/frames.lldb"
	timeout 240 "$lldb" -b --no-lldbinit ${DEBUG_FILES:+-O "settings set target.debug-file-search-paths $DEBUG_FILES.files"} \
		-s "$work/frames.lldb" >"$work/lldb" 2>&1 || :
	sed -n -e "s|^(lldb) target create --core $work/\([^ ]*\) .*|=== \1|p" -e 's/^[ *]*\(frame #\)/\1/p' "$work/lldb" |
		split lldb
}
cairn_frames() {
	for file; do
		"$CAIRN" bt ${DEBUG_FILES:+--debug-file-directory "$DEBUG_FILES.files"} "$work/$file" | grep '^#' >"$work/$file.cairn" || :
	done
}

# same WHAT KIND NAME FILE: KIND shows of the file what it shows of the core of that name
same() {
	[ -s "$work/$3.core.$2" ] || fail "$1: nothing is shown of the core"
	cmp -s "$work/$3.core.$2" "$work/$4.$2" && return
	fail "$1: not the frames of the core"
	diff "$work/$3.core.$2" "$work/$4.$2" | head -n 20
}

plain="inlined recurse overflow null garbage threads many $plugin asserted vdso" handled='signal altstack'
names="$handled $plain" # vdso last
# shellcheck disable=SC2086 # names
{
	dump_cores 'stop print pass' $plain
	dump_cores 'nostop noprint pass' $handled
}
cores='' again='' dumps='' all_dumps=''
for name in $names; do
	[ -s "$work/$name.core" ] || { fail "$name: no core: $(cat "$work/said")"; continue; }
	"$CAIRN" minidump --quiet -o "$work/$name.dump" "$work/$name.core" || fail "$name: exit status $?"
	"$CAIRN" open --quiet -o "$work/$name.again" "$work/$name.dump" || fail "$name: exit status $? of open"
	cores="$cores $name.core" again="$again $name.again" all_dumps="$all_dumps $name.dump"
	[ $name = vdso ] || dumps="$dumps $name.dump" # LLDB reads no vDSO of a minidump
done
# shellcheck disable=SC2086 # names
{
	gdb_frames $cores $again
	cairn_frames $cores $again $all_dumps
	[ -z "$lldb" ] || for files in "$cores" "$again" "$dumps"; do lldb_frames $files; done
}
[ -z "$lldb" ] || ! grep -i warning "$work/lldb" || fail 'LLDB warns of the minidumps'
for name in $names; do
	same "$name in GDB" gdb $name $name.again
	same "$name in cairn" cairn $name $name.again
	same "$name as a minidump in cairn" cairn $name $name.dump
	[ -n "$lldb" ] || continue
	# LLDB 23 does not walk out of the vDSO of GDB's core
	[ "$(wc -l <"$work/$name.core.lldb")" = 1 ] || same "$name in LLDB" lldb $name $name.again
	[ $name = vdso ] || same "$name as a minidump in LLDB" lldb $name $name.dump
done

# All registers of all threads are those of the core, but for the bases of segments and what no minidump has.
registers() {
	debug -ex "core-file $work/$1" -ex 'thread apply all -q info registers' \
		-ex 'thread apply all -q info registers mxcsr xmm0 xmm1 xmm7 xmm15 st0' | grep '^\([a-z0-9]* *0x\|mxcsr\|xmm\|st0\)' | grep -v '^\(k[0-7]\|[fg]s_base\) '
}
case $(uname -m) in
x86_64)
	registers threads.core >"$work/expected"
	registers threads.again >"$work/got"
	[ "$(grep -c '^eflags' "$work/expected")" -ge 2 ] || fail "registers: $(cat "$work/expected")"
	cmp -s "$work/expected" "$work/got" || { fail 'other registers than in the core'; diff "$work/expected" "$work/got" | head -n 20; }
	;;
esac

# A stack of 8 MB is whole. LLDB takes minutes for so many frames.
printf 'run overflow\ngenerate-core-file %s\n' "$work/large.core" >"$work/cores.gdb"
(stack=8192 && debug -ex 'handle SIGSEGV stop print pass' -x "$work/cores.gdb") >"$work/said" || :
"$CAIRN" minidump --quiet -o "$work/large.dump" "$work/large.core" && "$CAIRN" open --quiet -o "$work/large.again" "$work/large.dump" || fail '8 MB: no core'
arguments=none
gdb_frames large.core large.again
cairn_frames large.core large.again large.dump
same '8 MB in GDB' gdb large large.again
same '8 MB in cairn' cairn large large.again
same '8 MB as a minidump in cairn' cairn large large.dump
[ "$(wc -l <"$work/large.core.gdb")" -ge 5000 ] || fail "8 MB: $(wc -l <"$work/large.core.gdb") frames"

# Variables of which the dump has no memory cannot be read: what the file has is how they were at the start.
debug -ex "core-file $work/null.again" -ex 'print sink' -ex 'print zero' >"$work/said" || :
[ "$(grep -c '^Cannot access memory at address' "$work/said")" = 2 ] || fail "variables in GDB: $(cat "$work/said")"
[ -z "$lldb" ] || {
	timeout 240 "$lldb" -b --no-lldbinit -f "$work/stacks" -c "$work/null.again" -o 'target variable sink' -o 'target variable zero' >"$work/said" 2>&1 || :
	[ "$(grep -c '= <read memory from 0x[0-9a-f]* failed' "$work/said")" = 2 ] || fail "variables in LLDB: $(cat "$work/said")"
}
mv "$work/vdso.dump" "$work/dump"

# Without -o a debugger is started, and nothing is left when it ends.
mkdir "$work/temporary"
TMPDIR=$work/temporary "$CAIRN" open --gdb --debugger="$GDB" "$work/dump" -- -nx -batch -ex 'print 40 + 2' -ex bt >"$work/said" 2>&1 ||
	fail "open: exit status $?"
grep -q '^\$1 = 42' "$work/said" && grep -q '^#0 ' "$work/said" || fail "open: $(cat "$work/said")"
[ -z "$(ls "$work/temporary")" ] || fail "open: $(ls "$work/temporary") is left"
TMPDIR=$work/temporary "$CAIRN" open --debugger=/none "$work/dump" >"$work/said" 2>&1 && fail 'a debugger that is not there is no error'
grep -q 'cannot start: No such file or directory' "$work/said" || fail "no debugger: $(cat "$work/said")"
[ -z "$(ls "$work/temporary")" ] || fail "no debugger: $(ls "$work/temporary") is left"

# A minidump that is cut gives what is there, or says why there is nothing.
size=$(wc -c <"$work/dump")
cut=0
while [ $cut -lt "$size" ]; do
	head -c $cut "$work/dump" >"$work/part"
	status=0
	(ulimit -t 10 && exec "$CAIRN" open --quiet -o "$work/of-part" "$work/part") >"$work/said" 2>&1 || status=$?
	case $status in
	1 | 3) [ -s "$work/said" ] || fail "cut at $cut: nothing is said" ;;
	*) fail "cut at $cut: exit status $status: $(cat "$work/said")" ;;
	esac
	cut=$((cut + size / 13 + 1))
done
exit $failed

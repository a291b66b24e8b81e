#!/bin/sh
# SPDX-License-Identifier: MIT
# auto.sh: symbols that load by themselves, before the start and at stops, for a program and its library,
# live and in a core; what LLDB knows better stays.  And what cairn remembers when it is loaded twice.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
version=$("$LLDB" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')

echo 'int x;' >"$tmp/probe.c"
"$CC_TARGET" -c -Wa,--gsframe "$tmp/probe.c" -o "$tmp/probe.o" 2>/dev/null ||
	skip "the assembler does not know --gsframe"
mkdir "$tmp/full" "$tmp/bare" "$tmp/gsym" "$tmp/none" "$tmp/linked"
cd "$tmp"
cat >lib.c <<'END_C'
static __attribute__((noinline)) int hidden(volatile int *x, int n)
{
	return n == 0 ? *x : hidden(x, n - 1) + *x;
}
int lib_outer(volatile int *x)
{
	return hidden(x, 4) + 1;
}
END_C
cat >user.c <<'END_C'
int lib_outer(volatile int *x);
static __attribute__((noinline)) int work(volatile int *x)
{
	return lib_outer(x) + *x;
}
int main(void)
{
	volatile int x = 2;
	return work(&x) > 100;
}
END_C
flags='-O1 -g -Wa,--gsframe -Wl,--build-id=sha1'
# shellcheck disable=SC2086 # flags are words
{
	"$CC_TARGET" $flags -shared -fPIC lib.c -o full/libx.so
	"$CC_TARGET" $flags user.c -Lfull -lx -Wl,-rpath,'$ORIGIN' -o full/user
}
for file in libx.so user; do
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr full/$file linked/$file
	strip -o bare/$file linked/$file
	"$CAIRN" gsym create full/$file -o gsym/$file.gsym >/dev/null
	# LLDB finds the lines of these by itself
	objcopy --only-keep-debug full/$file linked/$file.debug
	strip linked/$file
	(cd linked && objcopy --add-gnu-debuglink=$file.debug $file)
done

# session PROGRAM ARGUMENTS...
session() {
	program=$1
	shift
	within "${LIMIT:-300}" "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set stop-line-count-before 0' -O 'settings set stop-line-count-after 0' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "plugin load $LLDB_PLUGIN" \
		"$@" $program </dev/null >"$tmp/said" 2>&1 || :
}

# holds TEXT: the session's answers have it
holds() {
	grep -qF -- "$1" "$tmp/said" || {
		cat "$tmp/said"
		fail "not there: $1"
	}
}
# matches PATTERN
matches() {
	grep -qE -- "$1" "$tmp/said" || {
		cat "$tmp/said"
		fail "not there: $1"
	}
}
lacks() {
	! grep -qF -- "$1" "$tmp/said" || {
		cat "$tmp/said"
		fail "there: $1"
	}
}
# The stack in the library, with the lines of the source.
stack_holds() {
	matches 'frame #0: .* libx.so`hidden.* at lib.c:[23]'
	matches 'frame #1: .* libx.so`lib_outer.* at lib.c:7'
	matches 'frame #2: .* user`work.* at user.c:4'
	matches 'frame #3: .* user`main at user.c:9'
}

# Before the start: the program by its first breakpoint, the library as it is loaded (17 and newer) or at
# the first stop.
session bare/user -O "cairn set directory $tmp/gsym" -O 'cairn set auto-symbols on' -o 'b work' \
	-o run -o 'b hidden' -o c -o bt -o 'cairn modules' -o 'cairn show auto-symbols'
matches '^Breakpoint 1: where = user`work.* at user.c:'
matches '^Breakpoint 2: where = libx.so`hidden.* at lib.c:'
stack_holds
[ "$(grep -c "its symbols: $tmp/gsym/.*, in LLDB" said)" = 2 ] || {
	cat said
	fail 'both modules have their symbols, and cairn knows it'
}
holds 'Symbols of new modules are loaded (on).'
if [ "$version" -ge 17 ]; then
	session bare/user -O "cairn set directory $tmp/gsym" -O 'cairn set auto-symbols on' \
		-o 'b hidden' -o run -o bt
	holds '1 location added to breakpoint 1'
	stack_holds
fi
echo 'before the start: symbols are there for the first breakpoint'

# Files that the user gives: one for the program, and one for a library that is not loaded yet.
session bare/user -o "cairn add-gsym gsym/user.gsym" -o "cairn add-gsym gsym/libx.so.gsym" -o 'b hidden' -o 'b work' \
	-o run -o 'b lib_outer' -o c -o c -o bt -o 'cairn show auto-symbols'
holds 'gsym/libx.so.gsym: LLDB finds these symbols when it loads the library of their build'
matches 'Breakpoint 3: where = libx.so`lib_outer.* at lib.c:'
matches 'frame #1: .* libx.so`lib_outer.* at lib.c:7'
holds 'Symbols of new modules are not loaded (off).'
if [ "$version" -ge 17 ]; then
	holds '1 location added to breakpoint 1'
	stack_holds
fi
# another library, and nothing else, stays without
session bare/user -o "cairn add-gsym gsym/libx.so.gsym" -o 'b lib_outer' -o run -o 'cairn modules'
[ "$(grep -c "its symbols: .*/gsym/libx.so.gsym, in LLDB" said)" = 1 ] || {
	cat said
	fail 'the library that was given has its symbols, and the program none'
}
echo 'given before: the library has its symbols when it is loaded'

# A target that was there before, and one that comes later, get theirs at stops.
at=$(nm full/user | awk '$3 == "work" { print $1 }')
session bare/user -o "cairn set directory $tmp/gsym" -o "breakpoint set -s user -a 0x$at" \
	-o 'cairn set auto-symbols on' -o run -o 'target create bare/user' -o 'process launch -s' -o 'b hidden' -o c -o bt
holds '`work at user.c:'
stack_holds
session bare/user -O "cairn set directory $tmp/gsym" -O 'cairn set auto-symbols on' \
	-O 'cairn set auto-symbols off' -o 'b work' -o 'cairn show auto-symbols'
holds 'Breakpoint 1: no locations (pending).'
holds 'Symbols of new modules are not loaded (off).'
echo 'at stops: a target that was there before, and a new one'

# Without any symbols .sframe gives the stack its frames, and symbols that are added later replace it.
session bare/user -O 'cairn set auto-symbols on' -o "breakpoint set -s user -a 0x$at" -o run -o bt \
	-o 'cairn add-gsym gsym/user.gsym' -o bt
matches 'frame #3: .*`__libc_start_main'
holds "user: 9 functions from $tmp/gsym/user.gsym"
holds '`work at user.c:'
echo 'frames: by .sframe alone, until there are symbols'
# The same by an .eh_frame that only the program header leads to, which LLDB does not find.
mkdir hidden
for file in libx.so user; do
	objcopy --remove-section .sframe --rename-section .eh_frame=.renamed full/$file hidden/$file
	strip hidden/$file
done
session hidden/user -O 'cairn set auto-symbols on' -o "breakpoint set -s user -a 0x$at" -o run -o bt
matches 'frame #3: .*`__libc_start_main'
echo 'frames: by an .eh_frame that is in no section of that name'

# LLDB's own lines stay: in the program, in a debug file that it finds, and in the debug file of a directory.
for folder in full linked; do
	session $folder/user -O "cairn set directory $tmp/gsym" -O 'cairn set auto-symbols on' \
		-o 'b hidden' -o run -o bt -o 'cairn modules'
	stack_holds
	# only DWARF knows arguments
	holds '`hidden(x='
	lacks ', in LLDB'
done
# the second of two directories in which LLDB looks
for file in libx.so user; do
	id=$(readelf -n bare/$file | sed -n 's/.*Build ID: //p' | sed 's/^../&\//')
	mkdir -p "tree/.build-id/${id%/*}"
	cp linked/$file.debug "tree/.build-id/$id.debug"
done
session bare/user -O "settings append target.debug-file-search-paths $tmp/none" -O "settings append target.debug-file-search-paths $tmp/tree" \
	-O "cairn set directory $tmp/gsym" -O 'cairn set auto-symbols on' -o 'b hidden' -o run -o bt -o 'cairn modules'
stack_holds
holds '`hidden(x='
lacks ', in LLDB'
echo 'own lines: those of the program and of its debug file stay'

# A core: what it has left out is in the files, some of it between their sections.
if command -v gdb >/dev/null; then
	within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set exec-wrapper env -i' \
		-ex 'break work' -ex run -ex "generate-core-file $tmp/core" linked/user </dev/null >said 2>&1 || :
	[ -s core ] || fail 'no core of GDB'
	rm linked/*.debug
	session '' -O "cairn set directory $tmp/gsym" -O 'cairn set auto-symbols on' \
		-o "target create --core $tmp/core linked/user" -o bt -o 'cairn bt'
	matches 'frame #0: .* user`work.* at user.c:[34]'
	matches 'frame #1: .* user`main at user.c:9'
	matches 'in main.* at user.c:9'
	echo 'core: the first stack has its symbols'
else
	echo 'core: not tried, because there is no GDB that makes one'
fi

# Loaded once more, cairn goes on with what it knows.
session bare/user -o 'cairn add-gsym -only gsym/user.gsym' -o "cairn set directory $tmp/none" \
	-o "plugin load $LLDB_PLUGIN" -o 'cairn show directory' -o 'cairn symbols load' -o 'b work' \
	-o 'cairn set auto-symbols maybe' -o 'cairn show auto-symbols'
holds "cairn looks for symbols in \"$tmp/none\""
holds "user: 9 functions from $tmp/gsym/user.gsym"
matches '^Breakpoint 1: where = user`work.* at user.c:'
holds 'error: auto-symbols must be on or off, not "maybe"'
echo 'loaded twice: files and settings are kept'

#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn gsym create on programs that are made here: create_options.sh CAIRN CC...
# Symbols in .gnu_debugdata, a dwz pair, files that are cut off or claim absurd sizes, ends by
# signals, and the line that tells how far it is.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2

fail() {
	echo "create: $1"
	exit 1
}

missing() {
	for tool; do
		command -v "$tool" >/dev/null || {
			echo "create: without $tool: not tested here"
			return 0
		}
	done
	return 1
}

# names FILE: of all functions
names() {
	"$cairn" gsym dump "$1" | sed -n 's/^FunctionInfo.*) "\(.*\)"$/\1/p' | sort
}

cat >prog.c <<'C'
#define MANY(n) int f##n(int x) { return x * n; }
MANY(1) MANY(2) MANY(3) MANY(4) MANY(5) MANY(6) MANY(7) MANY(8)
static int __attribute__((noinline)) hidden(int n) { return f1(n) + f2(n); }
int main(int argc, char **argv) { return argv ? hidden(argc) : 0; }
C
"$@" -g -O1 -Wl,--build-id=sha1 prog.c -o prog 2>/dev/null || {
	echo "create: skipped, no program can be linked"
	exit 77
}

# Symbols of another file of the build in place of the input's.
symtab_file() {
	missing objcopy && return
	objcopy --strip-all --keep-section='.debug_*' prog lines
	"$cairn" gsym create --quiet prog -o whole.gsym || fail "prog"
	"$cairn" gsym create --quiet lines -o lines.gsym || fail "DWARF without symbols"
	cmp -s whole.gsym lines.gsym && fail "symbols make no difference"
	"$cairn" gsym create --quiet --symtab-file prog lines -o joined.gsym || fail "--symtab-file"
	cmp -s whole.gsym joined.gsym || fail "--symtab-file: another file than of the whole program"
	"$cairn" gsym create --symtab-file lines prog -o joined.gsym >errors 2>&1
	grep -q 'lines: contains no .symtab' errors || fail "a file without symbols: $(cat errors)"
	cmp -s lines.gsym joined.gsym || fail "the input's own symbols were taken"
	"$@" -O1 -Wl,--build-id=sha1 -DOTHER prog.c -o other
	"$cairn" gsym create --symtab-file other lines -o none.gsym >errors 2>&1 && fail "symbols of another build"
	grep -q 'other: does not belong to the same build as lines' errors || fail "another build: $(cat errors)"
	[ ! -e none.gsym ] || fail "a file of another build's symbols"
	"$cairn" gsym create --symtab-file prog.c lines -o none.gsym >errors 2>&1 && fail "symbols of a text"
	"$cairn" gsym create --symtab-file prog --tree . -o store >errors 2>&1
	[ $? = 2 ] || fail "--symtab-file with --tree"
}

minidebug() {
	missing objcopy xz nm strip && return
	nm prog --defined-only -P | awk '$2 ~ /^[Tt]$/ { print $1 }' >keep
	objcopy -S --keep-symbols=keep prog mini
	xz mini
	strip prog -o bare
	objcopy --add-section .gnu_debugdata=mini.xz bare packed
	"$cairn" gsym create --quiet packed -o packed.gsym 2>errors || {
		grep -q "built without" errors && echo "create: without liblzma: not tested here"
		return
	}
	for name in hidden main f1 f8; do
		names packed.gsym | grep -qx "$name" || fail "$name of .gnu_debugdata is lost"
	done
	head -c 30000000 /dev/zero | xz >bomb.xz
	objcopy --add-section .gnu_debugdata=bomb.xz bare bomb
	(
		[ -n "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || ulimit -v 200000 # they want terabytes
		"$cairn" gsym create bomb -o bomb.gsym 2>errors
	)
	grep -q "gnu_debugdata: decompresses to more than a symbol table needs" errors ||
		fail "a bomb in .gnu_debugdata: $(cat errors)"
}

# all functions of a pair that dwz made are there
pair() {
	missing dwz && return
	cp prog one
	sed 's/hidden/masked/' prog.c >other.c
	"$@" -g -O1 other.c -o two
	dwz -m common one two 2>/dev/null || return
	for name in one two; do
		"$cairn" gsym create --quiet $name -o $name.gsym 2>errors || fail "$(cat errors)"
		[ -s errors ] && fail "$(cat errors)"
	done
	"$cairn" gsym create --quiet prog -o prog.gsym
	names prog.gsym >expected
	names one.gsym | cmp -s - expected || fail "functions of a dwz pair are lost"
	[ "$("$cairn" gsym dump one.gsym | grep -c prog.c)" -gt 0 ] || fail "lines of a dwz pair are lost"

	# the tree of debugging information lies elsewhere
	cp prog three
	cp two four
	mkdir -p tree/.dwz
	dwz -m tree/.dwz/pair -M /nowhere/.dwz/pair three four 2>/dev/null || return
	"$cairn" gsym create --directory other:tree three -o three.gsym >said 2>errors
	[ ! -s errors ] || fail "the alternate file in a tree: $(cat errors)"
	cmp -s one.gsym three.gsym || fail "an alternate file in a tree gives something else"
}

# Without the file that dwz took out of a pair, no inlined call is without a name, none has half of
# one, and the message names the file.
bereft() {
	missing dwz && return
	cat >shared.h <<'C'
#define ALWAYS static inline __attribute__((always_inline)) int
namespace a_scope_that_both_have {
ALWAYS a_call_that_both_have(int n) { for (int i = n; i > 0; i--) n = n * 31 + i; return n; }
}
C
	for name in left right; do
		cat >$name.cc <<C
#include "shared.h"
namespace a_scope_that_both_have { namespace ${name}_scope {
ALWAYS ${name}_call(int n) { for (int i = n; i > 0; i--) n = n * 7 + a_call_that_both_have(i); return n; }
} }
int main(int argc, char **) { return a_scope_that_both_have::${name}_scope::${name}_call(argc); }
C
		"$@" -g -O1 -fno-exceptions -Wl,--build-id=sha1 $name.cc -o $name 2>/dev/null || {
			echo "create: without a compiler of C++: not tested here"
			return
		}
	done
	mkdir -p away/.dwz
	dwz -m away/.dwz/shared -M /nowhere/.dwz/shared left right 2>/dev/null || return
	"$cairn" gsym create --quiet --directory away left -o left.gsym 2>errors || fail "$(cat errors)"
	for name in a_scope_that_both_have::left_scope::left_call a_scope_that_both_have::a_call_that_both_have; do
		"$cairn" gsym dump left.gsym | grep -q "[)] $name called from" || fail "no $name in a pair"
	done
	"$cairn" symbfile create left -o bereft >said 2>errors || fail "$(cat errors)"
	grep -q "^cairn: left: '/nowhere/.dwz/shared': the alternate file (dwz) with build ID [0-9a-f]* is missing, " errors &&
		grep -q " take DIR/.build-id/[0-9a-f][0-9a-f]/[0-9a-f]*[.]debug with --directory DIR$" errors ||
		fail "without the alternate file: $(cat errors)"
	id=$(sed -n 's|.* DIR/\(.build-id/[^ ]*\) .*|\1|p' errors)
	"$cairn" gsym create --quiet bereft.ranges -o bereft.gsym || fail "a symbfile without the alternate file"
	"$cairn" gsym create left -o left.gsym >said 2>&1
	for form in left bereft; do
		"$cairn" gsym dump $form.gsym | sed -n 's/^ .*[)] \(.*\) called from .*/\1/p' | sort -u >calls
		printf '??\nleft_call\n' | cmp -s - calls || fail "names of calls in $form: $(cat calls)"
	done

	# where the message wants it
	mkdir -p "wanted/${id%/*}" && cp away/.dwz/shared "wanted/$id"
	"$cairn" symbfile create --quiet --directory wanted left -o found >said 2>errors || fail "$(cat errors)"
	[ ! -s errors ] || fail "with the alternate file where it is wanted: $(cat errors)"
}

# a file that is cut off says where, and leaves nothing behind
cuts() {
	size=$(wc -c <prog)
	for part in 0 1 10 63 64 100 1000 $((size / 4)) $((size / 2)) $((size * 3 / 4)) \
		$((size - 64)) $((size - 1)); do
		head -c "$part" prog >cut
		"$cairn" gsym create cut -o cut.gsym >said 2>errors && fail "$part bytes of $size convert"
		[ "$part" -lt 64 ] || grep -q "at byte [0-9]" errors ||
			fail "$part bytes: no offset: $(cat errors)"
		[ ! -e cut.gsym ] && [ ! -s said ] || fail "$part bytes: something was written"
	done
}

# refuse COMMAND...: it tells why, and ends by itself, although what was freed is overwritten
refuse() {
	MALLOC_PERTURB_=165 "$cairn" "$@" >said 2>errors
	status=$?
	[ $status -ge 1 ] && [ $status -le 3 ] || fail "$1 $2: ended with $status: $(cat errors)"
	grep -q "several code sections" errors || fail "$1 $2: $(cat errors)"
}

# a relocatable file with two sections of code is not read, and nothing of it is freed twice
refused() {
	"$@" -g -ffunction-sections -c prog.c -o apart.o || fail "no relocatable file"
	refuse where apart.o 0
	refuse gsym create apart.o -o apart.gsym
	refuse symbfile create apart.o -o apart.symbfile
	refuse symbols write --for prog -o apart.sym apart.o
}

# a compressed section that claims 2^60 bytes is refused before memory is taken
inflated() {
	missing objcopy readelf && return
	objcopy --compress-debug-sections=zlib prog small || return
	at=$(readelf -SW small | sed -n 's/.*\.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\).*/\1/p')
	[ -n "$at" ] || return
	printf '\000\000\000\000\000\000\000\020' |
		dd of=small bs=1 seek=$((0x$at + 8)) conv=notrunc 2>/dev/null
	(
		[ -n "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || ulimit -v 200000 # they want terabytes
		"$cairn" gsym create small -o small.gsym >/dev/null 2>errors
	) && fail "a section of 2^60 bytes is believed"
	grep -q "debug_info: the section claims to be larger than its compressed data can be" errors ||
		fail "a section of 2^60 bytes: $(cat errors)"
	[ ! -e small.gsym ] || fail "a section of 2^60 bytes: something was written"
}

# whenever a signal comes, the output is whole or not there, and nothing lies beside it
signals() {
	mkdir out
	"$cairn" gsym create --quiet prog -o whole.gsym
	for signal in TERM INT HUP; do
		for delay in 0 0.001 0.002 0.003 0.005 0.01 0.02; do
			# an interactive shell's child: SIGINT is not ignored
			sh -c 'trap - INT; exec "$@"' sh "$cairn" gsym create --quiet prog -o out/prog.gsym &
			sleep $delay
			kill -$signal $! 2>/dev/null
			wait $! 2>/dev/null
			for left in out/* out/.[!.]*; do
				[ -e "$left" ] || continue
				[ "$left" = out/prog.gsym ] || fail "SIG$signal leaves $left"
				cmp -s "$left" whole.gsym || fail "SIG$signal leaves a part"
				rm "$left"
			done
		done
	done
}

progress() {
	missing script && return
	export CAIRN_PROGRESS_AFTER=0
	shown=$(script -qec "'$cairn' gsym create prog -o shown.gsym" /dev/null | tr '\r' '\n')
	echo "$shown" | grep -q "^prog: 0% of [0-9]* units" || fail "no progress: $shown"
	shown=$(script -qec "'$cairn' gsym create --quiet prog -o shown.gsym" /dev/null)
	[ -z "$shown" ] || fail "progress in spite of --quiet: $shown"
	"$cairn" gsym create prog -o shown.gsym 2>errors >/dev/null
	[ ! -s errors ] || fail "progress on what is no terminal"
}

minidebug
symtab_file "$@"
pair "$@"
bereft "$@"
cuts
refused "$@"
inflated
signals
progress
echo "create: all well"

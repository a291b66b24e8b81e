#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Demanglers in LD_LIBRARY_PATH change no name: each of these answers DECOY to every name, and nothing
# that cairn prints has that word.  In GDB, which needs the real libstdc++ itself, the same function is
# preloaded, so that a search through all libraries finds it first.
#
#	decoys.sh CAIRN COMPILER [MODULE CAIRN.GDB]
set -eu
LC_ALL=C
export LC_ALL
cairn=$1 cc=$2 module=${3:-} script=${4:-}
command -v objcopy >/dev/null || { echo 'skipped: no objcopy'; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/decoys.XXXXXX")
export XDG_CACHE_HOME="$tmp/cache"
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/decoy.c" <<'END'
#include <stddef.h>
#include <string.h>
char *strdup(const char *text);
static char *decoy(void) { return strdup("DECOY"); }
char *cxa(const char *n, char *b, size_t *r, int *s) __asm__("__cxa_demangle");
char *cxa(const char *n, char *b, size_t *r, int *s) { (void)n, (void)b, (void)r; if (s) *s = 0; return decoy(); }
char *swift(const char *n, size_t z, char *b, size_t *r, unsigned f) __asm__("swift_demangle");
char *swift(const char *n, size_t z, char *b, size_t *r, unsigned f) { (void)n, (void)z, (void)b, (void)r, (void)f; return decoy(); }
#define VIEW "ESt17basic_string_viewIcSt11char_traitsIcE"
char *rust(void) __asm__("_ZN4llvm12rustDemangle" VIEW "E");
char *rust(void) { return decoy(); }
char *d(void) __asm__("_ZN4llvm13dlangDemangle" VIEW "E");
char *d(void) { return decoy(); }
char *microsoft(void) __asm__("_ZN4llvm17microsoftDemangle" VIEW "EPmPiNS_15MSDemangleFlagsE");
char *microsoft(void) { return decoy(); }
char *itanium(void) __asm__("_ZN4llvm15itaniumDemangle" VIEW "Eb");
char *itanium(void) { return decoy(); }
END
mkdir "$tmp/all" "$tmp/gdb"
$cc -shared -fPIC "$tmp/decoy.c" -o "$tmp/decoy.so"
for name in libc++abi.so.1 libstdc++.so.6 libswiftCore.so libLLVM.so.19.1 libLLVM.so.20.1 \
	libLLVM.so.21.1 libLLVM.so.22.1 libLLVM.so.23.1 libLLVM-14.so.1 libLLVM-19.so.1; do
	cp "$tmp/decoy.so" "$tmp/all/$name"
	[ "$name" = libstdc++.so.6 ] || cp "$tmp/decoy.so" "$tmp/gdb/$name"
done

# functions with names of each language, some of which our own reader of C++ leaves to the library
cat >"$tmp/prog.c" <<'END'
#define F(symbol, n) \
	__attribute__((noinline)) int f##n(int x) __asm__(symbol); \
	int f##n(int x) { return x + n; }
F("_ZN4pile4fillEl", 1)
F("_Z4fillIXplLi1ELi2EEEvv", 2)
F("___Z7guardedl_block_invoke", 3)
F("_RNvC5crate4main", 4)
F("_ZN5crate4main17h0123456789abcdefE", 5)
F("_D8demangle4testZ", 6)
F("$s4main5thingyySiF", 8)
F("_Z1fvv", 9)
int main(void) { return f1(1) + f2(2) + f3(3) + f4(4) + f5(5) + f6(6) + f9(9); }
END
$cc -g -O1 -no-pie -Wl,--build-id=sha1 "$tmp/prog.c" -o "$tmp/prog"
# not PIE: the addresses are those in the process
addresses=$(nm "$tmp/prog" | awk '$2 == "T" && $3 != "_start" { print "0x" $1 }')
names="?f@@YAXXZ $(sed -n 's/^F("\(.*\)".*/\1/p' "$tmp/prog.c")"
id=$(readelf -n "$tmp/prog" | sed -n 's/.*Build ID: //p')

# with COMMAND...: its output among the others, and a status that cairn returns
with() {
	LD_LIBRARY_PATH=$tmp/all "$@" >>"$tmp/said" 2>&1 || [ $? -le 3 ] || {
		echo "failed: $*"
		exit 1
	}
}
for compat in '' --compat=llvm; do
	for name in $names; do
		printf '{{{symbol:%s}}}\n' "$name"
	done >"$tmp/log"
	{
		printf '{{{module:0:prog:elf:%s}}}\n{{{mmap:0x400000:0x10000:load:0:rx:0x400000}}}\n' "$id"
		for address in $addresses; do
			printf '{{{bt:0:%s:pc}}}\n{{{data:%s}}}\n' "$address" "$address"
		done
	} >>"$tmp/log"
	with "$cairn" markup $compat --exe "$tmp/prog" "$tmp/log"
done
with "$cairn" symbfile name $names
with "$cairn" symbfile create -o "$tmp/out" "$tmp/prog"
with "$cairn" symbfile dump "$tmp/out.ranges"
with "$cairn" symbfile lookup "$tmp/out.ranges" $addresses
with "$cairn" gsym create -o "$tmp/prog.gsym" "$tmp/prog"
with "$cairn" gsym dump "$tmp/prog.gsym"
with "$cairn" gsym lookup "$tmp/prog.gsym" $addresses
with "$cairn" where "$tmp/prog" $addresses
with "$cairn" symbols write -o "$tmp/prog.o" "$tmp/prog.gsym"
{
	echo 'M 64 - ok 0 -'
	echo "I 0x400000 0x500000 $id $tmp/prog"
} | "$cairn" cbf encode --image-map - >"$tmp/map"
for address in $addresses; do
	printf 'p%x\n' $((address))
done | "$cairn" cbf encode - >"$tmp/trace"
with "$cairn" cbf decode --images "$tmp/map" --exe "$tmp/prog" "$tmp/trace"

in_gdb='without GDB'
if [ -n "$module" ] && command -v "${GDB:=gdb}" >/dev/null; then
	in_gdb='and in GDB'
	objcopy -S "$tmp/prog" "$tmp/stripped"
	cp "$tmp/prog.gsym" "$tmp/stripped.gsym"
	set --
	for address in $addresses; do
		set -- "$@" -ex "cairn where $address"
	done
	for name in $names; do
		printf '{{{symbol:%s}}}\n' "$name"
	done >"$tmp/log"
	LD_LIBRARY_PATH=$tmp/gdb LD_PRELOAD=$tmp/decoy.so timeout 120 "$GDB" -nx -q -batch \
		-iex 'set debuginfod enabled off' \
		-ex 'set exec-wrapper env -i' -ex "source $script" -ex starti "$@" \
		-ex "cairn markup -file $tmp/log" -ex 'cairn symbols load' "$@" -ex 'info symbol $pc' \
		"$tmp/stripped" >"$tmp/gdb.said" 2>&1 </dev/null || :
	grep -q '_Z4fill\|fill<' "$tmp/gdb.said" || in_gdb='GDB had no symbols'
	cat "$tmp/gdb.said" >>"$tmp/said"
fi
if grep -n DECOY "$tmp/said"; then
	echo 'a name is from a library that happened to be there'
	exit 1
fi
for wanted in 'pile::fill(long)' 'invocation function for block in guarded(long)' 'crate::main' \
	'_D8demangle4testZ' '?f@@YAXXZ' 'thing(_:)'; do
	grep -qF -e "$wanted" "$tmp/said" || {
		cat "$tmp/said"
		echo "no $wanted was printed"
		exit 1
	}
done
echo "$(wc -l <"$tmp/said") lines on the command line, $in_gdb"

#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh CAIRN: names and lines of a backtrace, for every few bytes of a program with inlined
# calls, are those that addr2line gives; from the program itself, from its debug file by build ID,
# and from its symbol table alone.  And Swift's names are made readable by a library.
set -eu
LC_ALL=C
export LC_ALL
cairn=$1
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC_TARGET:-cc}

for tool in "$cc" addr2line objcopy readelf nm; do
	command -v "$tool" >/dev/null || {
		echo "skipped: no $tool on this machine"
		exit 77
	}
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-symbols.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "failed: $1"
	exit 1
}

program=$tmp/sample
"$cc" -g -O2 -pthread -Wl,--build-id=sha1 "$here/../fixtures/programs/sample.c" -o "$program"
id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')

# Frames at each third byte of each function, as the process would have them with this base; what
# lies between functions belongs to nobody.
base=0x7f0012340000
nm -S "$program" | awk '$3 ~ /^[tT]$/ && $4 !~ /\.cold$/ { print $1, $2 }' >"$tmp/functions"
while read -r start size; do
	va=$((0x$start))
	end=$((va + 0x$size))
	while [ $va -lt $end ]; do
		printf '%x\n' $va >&3
		printf 'p%x\n' $((base + va)) >&4
		va=$((va + 3))
	done
done <"$tmp/functions" 3>"$tmp/vas" 4>"$tmp/frames"
[ "$(wc -l <"$tmp/vas")" -gt 300 ] || fail 'the program is too small'

# map BUILD-ID: an image map with the program alone.
map() {
	{
		echo 'M 64 - ok 0 -'
		printf 'I 0x%x 0x%x %s %s\n' $((base)) $((base + 0x100000)) "$1" "$2"
	} | "$cairn" cbf encode --image-map - >"$tmp/map"
}

"$cairn" cbf encode "$tmp/frames" >"$tmp/trace"

# symbols OPTION...: "VA" and behind it lines "FUNCTION PLACE".
symbols() {
	"$cairn" cbf decode --lines --images "$tmp/map" "$@" "$tmp/trace" |
		awk '/^F/ { print "@" } /^S/ { print $3, $5 }'
}

# What addr2line says, in these words; it has no name for code outside of all functions.
addr2line -a -f -i -e "$program" <"$tmp/vas" | awk '
	/^0x/ { print "@"; next }
	{
		name = $0
		getline place
		sub(/ \(discriminator.*/, "", place)
		sub(/:\?$/, ":0", place)
		if (name != "??" && place ~ /\//) # others are from the symbol table
			print name, place
	}' >"$tmp/wanted"
[ "$(grep -c sample.c "$tmp/wanted")" -gt 300 ] || fail 'addr2line knows too few lines'

# Only functions with lines are compared: addr2line takes others from the symbol table without.
check() {
	name=$1
	shift
	symbols "$@" >"$tmp/got.all"
	awk '/^@/ || !/ -$/' "$tmp/got.all" >"$tmp/got"
	diff -u "$tmp/wanted" "$tmp/got" >"$tmp/diff" || {
		head -n 40 "$tmp/diff"
		fail "$name"
	}
}

map "$id" /gone/sample
check 'the program itself' --exe "$program"
map - /gone/sample
check 'the program itself, by name' --exe "$program"
map "$id" "$program"
check 'the program where the map says' --symbols

tree=$tmp/debug/.build-id/$(printf %.2s "$id")
mkdir -p "$tree"
objcopy --only-keep-debug "$program" "$tree/$(echo "$id" | cut -c 3-).debug"
map "$id" /gone/sample
check 'debug information by build ID' --debug-file-directory "$tmp/debug"

# debug information that the program names, and a path that it has relative to the directory of compilation
mkdir "$tmp/linked"
cp "$here/../fixtures/programs/sample.c" "$tmp/linked/near.c"
(cd "$tmp/linked" && "$cc" -gdwarf-4 -O2 -pthread -Wl,--build-id=sha1 near.c -o near)
objcopy --only-keep-debug "$tmp/linked/near" "$tmp/linked/other.dbg"
objcopy --strip-all --add-gnu-debuglink="$tmp/linked/other.dbg" "$tmp/linked/near"
map "$(readelf -n "$tmp/linked/near" | sed -n 's/.*Build ID: //p')" "$tmp/linked/near"
symbols --symbols >"$tmp/got"
grep -q " $tmp/linked/near.c:[0-9]*\$" "$tmp/got" || fail 'debug information by its name, with whole paths'
map "$id" /gone/sample

objcopy --strip-debug "$program" "$tmp/stripped"
symbols --exe "$tmp/stripped" >"$tmp/got"
grep -q '^recurse -$' "$tmp/got" || fail 'no name from the symbol table'
if grep -q sample.c "$tmp/got"; then fail 'lines without debug information'; fi

map "$(echo "$id" | tr 0123 4567)" "$program"
symbols --exe "$program" --symbols >"$tmp/got"
if grep -qv '^@' "$tmp/got"; then fail 'symbols of another build'; fi

# names of Swift, for which no library is loaded
cat >"$tmp/core.c" <<'END'
int swift_name(int x) __asm__("$s4main5thingyySiF");
int swift_name(int x) { return x + 1; }
int main(void) { return 0; }
END
"$cc" -g "$tmp/core.c" -o "$program" -Wl,--build-id=sha1
id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
va=$((0x$(nm "$program" | sed -n 's/ T $s4main5thingyySiF$//p')))
map "$id" /gone/sample
printf 'r%x\n' $((base + va + 4)) | "$cairn" cbf encode - >"$tmp/trace"
"$cairn" cbf decode --lines --images "$tmp/map" --exe "$program" \
	--swift-core /gone/libswiftCore.so "$tmp/trace" >"$tmp/got" 2>"$tmp/err" || fail 'a library that is ignored'
grep -q '^S 0 $s4main5thingyySiF 3 .*/core.c:2 - thing(_:)$' "$tmp/got" || {
	cat "$tmp/got"
	fail 'a name of Swift'
}
grep -q 'cairn: --swift-core is ignored: cairn demangles Swift names without libswiftCore' "$tmp/err" ||
	fail 'the message about the library'
# debuggers get the short name, and no linkage name, which they would show instead
"$cairn" gsym create -o "$tmp/swift.gsym" "$program" >"$tmp/got" 2>&1 || fail 'a GSYM file'
for debugger in gdb lldb; do
	"$cairn" symbols write --debugger=$debugger --for "$program" -o "$tmp/swift.o" "$tmp/swift.gsym" >"$tmp/got" 2>&1
	readelf --debug-dump=info "$tmp/swift.o" >"$tmp/got" 2>&1
	grep -q 'DW_AT_name .*: thing(_:)$' "$tmp/got" || fail "a short name for $debugger"
	if grep -q 'DW_AT_.*$s4main' "$tmp/got"; then fail "a linkage name for $debugger"; fi
	readelf -sW "$tmp/swift.o" | grep -q ' $s4main5thingyySiF$' || fail "a symbol for $debugger"
done
echo "$(grep -c '^@' "$tmp/wanted") addresses, $(grep -cv '^@' "$tmp/wanted") locations"

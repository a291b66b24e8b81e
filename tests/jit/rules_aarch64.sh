#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The rules of aarch64, in an emulator: GDB at every instruction of code that libcairn-jit has registered, and GDB and `cairn bt` in a core of
# the same program, where each function calls the next one.
#
#	rules_aarch64.sh CAIRN CAIRN_JIT.C ROOT

cairn=$1 file=$2 root=$3
here=$root/tests/jit
. "$root/tests/lib/test.sh"
: "${CC_AARCH64:=aarch64-linux-gnu-gcc}" "${GDB_AARCH64:=gdb-multiarch}"
for tool in "$CC_AARCH64" qemu-aarch64 "$GDB_AARCH64"; do
	command -v "$tool" >/dev/null || skip "no $tool"
done
export CAIRN_CACHE="$work/cache"
echo 'int main(void) { return 0; }' >"$work/probe.c"
"$CC_AARCH64" -static "$work/probe.c" -o "$work/probe" 2>/dev/null || skip "$CC_AARCH64 has no C library"
"$CC_AARCH64" -std=gnu11 -O1 -g -static -fno-reorder-blocks-and-partition -I "$root/core/include" "$here/rules.c" "$here/templates.S" "$file" \
	-pthread -o "$work/rules" 2>"$work/said" || {
	cat "$work/said"
	exit 1
}

# run_gdb ARGUMENT...: of no one's settings
run_gdb() {
	"$GDB_AARCH64" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load safe-path /' "$@" >"$work/said" 2>&1 </dev/null
}

# The emulator does not write breakpoints into memory, so that the library is told to expect a debugger.
CAIRN_JIT=events qemu-aarch64 -g "$work/socket" "$work/rules" >/dev/null 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ ! -S "$work/socket" ] || break
	sleep 0.2
done
run_gdb -ex "file $work/rules" -ex "target remote $work/socket" -x "$here/rules_aarch64.gdb"
grep -q '^0 wrong of 116$' "$work/said" || {
	grep -A 6 '^WRONG\|wrong of\|rror' "$work/said" | head -60
	fail 'a caller is wrong'
}
for name in leaf pointer fixed shim aligned pushed; do
	[ "$(grep -c "^#0 .*made_$name () at /made/up.js:10" "$work/said")" -ge 2 ] || fail "made_$name has no line"
done
grep -q '^#0 .*made_region () at /made/up.js' "$work/said" || fail 'made_region is not known'

(
	cd "$work" || exit 1
	ulimit -c unlimited
	qemu-aarch64 ./rules crash >/dev/null 2>&1
)
rm -f "$work/core" "$work"/core.[0-9]*
core=$(find "$work" -name 'qemu_*.core')
[ -n "$core" ] || {
	[ "$failed" = 0 ] || exit 1
	skip 'the emulator writes no core here (the steps were right)'
}
printf 'made_%s\ncall\ngo_deeper\n' pushed aligned region fixed pointer >"$work/expected"

# check_core WHAT: $work/said has the functions in their order, each at line 12 and with its callers, up to main
check_core() {
	sed -n '1,/ in made_/s/ in go_deeper//; s/^#[0-9].* in \(made_[a-z]*\) .* at \/made\/up.js:12$/\1/p
		s/^#[0-9].* in \(call\|go_deeper\) (.*/\1/p' "$work/said" | cmp -s - "$work/expected" &&
		grep -q '^#[0-9].* in main (' "$work/said" || {
		cat "$work/said"
		fail "$1: the stack of the core is wrong"
	}
}
run_gdb -ex bt "$work/rules" "$core"
check_core 'GDB'
"$cairn" bt "$core" "$work/rules" >"$work/said" 2>&1
check_core 'cairn bt'
exit "$failed"

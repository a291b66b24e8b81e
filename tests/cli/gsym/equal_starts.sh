#!/bin/sh
# SPDX-License-Identifier: MIT
# One function that two units give with different ends, as a linker leaves it that keeps one of two copies, which were compiled
# in different ways: equal_starts.sh CAIRN CC...
# The shorter one answers for its addresses, and the verification knows that.
set -u
cairn=$(realpath "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2

# unit ID SIZE LINE: a unit with the function f, of SIZE bytes, at LINE
unit() {
	cat <<S
	.section .debug_info
	.long 2f - 1f
1:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.asciz "unit$1.c"
	.long lines$1 - lines1
	.quad f, $2
	.uleb128 2
	.asciz "f"
	.quad f, $2
	.byte 0
2:
	.section .debug_line
lines$1:
	.long 2f - 1f
1:	.short 4
	.long 4f - 3f
3:	.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.byte 0
	.asciz "unit$1.c"
	.byte 0, 0, 0, 0
4:	.byte 0, 9, 2
	.quad f
	.byte 3, $3, 1, 2, $2, 0, 1, 1
2:
S
}

{
	cat <<'S'
	.text
	.globl f
	.type f, @function
f:	.skip 32, 0x90
	.size f, 32
	.section .debug_abbrev
	.uleb128 1, 0x11 /* DW_TAG_compile_unit: name, stmt_list, low_pc, high_pc */
	.byte 1
	.uleb128 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0
	.uleb128 2, 0x2e /* DW_TAG_subprogram: name, low_pc, high_pc */
	.byte 0
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
	.byte 0
S
	unit 1 8 10
	unit 2 32 20
} >starts.s
"$@" -nostdlib -shared -Wl,-z,noexecstack starts.s -o starts 2>errors || skip "no such program can be linked: $(head -n 1 errors)"

"$cairn" gsym create --quiet --verify starts -o starts.gsym >out 2>&1 || fail "a right file is refused: $(cat out)"
address=0x$(nm starts | sed -n 's/ T f$//p')
"$cairn" gsym lookup --lines starts.gsym "$address" "$(printf '0x%x' $((address + 12)))" >answer 2>&1
grep -q 'unit1.c:11' answer || fail "the shorter function does not answer: $(cat answer)"
grep -q 'unit2.c:21' answer || fail "the longer function does not answer past it: $(cat answer)"
exit $failed

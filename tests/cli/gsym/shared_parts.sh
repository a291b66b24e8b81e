#!/bin/sh
# SPDX-License-Identifier: MIT
# Many partial units, as dwz makes them, that name the line table of one unit: shared_parts.sh CAIRN CC...
# The table is read for the unit, and for a partial unit that has code, but not for each of those that have none: for
# all of these it would take more work than a file of this size is worth.
set -u
cairn=$(realpath "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2

cat >parts.s <<'S'
	.text
	.globl f, g
f:	.skip 16, 0x90
g:	.skip 16, 0x90
end:
	.section .debug_abbrev
	.uleb128 1, 0x11 /* DW_TAG_compile_unit: name, stmt_list, low_pc, high_pc */
	.byte 1
	.uleb128 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0
	.uleb128 2, 0x2e /* DW_TAG_subprogram: name, low_pc, high_pc */
	.byte 0
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
	.uleb128 3, 0x3c /* DW_TAG_partial_unit: stmt_list */
	.byte 1
	.uleb128 0x10, 0x17, 0, 0
	.uleb128 4, 0x24 /* DW_TAG_base_type: name */
	.byte 0
	.uleb128 0x03, 0x08, 0, 0
	.byte 0
	.section .debug_info
	.macro header
	.long 2f - 1f
1:	.short 4
	.long 0
	.byte 8
	.endm
	.rept 100
	header
	.uleb128 3
	.long 0
	.uleb128 4
	.asciz "type"
	.byte 0
2:
	.endr
	header
	.uleb128 3
	.long 0
	.uleb128 2
	.asciz "g"
	.quad g, end - g
	.byte 0
2:
	header
	.uleb128 1
	.asciz "unit.c"
	.long 0
	.quad f, end - f
	.uleb128 2
	.asciz "f"
	.quad f, g - f
	.byte 0
2:
	.section .debug_line
	.long 2f - 1f
1:	.short 4
	.long 4f - 3f
3:	.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.byte 0
	.asciz "unit.c"
	.byte 0, 0, 0, 0
4:	.byte 0, 9, 2
	.quad f
	.skip 1000000, 1 /* DW_LNS_copy */
	.byte 3, 6, 2, 16, 1, 2, 16, 0, 1, 1
2:
S
"$@" -nostdlib -shared -Wl,-z,noexecstack parts.s -o parts 2>errors || skip "no such program can be linked: $(head -n 1 errors)"

for threads in 1 2; do
	"$cairn" gsym create --quiet -j $threads parts -o parts.gsym >out 2>&1 || fail "with $threads threads: $(cat out)"
	"$cairn" gsym lookup --lines parts.gsym "0x$(nm parts | sed -n 's/ T g$//p')" >answer 2>&1
	grep -q 'unit.c:7' answer || fail "the line of g: $(cat answer)"
	"$cairn" gsym lookup --lines parts.gsym "0x$(nm parts | sed -n 's/ T f$//p')" >answer 2>&1
	grep -q 'unit.c:1' answer || fail "the line of f: $(cat answer)"
done
[ "$("$cairn" where --no-cache --lines parts "0x$(nm parts | sed -n 's/ T g$//p')" 2>&1 | grep -c 'unit.c:7')" = 1 ] ||
	fail "where does not know g"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which symbols of a program without debugging information name its code: functions, those without a type, and objects with a size in a
# section of code, as GHC's runtime library has them. An object without a size, or outside of code, names none.
#
#	symbols_of_code.sh CAIRN COMPILER...
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$work" || exit 2
cat >made.S <<'END'
	.text
	.globl _start, first_function, code_in_object, object_without_size, label, table
_start:
	.skip 16
	.type first_function, %function
first_function:
	.skip 16
	.size first_function, 16
	.type code_in_object, %object
code_in_object:
	.skip 16
	.size code_in_object, 16
	.skip 16
	.type object_without_size, %object
object_without_size:
	.skip 16
	.section .rodata
	.type table, %object
table:
	.skip 16
	.size table, 16
END
"$@" -nostdlib -static -Wl,--build-id=none -o made made.S 2>errors || skip "the compiler makes no program of this: $(head -n 1 errors)"
start=0x$(LC_ALL=C nm made | awk '$3 == "_start" { print $1 }')
table=0x$(LC_ALL=C nm made | awk '$3 == "table" { print $1 }')
cat >expected <<'END'
_start
first_function
code_in_object
code_in_object
??
??
??
END
for at in $((start + 4)) $((start + 20)) $((start + 32)) $((start + 47)) $((start + 52)) $((start + 68)) $((table + 4)); do printf '0x%x\n' $at; done >questions
"$cairn" addr2line -fe made <questions | sed -n 'p;n' >names
cmp -s expected names || { fail 'by the program'; diff expected names; }
"$cairn" gsym create --quiet made -o made.gsym && "$cairn" gsym lookup --addr2line made.gsym <questions | sed -n 'p;n' >names
cmp -s expected names || { fail 'by GSYM'; diff expected names; }
exit $failed

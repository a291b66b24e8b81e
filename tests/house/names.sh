#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names of functions: a static one has a verb and a noun, so that a breakpoint on it stops in one place
# and a profile can be read; and no name is defined more than three times in core/ and plugin/.
# Every source file, those of tests too, opens with a sentence that says what it is.  Prints file:line for each fault.
#
#	names.sh [ROOT]

cd "${1:-.}" || exit 1
find core plugin tests -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort | xargs awk '
function bad(where, what) { print where ": " what; failed = 1 }

FNR == 1 { name = ""; preamble = 1; product = FILENAME !~ /^tests\// }

# The licence, and what the C library wants defined first, come before the sentence.
preamble && !/^\/\* SPDX/ && !/^#define _[A-Z_]* / && !/^#define _[A-Z_]*$/ && !/^$/ {
	if (!/^\/\*/) bad(FILENAME ":" FNR, "the file does not open with a sentence that says what it is")
	preamble = 0
}

# A declarator at the left margin: the last word before the first parenthesis.
product && /^[a-z][^=;#]*\(/ && !/^(typedef|return|else|if|for|while|switch)/ {
	head = $0
	sub(/\(.*/, "", head)
	if (head ~ /__attribute__/) next
	sub(/.*[ *]/, "", head)
	if (head !~ /^[A-Za-z_0-9]+$/) next
	name = head
	is_static = /^static /
	where = FILENAME ":" FNR
}

name != "" && /;$/ { name = "" }

name != "" && /^\{/ {
	if (is_static && name !~ /_/) bad(where, name "() is static and has one word")
	if (++defined[name] > 3) bad(where, name "() is defined more than three times")
	name = ""
}

END { exit failed }'

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every source file, those of tests too, opens with a sentence that says what it is.  Prints file:line for each that does not.
#
#	names.sh [ROOT]

cd "${1:-.}" || exit 1
find core plugin tests -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort | xargs awk '
function bad(where, what) { print where ": " what; failed = 1 }

FNR == 1 { preamble = 1 }

# The licence, and what the C library wants defined first, come before the sentence.
preamble && !/^\/\* SPDX/ && !/^#define _[A-Z_]* / && !/^#define _[A-Z_]*$/ && !/^$/ {
	if (!/^\/\*/) bad(FILENAME ":" FNR, "the file does not open with a sentence that says what it is")
	preamble = 0
}

END { exit failed }'

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes the one file cairn_jit.c, for those who copy it beside cairn_jit.h, of the sources of the library.
#
#	amalgamate.sh OUTPUT FOLDER VERSION
#
# A header goes in where it is included first.
set -eu
output=$1 folder=$2 version=$3
{
	cat <<END
/* SPDX-License-Identifier: MIT */
/*
 * libcairn-jit $version in one file: how it is used is in cairn_jit.h.  The build of cairn makes it of core/jit_producer/.
 * Compile it as C11 with POSIX threads:  cc -std=gnu11 -O2 -c cairn_jit.c
 */
#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#define CAIRN_JIT_INTERNAL static

END
	awk -v folder="$folder/" '
	# A header is named by its path below core/, or lies beside the file.
	function put(name,    line, file, header, beside) {
		if (name in seen) return
		seen[name] = 1
		file = folder name
		beside = name ~ /\// ? name : ""
		sub(/[^\/]*$/, "", beside)
		while ((getline line <file) > 0) {
			if (line ~ /^#include "/) {
				header = line
				gsub(/^#include "|"$/, "", header)
				if (!sub(/^jit_producer\//, "", header)) header = beside header
				put(header)
			} else if (line !~ /SPDX-License/)
				print line
		}
		close(file)
	}
	BEGIN { for (i = 1; i < ARGC; i++) put(ARGV[i]) }' \
		memory.c dwarf.c object.c list.c perf.c unwinder.c jit.c
} >"$output.new"
mv "$output.new" "$output"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do the sources keep to the layers of docs/architecture.md?  Prints file:line for each one that
# does not.
#
#	layers.sh [ROOT]

cd "${1:-.}" || exit 1
find core plugin -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort | xargs awk '
function bad(what) { print FILENAME ":" FNR ": " what; failed = 1 }

# layer name... : what the layer may include; <pattern> is nobody else'"'"'s.
FILENAME == "docs/architecture.md" {
	if (/^```/) block = /^```layers$/
	else if (block) {
		known[$1] = 1
		for (i = 2; i <= NF; i++) { may[$1, $i] = 1; if ($i ~ /^</) guarded[$i] = 1 }
	}
	next
}

FNR == 1 {
	split(FILENAME, part, "/")
	layer = part[1] == "core" ? part[2] : part[1]
	folder = FILENAME; sub(/[^\/]*$/, "", folder)
	comment = 0
	if (!known[layer] && layer != "include") bad("a folder that docs/architecture.md does not name")
}

# Comments out, strings empty, but not those of an #include.
{
	text = $0
	if (comment && !sub(/^.*\*\//, "", text)) next
	comment = 0
	if (text !~ /^[ \t]*#[ \t]*include/) gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
	sub(/\/\/.*/, "", text)
	comment = sub(/\/\*.*/, "", text)
}

text ~ /^[ \t]*#[ \t]*include[ \t]*</ {
	header = text; sub(/^[^<]*/, "", header); sub(/>.*/, ">", header)
	if (header == "<cairn.h>" && !may[layer, "cairn.h"]) bad(layer " includes " header)
	if (index(header, "<cairn/") == 1 && layer != "include") bad(layer " includes " header ", a part of <cairn.h>")
	for (pattern in guarded) {
		start = pattern; sub(/\*>$/, "", start)
		if ((header == pattern || (start != pattern && index(header, start) == 1)) && !may[layer, pattern])
			bad(layer " includes " header)
	}
}

text ~ /^[ \t]*#[ \t]*include[ \t]*"/ {
	header = text; sub(/^[^"]*"/, "", header); sub(/".*/, "", header)
	n = split(header, to, "/")
	if (n == 1) {
		if ((getline line < (folder header)) < 0) bad(header " is not in this folder")
		close(folder header)
	} else if (header ~ /\.\./)
		bad(header " leaves its folder")
	else if (to[1] != layer && !may[layer, to[1]])
		bad(layer " includes " header)
	else if (to[1] == layer && layer == "formats" && to[2] != part[3])
		bad("format " part[3] " uses format " to[2])
}

(layer == "base" || layer == "formats" || layer == "engine") &&
text ~ /(^|[^A-Za-z0-9_])(v?f?printf|fputs|puts|fputc|putchar|putc|fwrite|perror|abort|exit|_exit|_Exit|quick_exit)[ \t]*\(/ {
	bad(layer " prints, or ends the process")
}

END { exit failed }' docs/architecture.md

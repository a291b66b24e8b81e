#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do the sources keep to the layers of docs/architecture.md?  Prints file:line for each one that
# does not.
#
#	layers.sh [ROOT]

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 1
find core plugin -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort | xargs awk "$(cat "$here/layers.awk")"'
function bad(what) { print FILENAME ":" FNR ": " what; failed = 1 }

# A format is a directory of core/formats, or NAME.c and perhaps NAME_write.c there.
function format_of(name) { sub(/(_write)?\.[ch]$/, "", name); return name }

FNR == 1 {
	split(FILENAME, part, "/")
	folder = FILENAME; sub(/[^\/]*$/, "", folder)
	below = folder; sub(/^core\//, "", below); sub(/\/$/, "", below)
	layer = part[2] == "include" ? "include" : layer_of(below)
	comment = 0
	if (layer == "") bad("a folder that docs/architecture.md does not name")
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
	if (index(header, "<cairn/") == 1 && layer != "include" && !(header in guarded)) bad(layer " includes " header ", a part of <cairn.h>")
	for (pattern in guarded) {
		start = pattern; sub(/\*>$/, "", start)
		if ((header == pattern || (start != pattern && index(header, start) == 1)) && !may[layer, pattern])
			bad(layer " includes " header)
	}
}

text ~ /^[ \t]*#[ \t]*include[ \t]*"/ {
	header = text; sub(/^[^"]*"/, "", header); sub(/".*/, "", header)
	n = split(header, to, "/")
	target = header; sub(/\/[^\/]*$/, "", target)
	if (n == 1) {
		if ((getline line < (folder header)) < 0) bad(header " is not in this folder")
		close(folder header)
	} else if (header ~ /\.\./)
		bad(header " leaves its folder")
	else if (layer ~ /^plugin/) {
		# a plugin sees its own directory, plugin/NAME, and what all share
		plugin = to[1] == "common" ? "plugin/" : "plugin/" part[2] "/"
		target = plugin target
		if ((getline line < (plugin header)) < 0 ||
		    (layer_of(target) != layer && !allowed(layer, target)))
			bad(layer " includes " header)
		close(plugin header)
	} else if (layer_of(target) != layer && !allowed(layer, target))
		bad(layer " includes " header)
	else if (layer == "formats" && to[1] == "formats" && format_of(to[2]) != format_of(part[3]))
		bad("format " format_of(part[3]) " uses format " format_of(to[2]))
}

layer ~ /^(base|isa|formats|traces|symbols|groups|requests|markup|(unwind|process|writers)\/.*|server\/protocol)$/ &&
text ~ /(^|[^A-Za-z0-9_])(v?f?printf|fputs|puts|fputc|putchar|putc|fwrite|perror|abort|exit|_exit|_Exit|quick_exit)[ \t]*\(/ {
	bad(layer " prints, or ends the process")
}

END { exit failed }' docs/architecture.md

#!/bin/sh
# SPDX-License-Identifier: MIT
# The terminal of the README: picture.sh [PAGE] writes the session of a page that is marked `picture` as an
# SVG on standard output.  tests/house/pages.sh runs that session for real and compares what is printed, and
# docs/terminal.svg is a picture of docs/tour.md:
#
#	scripts/picture.sh >docs/terminal.svg
set -eu
page=${1:-$(dirname "$0")/../docs/tour.md}
LC_ALL=C awk '
function escape(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}
# The width of a column and the height of a line, in pixels.
BEGIN { column = 8.4; row = 19; margin = 16 }

# of the session the stack before and after
/^```console.* picture/ { inside = 1; next }
/^```$/ || /^\(gdb\) generate-core-file/ { inside = on = 0 }
inside && /^\(gdb\) bt/ { on = 1 }
on { line[++count] = $0; if (length($0) > columns) columns = length($0) }
END {
	if (!count) {
		print FILENAME ": no session is marked as a picture" >"/dev/stderr"
		exit 1
	}
	width = int(columns * column + 2 * margin + 1)
	height = count * row + 2 * margin
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width, height, width, height
	print "<title>A session in GDB, without and with cairn</title>"
	print "<style>text { font: 14px monospace; fill: #c8ccd4; white-space: pre } .p { fill: #7fb069 }"
	print ".t { fill: #ffffff; font-weight: bold } .b { fill: #e06c75 } .f { fill: #e5c07b }</style>"
	print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#22252c\"/>"
	for (i = 1; i <= count; i++) {
		text = escape(line[i])
		if (match(text, /^(\$|\(gdb\)) /))
			text = "<tspan class=\"p\">" substr(text, 1, RLENGTH) "</tspan><tspan class=\"t\">" substr(text, RLENGTH + 1) "</tspan>"
		else if (text ~ /^#.* in \?\? \(\)/)
			text = "<tspan class=\"b\">" text "</tspan>"
		else if (match(text, /[a-z_]+ \(\) at /))
			text = substr(text, 1, RSTART - 1) "<tspan class=\"f\">" substr(text, RSTART, RLENGTH - 7) "</tspan>" substr(text, RSTART + RLENGTH - 7)
		printf "<text xml:space=\"preserve\" x=\"%d\" y=\"%d\">%s</text>\n", margin, margin + i * row - 5, text
	}
	print "</svg>"
}' "$page"

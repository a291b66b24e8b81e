# SPDX-License-Identifier: MIT
# A page of Markdown for each function that a header declares, -v directory=DIR: its declaration and the
# comment before it.  A declaration without a comment of its own, directly below another, has that one's.

function plain(text) { gsub(/[\\*_<>\[\]|~]/, "\\\\&", text); return text }

# A line of a comment; what is indented by a tab is an example, and an item of a list needs a blank line
# before the list.
function add_comment(line, item) {
	sub(/^ \* ?/, "", line)
	item = line ~ /^ *- /
	if (item && !listed)
		comment = comment "\n"
	listed = item || listed && line ~ /^  /
	comment = comment (line ~ /^\t/ ? line : plain(line)) "\n"
}

function write_page(name, summary, page) {
	page = directory "/" name ".md"
	summary = comment
	sub(/^\n+/, "", summary)
	gsub(/\n/, " ", summary)
	sub(/[.:;] .*/, "", summary)
	sub(/\.$/, "", summary)
	gsub(/\n/, "\n    ", declaration)
	print "## NAME\n\n" plain(name) " \\- " summary "\n" >page
	print "## SYNOPSIS\n\n    #include <" include ">\n\n    " declaration "\n" >page
	print "## DESCRIPTION\n\n" comment >page
	close(page)
}

BEGIN { include = "cairn.h" }
FNR == 1 {
	include = FILENAME ~ /cairn_emit\.h$/ ? "cairn_emit.h" : FILENAME ~ /\/dwarf\.h$/ ? "cairn/dwarf.h" : FILENAME ~ /\/function(s|_files)\.h$/ ? "cairn/functions.h" : "cairn.h"
}
in_comment {
	if (/\*\//) {
		in_comment = 0
		sub(/ *\*\/.*/, "")
		if ($0 !~ /^ *$/)
			add_comment($0)
	} else {
		add_comment($0)
	}
	next
}
/^\/\*/ && !/\*\// {
	in_comment = 1
	comment = ""
	if (!/^\/\*$/) {
		sub(/^\/\* */, " * ")
		add_comment($0)
	}
	next
}
/^\/\* .*\*\/$/ {
	sub(/^\/\* */, " * ")
	sub(/ *\*\/$/, "")
	comment = ""
	add_comment($0)
	next
}
/CAIRN_API/ { declaring = 1; declaration = "" }
declaring {
	line = $0
	gsub(/CAIRN_MUST_USE |CAIRN_API /, "", line)
	sub(/^[ \t]+/, "        ", line)
	declaration = declaration (declaration == "" ? "" : "\n") line
	if (/;/) {
		declaring = 0
		match(declaration, /cairn_[a-z0-9_]+\(/)
		write_page(substr(declaration, RSTART, RLENGTH - 1))
	}
	next
}

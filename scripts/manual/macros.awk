# SPDX-License-Identifier: MIT
# Leaves out paragraph macros where a paragraph begins anyway: after a heading, and before other macros. A page with
# tables begins with the comment that makes man(1) run tbl; cells of a table are too narrow for even margins.  A term and
# what it means, which lowdown sets apart by moving up, are .TP, so that every viewer shows them without a gap.

# Makes the last line of the page the term of .TP.
function begin_definition(term) {
	sub(/\n$/, "", page)
	match(page, /[^\n]*$/)
	term = substr(page, RSTART)
	page = substr(page, 1, RSTART - 1)
	sub(/\.[LP]P\n$/, "", page)
	page = page ".TP\n" term "\n"
}

/^\.if n \\$/ { up = $0 "\n"; next }
up != "" && /^\.(sp -|if t )/ { up = up $0 "\n"; next }
up != "" && /^\.IP "" / { up = ""; begin_definition(); next }
up != "" { page = page up; up = "" }
/^\.[LP]P$/ && heading { next }
/^\.[LP]P$/ { held = $0; next }
held != "" && !/^\.(TS|SH|SS|LP|PP|TP|IP|RS|RE|nf)/ { page = page held "\n" }
/^\.TS/ { tables = 1; page = page ".na\n" }
{
	# the text of a heading is in the line after the macro
	heading = heading_text
	heading_text = /^\.S[HS]$/
	held = ""
	page = page $0 "\n"
}
/^\.TE/ { page = page ".ad\n" }
END { printf "%s%s", tables ? "'\\\" t\n" : "", page }

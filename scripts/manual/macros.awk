# SPDX-License-Identifier: MIT
# Leaves out paragraph macros where a paragraph begins anyway: after a heading, and before other macros. A page with
# tables begins with the comment that makes man(1) run tbl; cells of a table are too narrow for even margins.
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

# SPDX-License-Identifier: MIT
# Leaves out paragraph macros where a paragraph begins anyway: after a heading, and before other macros.
/^\.[LP]P$/ && heading { next }
/^\.[LP]P$/ { held = $0; next }
held != "" && !/^\.(TS|SH|SS|LP|PP|TP|IP|RS|RE|nf)/ { print held }
{
	# the text of a heading is in the line after the macro
	heading = heading_text
	heading_text = /^\.S[HS]$/
	held = ""
	print
}

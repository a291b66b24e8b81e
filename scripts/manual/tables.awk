# SPDX-License-Identifier: MIT
# A table of more than five columns is too wide for a terminal: each of its rows becomes an item of a list, in which the
# cells have the words of their columns before them.

function trim(text) {
	gsub(/^ +| +$/, "", text)
	return text
}

!/^\|/ { rows = 0; print; next }
++rows == 1 { columns = split($0, head, "|") - 2 }
columns <= 5 { print; next }
rows <= 2 { next } # names of columns, and how they are aligned
{
	split($0, cell, "|")
	item = "* " trim(cell[2])
	for (i = 3; i <= columns + 1; i++)
		item = item (i == 3 ? ": " : "; ") trim(head[i]) ": " trim(cell[i])
	print item
}

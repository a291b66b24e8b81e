# SPDX-License-Identifier: MIT
# Writes what `readelf --debug-dump=frames-interp` prints as STACK CFI records of Breakpad. Rows whose CFA is an expression are left out.
function plain(text) { sub(/^0+/, "", text); return text == "" ? "0" : text }
function number(text, value, i) {
	value = 0
	for (i = 1; i <= length(text); i++)
		value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}
# "rsp+8" or "c-16" as an expression; nothing for what has none
function term(text, base, offset) {
	if (!match(text, /[-+][0-9]+$/))
		return ""
	base = substr(text, 1, RSTART - 1)
	offset = substr(text, RSTART) + 0
	return (base == "c" ? ".cfa" : "$" base) " " offset " +"
}
/ FDE / {
	match($0, /pc=[0-9a-f]*\.\.[0-9a-f]*/)
	split(substr($0, RSTART + 3, RLENGTH - 3), range, "[.][.]")
	first = 1
	next
}
/ CIE / { first = 0; next }
/^ +LOC/ { columns = split($0, column, " "); next }
first && /^[0-9a-f]+ / && term($2) != "" {
	rules = ".cfa: " term($2)
	for (i = 3; i <= columns; i++) {
		name = column[i] == "ra" ? ".ra" : "$" column[i]
		if (term($i) != "")
			rules = rules " " name ": " term($i) " ^"
		else if (first == 2 && name != ".ra")
			rules = rules " " name ": " name
	}
	if (first == 1)
		print "STACK CFI INIT " plain(range[1]) " " sprintf("%x", number(range[2]) - number(range[1])) " " rules
	else
		print "STACK CFI " plain($1) " " rules
	first = 2
}

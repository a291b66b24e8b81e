# SPDX-License-Identifier: MIT
# Writes what `cairn gsym dump` prints as a Breakpad symbol file:
#
#	cairn gsym dump FILE | c++filt | awk -f breakpad.awk >FILE.sym
#
# INFO CODE_ID tells the build ID.  A function without lines becomes a PUBLIC symbol.

function hex(text) { sub(/^0x0*/, "", text); return text == "" ? "0" : text }

function number(text, value, i) {
	value = 0
	text = hex(text)
	for (i = 1; i <= length(text); i++)
		value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function size(low, high) { return sprintf("%x", number(high) - number(low)) }

# the number of a file, and the line, of "PATH:LINE"
function place(text, path) {
	line = text
	sub(/.*:/, "", line)
	path = substr(text, 1, length(text) - length(line) - 1)
	if (!(path in file)) {
		file[path] = files
		path_of[files++] = path
	}
	return file[path]
}

function row_to(end) {
	if (row != "")
		body[bodies++] = hex(row) " " size(row, end) " " row_line " " row_file
	row = ""
}

function finish() {
	row_to(high)
	if (low != "" && !lines)
		body[bodies++] = "PUBLIC " hex(low) " 0 " name
	low = ""
}

# "[a - b) [c - d) NAME called from PATH:LINE", two blanks for each depth
function call(text, depth, ranges, from) {
	match(text, /^ */)
	depth = RLENGTH / 2 - 1
	text = substr(text, RLENGTH + 1)
	while (match(text, /^\[0x[0-9a-f]* - 0x[0-9a-f]*\) /)) {
		split(substr(text, 2, RLENGTH - 3), end, " - ")
		ranges = ranges " " hex(end[1]) " " size(end[1], end[2])
		text = substr(text, RLENGTH + 1)
	}
	from = text
	sub(/.* called from /, "", from)
	sub(/ called from .*/, "", text)
	if (!(text in origin)) {
		origin[text] = origins
		name_of[origins++] = text
	}
	from = place(from)
	body[bodies++] = "INLINE " depth " " line " " from " " origin[text] ranges
}

BEGIN { files = origins = bodies = 0 }
/^  UUID / { id = toupper($3) }
/^FunctionInfo @/ {
	finish()
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/"$/, "", name)
	low = substr($4, 2)
	high = $6
	sub(/\)$/, "", high)
	lines = inlines = 0
	next
}
/^LineTable:/ { body[bodies++] = "FUNC " hex(low) " " size(low, high) " 0 " name; lines = 1; next }
/^InlineInfo:/ { row_to(high); inlines = 1; next }
low != "" && inlines && /^  / { call($0); next }
low != "" && lines && /^  0x/ {
	row_to($1)
	row = $1
	$1 = ""
	row_file = place(substr($0, 2))
	row_line = line
}

END {
	finish()
	print "MODULE Linux x86_64 000000000000000000000000000000000 module"
	print "INFO CODE_ID " id
	for (i = 0; i < files; i++)
		print "FILE " i " " path_of[i]
	for (i = 0; i < origins; i++)
		print "INLINE_ORIGIN " i " " name_of[i]
	for (i = 0; i < bodies; i++)
		print body[i]
}

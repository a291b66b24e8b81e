# SPDX-License-Identifier: MIT
# The --help of a verb as Markdown: -v words='cairn gsym create' -v depth=2 -v summary='create GSYM files'.  The page of
# `cairn gsym` (depth 1) has the verbs below it as sections.  The summary is that of the list of verbs; the page of
# `cairn` itself has none, and is named by its first sentence.

# Characters that mean something in Markdown stand for themselves.
function plain(text) { gsub(/[\\*_<>`\[\]|~]/, "\\\\&", text); return text }

function heading(text) {
	print ""
	print (depth > 1 ? "### " words ": " tolower(text) : "## " text)
	print ""
}

function name_line(summary, name) {
	if (summary ~ /^[A-Z][a-z]/)
		summary = tolower(substr(summary, 1, 1)) substr(summary, 2)
	name = words
	gsub(/ /, "-", name)
	print "## NAME\n\n" name " \\- " plain(summary) "\n"
}

# A paragraph of its own for each option or verb: what is typed, then what it does.
function definition(term, text) {
	sub(/ +$/, "", term)
	print "**" plain(term) "**\n:   " plain(text) "\n"
}

# The end of what is typed in a line of options: after the name, and the value that is in capitals.
function option_end(line, end) {
	match(line, /^  (-[a-zA-Z0-9], )?--[a-z0-9-]+/)
	end = RLENGTH
	if (match(substr(line, end + 1), /^ ([A-Z0-9][A-Z0-9|:@.\[\]()a-z]* |[a-z]+  )/))
		end += RLENGTH - 1
	return end
}

/^usage: / {
	usage = substr($0, 8)
	next
}
/^(verbs|options):$/ {
	part = $1
	heading(part == "verbs:" ? "VERBS" : "OPTIONS")
	next
}
part == "verbs:" && /^  / {
	text = $0
	sub(/^  [^ ]+ +/, "", text)
	definition($1, text)
	next
}
part == "options:" && /^  / {
	end = option_end($0)
	text = substr($0, end + 1)
	sub(/^ +/, "", text)
	definition(substr($0, 3, end - 2), text)
	next
}
part != "" && /^$/ { next }
part != "" { # what follows the verbs: the exit status
	if (part != "end")
		heading("EXIT STATUS")
	part = "end"
	print plain($0)
	next
}
!described && !/^$/ {
	described = 1
	if (summary == "") {
		summary = $0
		sub(/[.:] .*|\.$/, "", summary)
	}
	if (depth < 2)
		name_line(summary)
	heading("SYNOPSIS")
	print "    " usage
	heading("DESCRIPTION")
}
# lines of an example, after a line with a colon, stay lines
/^[ \t]/ {
	if (!example)
		print ""
	example = 1
	print "    " $0
	next
}
{
	example = 0
	print plain($0)
}

# SPDX-License-Identifier: MIT
# Convert the --help of a verb to Markdown: -v words='cairn gsym create' -v form=page|man -v summary='create GSYM files' and two
# files, notes.md and the help text.
#
# form=page prints a section of docs/cli.md: description, example, usage, a table of options, notes. form=man prints the parts of a
# man page; the page of `cairn gsym` has the verbs below it as subsections. `summary` comes from the list of verbs; the page of
# `cairn` itself has none and takes its first sentence.

# Escape the characters that have a meaning in Markdown.
function plain(text, name) {
	gsub(/[\\*<>\[\]|~]/, "\\\\&", text)
	if (form == "man") {
		gsub(/[_`]/, "\\\\&", text)
		return text
	}
	gsub(/\.  /, ". ", text)
	if (match(text, /docs\/[a-z\/-]*\.md/)) {
		name = substr(text, RSTART + 5, RLENGTH - 5)
		text = substr(text, 1, RSTART - 1) "[" name "](" name ")" substr(text, RSTART + RLENGTH)
	}
	# a command in quotes, then each option
	while (match(text, /'cairn[^']*'/))
		text = substr(text, 1, RSTART - 1) "`" substr(text, RSTART + 1, RLENGTH - 2) "`" substr(text, RSTART + RLENGTH)
	return code_options(text)
}

# Set options of a text as code, except those in code.
function code_options(text, count, part, i, all) {
	count = split(text, part, "`")
	for (i = 1; i <= count; i++) {
		if (i % 2)
			gsub(/--[a-z][a-z0-9-]*/, "`&`", part[i])
		all = all (i > 1 ? "`" : "") part[i]
	}
	return all
}

function code(text) {
	gsub(/\|/, "\\|", text)
	return "`" text "`"
}

function heading(text) {
	print "\n" (depth > 1 ? "### " words ": " tolower(text) : "## " text) "\n"
}

# Return the offset in a line of options after the name and the value, which is in capitals.
function option_end(line, end) {
	match(line, /^  (-[a-zA-Z0-9], )?--[a-z0-9-]+/)
	end = RLENGTH
	if (match(substr(line, end + 1), /^ ([A-Z0-9][A-Z0-9|:@.,\[\]()a-z]* |[a-z|]+  |[a-z]+\|[a-z|]+ )/))
		end += RLENGTH - 1
	return end
}

# Print each item as a paragraph of its own.
function print_definitions(i) {
	for (i = 1; i <= items; i++)
		print "**" plain(term[i]) "**\n:   " plain(text_of[i]) "\n"
}

function print_man(name) {
	if (summary == "") {
		summary = first
		sub(/[.:] .*|\.$/, "", summary)
	}
	if (depth < 2) {
		if (summary ~ /^[A-Z][a-z]/)
			summary = tolower(substr(summary, 1, 1)) substr(summary, 2)
		name = words
		gsub(/ /, "-", name)
		print "## NAME\n\n" name " \\- " plain(summary) "\n"
	}
	heading("SYNOPSIS")
	print "    " usage
	heading("DESCRIPTION")
	printf "%s", description
	if (items) {
		heading(list == "verbs:" ? "VERBS" : "OPTIONS")
		print_definitions()
	}
	if (rest != "" && depth) {
		heading("EXIT STATUS")
		printf "%s", rest
	}
	if (example != "") {
		heading("EXAMPLES")
		printf "%s", example
	}
	if (notes ~ /[^\n]/) {
		if (depth)
			heading("NOTES")
		printf "%s", notes
	}
}

function print_page(i) {
	if (!depth) {
		print "# The command line\n"
		print "<!-- Made by scripts/manual/page.sh from the help texts and scripts/manual/notes.md: edit those. -->\n"
		print "    " usage "\n\n| verb | |\n|---|---|"
		for (i = 1; i <= items; i++)
			print "| [" term[i] "](#cairn-" term[i] ") | " plain(text_of[i]) " |"
		printf "\n%s", notes
		return
	}
	print (depth > 1 ? "### " : "## ") words "\n\n" description
	if (example != "")
		print example
	if (list == "options:") {
		print "    " usage "\n"
		if (items > 1)
			print "| option | |\n|---|---|"
		for (i = 1; i <= items; i++)
			if (term[i] != "--help")
				print "| " code(term[i]) " | " plain(text_of[i]) " |"
		if (items > 1)
			print ""
	}
	if (notes ~ /[^\n]/)
		print notes
}

function end_paragraph() {
	description = description plain(paragraph)
	paragraph = ""
}

BEGIN { depth = split(words, word, " ") - 1 }

# notes.md: text before the first verb belongs to `cairn`
FNR == 1 { file++ }
file == 1 && /^# / { next }
file == 1 && /^##* cairn / { section = $0; sub(/^#* /, "", section); begun = 0; next }
file == 1 && (section == "" ? "cairn" : section) == words {
	# the block that a section begins with is its example
	if (!begun && /^$/)
		next
	if (!begun++ && /^```/)
		in_example = 1
	if (in_example) {
		example = example $0 "\n"
		in_example = !/^```$/
		next
	}
	if (!depth && form == "man" && /^## /)
		$0 = toupper($0)
	held = held $0 "\n"
	# blank lines at the end are dropped
	if (!/^$/) {
		notes = notes held
		held = ""
	}
	next
}
file == 1 { next }

/^usage: / { usage = substr($0, 8); next }
/^(verbs|options):$/ { list = $1; next }
list != "" && !ended && /^  / {
	end = list == "verbs:" ? length($1) + 2 : option_end($0)
	term[++items] = substr($0, 3, end - 2)
	sub(/ +$/, "", term[items])
	text_of[items] = substr($0, end + 1)
	sub(/^ +/, "", text_of[items])
	next
}
list != "" && /^$/ { next }
list != "" { # the exit status
	ended = 1
	rest = rest plain($0) "\n"
	next
}
/^$/ && !begun_description++ { next }
# lines of an example, after a line with a colon, stay lines
/^[ \t]/ {
	end_paragraph()
	description = description (in_lines ? "" : "\n") "    " $0 "\n"
	in_lines = 1
	next
}
# a command in quotes may begin on one line and end on the next
{
	if (first == "")
		first = $0
	if (in_lines)
		description = description "\n"
	in_lines = 0
	paragraph = paragraph $0 "\n"
}
END {
	end_paragraph()
	if (form == "man")
		print_man()
	else
		print_page()
}

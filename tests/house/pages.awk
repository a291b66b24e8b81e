# SPDX-License-Identifier: MIT
# Sessions of a page, for pages.sh: -v folder=DIR -v part=extract|join.
#
# A session is a block of the language `console`.  A line that begins with "$ " is a command of the shell;
# what follows it is its output, in which lines that begin with "(gdb) " are typed into it.  A block of the language
# `c` with a name is the file of that name.
#
# extract: writes each command to DIR/N.command, what is typed into it to DIR/N.typed, its output to
# DIR/N.expected, and what files there are before it to DIR/N.files.
# join: the page again, with the outputs in DIR/N.got instead of its own.

function begin_command(text) {
	number++
	file = sprintf("%s/%03d", folder, number)
	if (part == "extract") {
		print text >(file ".command")
		printf "" >(file ".typed")
		printf "" >(file ".expected")
	} else {
		print "$ " text
		while ((getline line <(file ".got")) > 0)
			print line
	}
}

/^```$/ && language != "" {
	if (part == "extract" && file) {
		close(file ".command")
		close(file ".typed")
		close(file ".expected")
	}
	language = file = ""
	if (part == "join") print
	next
}
/^```/ && language == "" {
	language = substr($1, 4)
	if (language == "") language = "text"
	if (language == "c" && $2 != "") {
		name = $2
		printf "" >(folder "/" name)
	}
	if (part == "join") print
	next
}
language == "console" && /^\$ / {
	begin_command(substr($0, 3))
	next
}
language == "console" && file {
	if (part == "join") next
	if (/^\(gdb\) /) print substr($0, 7) >(file ".typed")
	print >(file ".expected")
	next
}
language == "console" {
	print FILENAME ":" FNR ": output before the first command" >"/dev/stderr"
	exit 2
}
language == "c" && name != "" && part == "extract" { print >(folder "/" name) }
part == "join" { print }

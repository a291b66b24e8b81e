#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Converts the GDB script that defines the commands to C; definitions.gdb.in describes its syntax.
#
#	make_definitions.sh definitions.gdb.in >definitions.c
awk '
function bad(what) { print FILENAME ":" FNR ": " what >"/dev/stderr"; failed = 1; exit 1 }

# Replace each @NAME@, except the names that the module replaces when it is loaded.
function expand(line, done, name) {
	while (match(line, /@[A-Z0-9]+@/)) {
		name = substr(line, RSTART + 1, RLENGTH - 2)
		if (!(name in text) && name !~ /^(MODULE|REQUEST|REPLY|DEFINITIONS|FIRST|VERB|VERSION|NUMBER|SOH|STX|1)$/)
			bad("nothing stands for @" name "@")
		done = done substr(line, 1, RSTART - 1) (name in text ? text[name] : "@" name "@")
		line = substr(line, RSTART + RLENGTH)
	}
	return done line
}

# Escape a line for a C string. gsub() is not used because awks treat backslashes in it differently.
function escape(line, done, i, c) {
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		done = done (c == "\\" || c == "\"" ? "\\" : "") c
	}
	return done
}

# Print a line of the C array.
function emit(line) {
	if (part == "") bad("a line before the first @part")
	line = escape(line)
	gsub(/@SOH@/, "\\001", line)
	gsub(/@STX@/, "\\002", line)
	print "\t\"" line "\\n\","
}

# Print the body of a macro, with each @1@ replaced by the command.
function use(name, command, lines, count, i, at) {
	count = split(body[name], lines, "\n")
	for (i = 1; i < count; i++) {
		while ((at = index(lines[i], "@1@")) > 0)
			lines[i] = substr(lines[i], 1, at - 1) command substr(lines[i], at + 3)
		emit(lines[i])
	}
}

BEGIN { print "/* Made from definitions.gdb.in. */\n#include \"protocol/script.h\"\n\n#include <stddef.h>" }

{ sub(/^[ \t]+/, "") }
/^#/ || /^$/ { next }
/^@define / { name = $2; sub(/^@define [^ ]+ /, ""); text[name] = expand($0); next }
/^@macro / { macro = $2; next }
/^@end$/ { macro = ""; next }
macro != "" { body[macro] = body[macro] expand($0) "\n"; next }
/^@part / {
	if (part != "") print "\tNULL,\n};"
	part = $2
	print "\nconst char *const definitions_" part "[] = {"
	next
}
{
	name = $1
	gsub(/@/, "", name)
	if ($1 == "@" name "@" && name in body) {
		sub(/^[^ ]+ /, "")
		use(name, expand($0))
	} else
		emit(expand($0))
}

END { if (!failed) print "\tNULL,\n};" }' "$1"

# SPDX-License-Identifier: MIT
# Sourced by the tests of LLDB whose expectations are those of GDB (tests/debuggers/commands/*.out and
# tests/debuggers/answers/*.out): all that may differ between the two debuggers is in this file.

# Commands of GDB alone: its variables and its own commands, modules that GDB has to be asked for, other JIT
# readers, which frames cairn unwinds, groups of settings, and when symbols load by themselves.  LLDB takes quotes
# away before a command sees them, and where a core has no memory its expressions read zeros.
only_gdb='^(p|print) [$]|[$]cairn_|^bt|^frame|^up-silently|^complete |^(help )?cairn (sync|load-reader)|cairn unwinder'
only_gdb="$only_gdb|^help (set|show) cairn( auto-symbols)?\$|[(]\"a|[*][(]int [*][)] 0"

# typed_in_lldb: commands of GDB as they are typed in LLDB
typed_in_lldb() {
	grep -vE "^#|$only_gdb" | sed -E 's/(^|[ "])(set|show) cairn /\1cairn \2 /'
}

# Of `help cairn` the commands that both have; the rest is each debugger's own.  Frames and lines of the source, too.
common_answers() {
	awk '/^\(gdb\) / { list = $0 == "(gdb) help cairn" }
	     list && !/^\(gdb\) / && (!/^cairn [a-z-]+ -- / || /^cairn (sync|load-reader|set|show) /) { next }
	     /^#[0-9]+  ((0xN|ADDRESS) in )?[a-z_]+ \(/ || /^[ *]*frame #[0-9]/ || /^[0-9]+\t/ || /^[$][0-9]+ = / { next }
	     { print }'
}

# expected_in_lldb: what GDB answers to the commands that LLDB has, too, with the debugger's own words replaced by
# others in capitals.  GDB knows no module's name before somebody asks for it, and shows the aliases of a command before its help.
expected_in_lldb() {
	awk -v own="$only_gdb" '/^\(gdb\) / { on = substr($0, 7) !~ own } on' |
		sed -E -e '/^(set|show) cairn [a-z-]+, (set|show) cairn [a-z-]+$/d' \
			-e 's/(^|[ "])(set|show) cairn /\1cairn \2 /' \
			-e 's/^Inferior [0-9]+: /VIEW: /' -e 's/(in|into) GDB/\1 DEBUGGER/; s/: GDB has /: DEBUGGER has /; s/"(in_)?gdb":/"\1debugger":/' \
			-e 's/,"unwinder":"auto"//; /^Unwinder: /d' \
			-e 's|^(  module   )module at 0xN|\1/srv/sample|' \
			-e 's/^cairn: (No symbol|Cannot access|A syntax error) .*/cairn: EXPRESSION/' \
			-e 's/"error":"(No symbol|Cannot access|A syntax error) .*"\}/"error":"EXPRESSION"}/' \
			-e 's/^(No modules yet): .*/\1/' -e 's/^Undefined command: "cairn-.*/UNDEFINED/' |
		common_answers
}

# like_gdb: what LLDB prints, likewise.  A command that fails with -json has an error of LLDB, too, so that LLDB
# knows of it; LLDB shows the usage of a command before the rest of its help; LLDB 14 warns of breakpoints
# of its own in cores; LLDB 23 has other words about a command that is not there;
# and without its Python package LLDB prints errors of that.
like_gdb() {
	sed -E -e 's/^\(lldb\) /(gdb) /' -e 's/^error: /cairn: /' -e 's/^      ([a-z-]+) +-- /cairn \1 -- /' |
		sed -E -e '/^\{"error":/{n;/^cairn: /d;}' \
			-e 's/^Capture [0-9]+: /VIEW: /' -e 's/(in|into) (LLDB|GDB)/\1 DEBUGGER/; s/: LLDB has /: DEBUGGER has /; s/"(in_)?lldb":/"\1debugger":/' \
			-e "s/^cairn: <user expression [0-9]+>:.*/cairn: EXPRESSION/" \
			-e 's/"error":"<user expression [0-9]+>:.*"\}/"error":"EXPRESSION"}/' \
			-e 's/^(No modules yet): .*/\1/' -e "s/^invalid command 'cairn .*/UNDEFINED/" \
			-e 's/^(cairn: )?"[a-z]*" is not a valid subcommand of "cairn"[.].*/UNDEFINED/' \
			-e '/^warning: failed to set breakpoint site/d' \
			-e '/^Traceback /d; /^  File "<string>", line 1, in <module>$/d; /^(NameError|ModuleNotFoundError): /d' \
			-e '/^Exception ignored in PyObject_HasAttr\(\)/d' |
		awk 'function show_usage() { if (usage != "") print usage; usage = "" }
		     /^\(gdb\) / { show_usage(); help = /^\(gdb\) help / }
		     help && /^$/ { next }
		     help && /^Syntax: / { usage = "Usage: " substr($0, 9); sub(/ +$/, "", usage); next }
		     help && /^Example: / { show_usage() }
		     { print }
		     END { show_usage() }' |
		common_answers
}

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the examples in the comments of headers compile: as C++ in *.hpp, as C elsewhere.
#
#	examples.sh ROOT COMPILER...
#
# An example is a run of comment lines that begin with " *" and a tab. It is code if one of its lines ends in ';' (or has
# prose after the ';' and two spaces), or begins with if, while or for and a parenthesis. Anything else is a diagram, a
# grammar or a list, and is skipped. In code, "..." and the rest of the line stand for omitted statements, text after a ';'
# and two spaces is prose, and "{ ... }" is an arbitrary initializer. Names that an example uses but does not declare are
# declared in examples.txt beside this script, under the name of the header.

here=$(cd "$(dirname "$0")" && pwd)
cd "$1" || exit 1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-examples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 compiled=0 skipped=0

# code HEADER: its examples, as the inside of a function, each line where it is in the header.
code() {
	awk '
	function flush(   i) {
		for (i = first; i < NR && first; i++) print is_code ? line[i] : ""
		first = 0; is_code = 0
	}
	/^ \*\t/ {
		if (!first) first = NR
		text = $0
		sub(/^ \*\t/, "", text)
		sub(/;(  |\t| \.\.\.).*/, ";", text)
		gsub(/\{ \.\.\. \}/, "{ 0 }", text)
		if (match(text, /(^|[ \t])\.\.\.( .*)?$/)) text = substr(text, 1, RSTART - 1) " {}"
		if (text ~ /;$/ || text ~ /^[ \t]*(if|while|for) \(/) is_code = 1
		line[NR] = text
		next
	}
	{ flush(); print "" }
	END { NR++; flush() }' "$1"
}

# declarations NAME: those under it in examples.txt.
declarations() {
	awk -v name="$1:" '/^[^ \t#].*:$/ { on = $0 == name; next } on' "$here/examples.txt"
}

# unit HEADER: a source file with its examples
unit() {
	name=${1#core/include/}
	name=${name#core/}
	name=${name#plugin/gdb/}
	name=${name#plugin/}
	case $1 in
	core/include/cairn.hpp) name=cairn.hpp ;;
	core/include/cairn/functions.hpp) name=cairn/functions.hpp ;;
	core/include/cairn/functions.h | core/include/cairn/function_files.h) name=cairn/functions.h ;;
	core/include/cairn/*) name=cairn/dwarf.h ;;
	esac
	printf '#include "%s"\n#include <cairn.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <stdlib.h>\n' "$name"
	echo '#include <unistd.h>'
	case $1 in *.hpp) echo '#include <iostream>' ;; esac
	declarations everywhere
	declarations "$1"
	# an example that defines a function needs none around it
	if grep -qx '{' "$work/code"; then
		printf '#line 1 "%s"\n' "$1"
		cat "$work/code"
	else
		grep -q 'return;' "$work/code" && type=void || type=int
		printf '%s example(void);\n%s example(void)\n{\n#line 1 "%s"\n' "$type" "$type" "$1"
		cat "$work/code"
		echo '}'
	fi
}

has_cxx=
! printf '#include <string>\n' | "$@" -std=c++17 -x c++ -fsyntax-only - 2>/dev/null || has_cxx=yes

for header in $(find core plugin -name '*.h' -o -name '*.hpp' | LC_ALL=C sort); do
	code "$header" >"$work/code"
	grep -q . "$work/code" || continue
	language='c -std=c11'
	case $header in *.hpp)
		[ -n "$has_cxx" ] || continue
		language='c++ -std=c++17'
		;;
	esac
	unit "$header" >"$work/example.c"
	# shellcheck disable=SC2086 # options
	if "$@" -x $language -D_POSIX_C_SOURCE=200809L -I core/include -I core -I plugin -I plugin/gdb -fsyntax-only -Wall -Werror \
		-Wno-unused -Wno-return-type "$work/example.c" 2>"$work/log"; then
		compiled=$((compiled + 1))
	elif grep -q 'gdb/jit-reader.h.*No such file' "$work/log"; then
		skipped=$((skipped + 1))
	else
		echo "$header: its example does not compile"
		grep -E 'error|warning' "$work/log" | head -n 20
		failed=1
	fi
done
awk '/^[^ \t#].*:$/ && $0 != "everywhere:" { sub(/:$/, ""); print }' "$here/examples.txt" |
	while read -r header; do
		[ -f "$header" ] || echo "examples.txt: $header does not exist"
	done | grep . && failed=1
[ "$compiled" != 0 ] || failed=1
echo "$compiled headers with examples, $skipped left out because <gdb/jit-reader.h> is missing"
exit $failed

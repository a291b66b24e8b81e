#!/bin/sh
# SPDX-License-Identifier: MIT
# Each message of the command line and of the commands in debuggers is in a test: messages.sh ROOT.
#
# The longest part of a message between its directives must be somewhere below tests/: in a golden, a script or a
# table.  messages_untested.txt names those that cannot be provoked, each with the reason in an indented line after it.
# It may only become shorter: a new message needs a test, and one that has a test leaves the list.
set -u
cd "$1" || exit 2
export LC_ALL=C
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

find core plugin -name '*.[ch]' -o -name '*.cpp' | sort | xargs awk -f scripts/messages.awk |
	grep -P '\t(print_diagnostic|fail_with|refuse_with|print_word_diagnostic|print_fault_diagnostic|usage_error|error_set|error_set_fault|error_set_system|message_tell|message_tell_word|message_tell_fault|reply_error|log_failure)\t' \
		>"$work/messages"
[ "$(wc -l <"$work/messages")" -ge 200 ] || {
	echo 'the messages were not found'
	exit 1
}
find tests -type f \( -name '*.out' -o -name '*.c' -o -name '*.sh' -o -name '*.h' -o -name '*.cmd' -o -path '*/cli/*.txt' \) | sort | xargs cat >"$work/tests"
awk -F '\t' -v tests="$work/tests" '
BEGIN {
	# all at once; literals of C that are broken over lines are one text
	lines = RS
	RS = "\002"
	getline text <tests
	RS = lines
	gsub(/" *\n[ \t]*"/, "", text)
	gsub(/\\"/, "\"", text)
}
{
	message = $3
	gsub(/\\n/, "\n", message)
	gsub(/\\"/, "\"", message)
	gsub(/%[-+ #0-9.*]*(l|ll|z|h|j|t)*[a-zA-Z]|%/, "\001", message)
	count = split(message, pieces, /[\001\n]/)
	best = ""
	for (i = 1; i <= count; i++)
		if (length(pieces[i]) > length(best)) best = pieces[i]
	gsub(/^[ :;,.()]+|[ :;,.()]+$/, "", best)
	if (index(text, best) == 0) print $1 ": " $3
}' "$work/messages" | sort -u >"$work/untested"
awk '/^\t/ { if (!open) print "no message before it: " $0; open = 0; next }
	open { print "no reason after it: " open }
	{ open = $0 }
	END { if (open) print "no reason after it: " open }' tests/house/messages_untested.txt >"$work/reasons"
[ ! -s "$work/reasons" ] || {
	cat "$work/reasons"
	exit 1
}
grep -v '^	' tests/house/messages_untested.txt >"$work/listed"
diff "$work/listed" "$work/untested" >"$work/diff" || {
	sed -n -e 's/^> /no test has this message: /p' -e 's/^< /has a test now, or is gone; take it off tests\/messages_untested.txt: /p' "$work/diff"
	exit 1
}
echo "$(wc -l <"$work/messages") messages, $(wc -l <"$work/listed") not in a test"

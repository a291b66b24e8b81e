#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the list of all messages from the source. It also becomes the man page cairn-messages(7), which therefore
# always matches the program.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C
cat <<'END'
# Messages

All messages of cairn. `...` stands for inserted text. On the command line, a message begins with `cairn: FILE:` and
often ends with `at byte N`, an offset in the named file or section. In a debugger, it begins with `cairn:`.

| message | where it comes from |
|---|---|
END
find core plugin -name '*.[ch]' -o -name '*.cpp' | sort | xargs awk -f scripts/messages.awk | awk -F '\t' '
{
	text = $3
	gsub(/%%/, "\001", text)
	gsub(/%[-+ #0-9.*]*(l|ll|z|h|j|t)*[a-zA-Z]/, "...", text)
	gsub(/%/, "...", text)
	gsub(/\001/, "%", text)
	gsub(/\\n/, " ", text)
	gsub(/\\"/, "\"", text)
	gsub(/[|<>*_`\[\]]/, "\\\\&", text)
	gsub(/^[ :;,]+|[ :;,]+$/, "", text)
	folder = $1
	sub(/\/[^\/]*$/, "", folder)
	if (!(text in from)) from[text] = folder
	else if (index(", " from[text] ",", ", " folder ",") == 0) from[text] = from[text] ", " folder
}
END { for (text in from) print "| " text " | " from[text] " |" }' | sort -f

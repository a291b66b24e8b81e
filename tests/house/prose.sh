#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Keeps comments at the level of plain English that they have reached: of a thousand comments of core and plugin, at most so many
# may contain a phrase of the table below. The phrases are symptoms of sentences that read as if translated; to replace one by
# another cures nothing. Prints each comment with a phrase that is too frequent. A comment is read as one line.
#
#	prose.sh [ROOT]

cd "${1:-.}" || exit 1
table=$(mktemp) || exit 1
trap 'rm -f "$table"' EXIT
# most per thousand | regular expression, at the beginning of the comment if it has ^
cat >"$table" <<'END'
1|^(What|Where|Which|One|By|As|Of|Those|Who|Whose|That) 
1|[Ww]hat (is|are|was|were) 
2|(that|those|ones) of 
5|of (it|them)([^a-z]|$)
1|(is|are|was|has|have|had) none([^a-z]|$)
1|([Nn]obody|[Ss]omebody|[Aa]nybody|[Ww]hoever)
1|(is|are|was|were|be) (told|asked)([^a-z]|$)
0|^of (the|its|a|an|this|that|each|one) 
0|(go|goes|went) on([^a-z]|$)
END
find core plugin -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort | LC_ALL=C xargs awk -v table="$table" '
BEGIN { while ((getline line < table) > 0) { at = index(line, "|"); most[++rows] = substr(line, 1, at - 1); phrase[rows] = substr(line, at + 1) } }
FNR == 1 { inside = 0 }
{
	rest = $0
	while (rest != "") {
		if (!inside) {
			if (!(at = index(rest, "/*"))) break
			rest = substr(rest, at + 2); inside = 1; text = ""; place = FILENAME ":" FNR
		}
		at = index(rest, "*/")
		part = at ? substr(rest, 1, at - 1) : rest
		sub(/^[ \t]*\*?[ \t]*/, "", part); sub(/[ \t]+$/, "", part)
		text = text (text != "" && part != "" ? " " : "") part
		if (!at) break
		inside = 0; rest = substr(rest, at + 2)
		if (text !~ /^SPDX/ && text != "") {
			count++
			for (i = 1; i <= rows; i++) if (text ~ phrase[i]) found[i, ++times[i]] = place ": " text
		}
	}
}
END {
	if (count < 100) { print "only " count " comments were found"; exit 1 }
	for (i = 1; i <= rows; i++) {
		if (times[i] * 1000 <= most[i] * count) continue
		print times[i] " of " count " comments have \"" phrase[i] "\"; at most " most[i] " of 1000 may"
		for (k = 1; k <= times[i]; k++) print "\t" found[i, k]
		failed = 1
	}
	exit failed
}'

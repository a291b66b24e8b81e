# SPDX-License-Identifier: MIT
# Compares answers: answers.awk THEIRS OURS, where THEIRS is what `llvm-symbolizer --inlines
# --no-demangle` printed and OURS what `cairn gsym lookup --lines` prints, for the same addresses in the same
# order.  Prints how many have the same chain of files and lines, and the same names, and counts the
# differences by class; with -v show=N also N addresses of each class.
#
# Classes, the first that fits:
#	line 0       a row says "no line": llvm-symbolizer goes back to a row that has one
#	no line      one of the two knows no file and line at all
#	innermost    the chains differ in the innermost place alone
#	call         they differ in the place of a call alone
#	frames       they have different numbers of frames

function path(text,   n, part, i, out, kept) {
	# "a/./b" and "a//b" name the same file
	gsub(/\/(\.\/)+/, "/", text)
	gsub(/\/+/, "/", text)
	return text
}

# Their blocks: two lines a frame, an empty line behind the last.
FNR == NR {
	if ($0 == "") {
		if (n_lines[count + 0]) {
			count++
		}
		next
	}
	i = n_lines[count + 0]++
	if (i % 2 == 0) {
		name = $0
		gsub(/ /, "_", name)
		names[count + 0] = names[count + 0] " " name
	} else {
		place = $0
		sub(/:[0-9]+$/, "", place)
		if (place ~ /^\?\?:0$/ || place ~ /^\?\?$/)
			place = "-"
		places[count + 0] = places[count + 0] " " path(place)
	}
	next
}

function class_of(a, b,   x, y, n, m, i, inner, outer) {
	if (a ~ /:0( |$)/ || b ~ /:0( |$)/)
		return "line 0"
	n = split(a, x, " ")
	m = split(b, y, " ")
	if (x[1] == "-" || y[1] == "-")
		return "no line"
	if (n != m)
		return "frames"
	for (i = 2; i <= n; i++)
		if (x[i] != y[i])
			outer = 1
	return outer ? "call" : "innermost"
}

{
	k = FNR - 1
	gsub(/\\x20/, "_")
	n = split($0, field, " ")
	ours = ""
	our_names = ""
	for (i = 4; i <= n && field[i] != "same-code"; i += 3) {
		our_names = our_names " " field[i]
		ours = ours " " path(field[i + 2])
	}
	total++
	if (ours == places[k]) {
		same++
	} else {
		class = class_of(places[k], ours)
		classes[class]++
		if (classes[class] <= show)
			printf "%s: %s\n  theirs%s\n  ours  %s\n", class, field[1], places[k], ours
	}
	if (our_names == names[k])
		same_names++
}

END {
	printf "%d addresses: %.2f %% have the same files and lines, %.2f %% the same names\n",
		total, 100 * same / total, 100 * same_names / total
	for (class in classes)
		printf "  %s: %d\n", class, classes[class]
}

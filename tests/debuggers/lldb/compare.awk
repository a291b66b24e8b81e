# SPDX-License-Identifier: MIT
# compare.awk COMPLETE BARE: the stacks that steps.cc wrote of two builds of a program.  A stack is wrong
# when a frame's pc or stack pointer differs, or a frame is missing; a register when its value
# differs, and "not known" when only the complete build has one.  Prints one line:
#	STOPS stops WRONG wrong VALUES values UNKNOWN unknown FALSE false
# and to the standard error the first that are wrong.
#
# With -v apart=FILE, which has a line "LOW SIZE NAME" for each function without SFrame, in hexadecimal, of a program
# that is loaded at -v base=ADDRESS, the stops in such functions, and those in code that they have called, are counted
# in two more lines.
BEGIN {
	ranges = 0
	while (apart != "" && (getline line < apart) > 0) {
		split(line, word, " ")
		low[ranges] = number(base) + number(word[1])
		high[ranges] = low[ranges++] + number(word[2])
	}
	kinds = split("described inside called", kind_name, " ")
}
FNR == NR { complete[FNR] = $0; lines = FNR; next }
{ bare[FNR] = $0; bare_lines = FNR }

function number(text,    value, i) {
	sub(/^0x/, "", text)
	for (i = 1; i <= length(text); i++)
		value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function is_apart(frame,    pc, i, word) {
	split(frame, word, " ")
	if (word[1] in known)
		return known[word[1]]
	pc = number(word[1])
	for (i = 0; i < ranges; i++)
		if (pc >= low[i] && pc < high[i])
			return known[word[1]] = 1
	return known[word[1]] = 0
}

# 1: all frames are in functions that are described; 2: the innermost is not; 3: an outer one is not
function find_kind(first,    i) {
	if (ranges == 0)
		return 1
	for (i = first; is_frame(complete[i]); i++)
		if (is_apart(complete[i]))
			return i == first ? 2 : 3
	return 1
}

function is_frame(line) { return line != "" && line !~ /^stop/ }

function tell(what, at, a, b) {
	if (kind == 1 && told++ < 6)
		print what " at " at ":\n  " a "\n  " b >"/dev/stderr"
}

function compare_frame(a, b, at,    x, y, n, k) {
	n = split(a, x, " ")
	split(b, y, " ")
	if (x[1] != y[1] || x[2] != y[2]) {
		tell("wrong stack", at, a, b)
		return 1
	}
	for (k = 3; k <= n; k++) {
		if (x[k] == "-")
			continue
		values[kind]++
		if (y[k] == "-") {
			unknown[kind]++
		} else if (x[k] != y[k]) {
			false[kind]++
			tell("false register " k, at, a, b)
		}
	}
	return 0
}

END {
	for (i = j = 1; i <= lines && j <= bare_lines;) {
		if (complete[i] != bare[j]) {
			kind = 1
			tell("another stop", i, complete[i], bare[j])
			wrong[kind]++
			break
		}
		at = complete[i++]
		j++
		kind = find_kind(i)
		stops[kind]++
		bad = 0
		while (is_frame(complete[i]) || is_frame(bare[j])) {
			a = is_frame(complete[i]) ? complete[i++] : ""
			b = is_frame(bare[j]) ? bare[j++] : ""
			bad = bad || compare_frame(a, b, at)
		}
		wrong[kind] += bad
	}
	if (i <= lines || j <= bare_lines)
		wrong[1]++
	for (kind = 1; kind <= (ranges > 0 ? kinds : 1); kind++)
		printf("%d stops %d wrong %d values %d unknown %d false%s\n", stops[kind], wrong[kind], values[kind],
			unknown[kind], false[kind], ranges > 0 ? " " kind_name[kind] : "")
}

# SPDX-License-Identifier: MIT
# compare.awk COMPLETE BARE: the stacks that steps.cc wrote of two builds of a program.  A stack is wrong
# when a frame's pc or stack pointer differs, or a frame is missing; a register when its value
# differs, and "not known" when only the complete build has one.  Prints one line:
#	STOPS stops WRONG wrong VALUES values UNKNOWN unknown FALSE false
# and to the standard error the first that are wrong.
FNR == NR { complete[FNR] = $0; lines = FNR; next }
{ bare[FNR] = $0; bare_lines = FNR }

function is_frame(line) { return line != "" && line !~ /^stop/ }

function tell(what, at, a, b) {
	if (told++ < 6)
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
		values++
		if (y[k] == "-") {
			unknown++
		} else if (x[k] != y[k]) {
			false++
			tell("false register " k, at, a, b)
		}
	}
	return 0
}

END {
	for (i = j = 1; i <= lines && j <= bare_lines;) {
		if (complete[i] != bare[j]) {
			tell("another stop", i, complete[i], bare[j])
			wrong++
			break
		}
		at = complete[i++]
		j++
		stops++
		bad = 0
		while (is_frame(complete[i]) || is_frame(bare[j])) {
			a = is_frame(complete[i]) ? complete[i++] : ""
			b = is_frame(bare[j]) ? bare[j++] : ""
			bad = bad || compare_frame(a, b, at)
		}
		wrong += bad
	}
	if (i <= lines || j <= bare_lines)
		wrong++
	printf "%d stops %d wrong %d values %d unknown %d false\n", stops, wrong, values, unknown, false
}

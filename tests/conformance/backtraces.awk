# SPDX-License-Identifier: MIT
# Names of frames, one a line, against `frames`: "*" stands for any frames, and nothing is compared
# behind main.  A signal frame may show its trampoline's name.  GDB up to 15 shows one more frame
# at 0 behind the outermost.
{ got[NR] = $0 }

END {
	count = split(frames, expected, " ")
	at = 1
	for (i = 1; i <= count; i++) {
		if (expected[i] == "*") {
			while (at <= NR && got[at] != expected[i + 1])
				at++
			continue
		}
		if (got[at] != expected[i] && !(expected[i] == "<signal>" && at <= NR))
			fail(i)
		if (expected[i] == "main")
			pass()
		at++
	}
	if (at <= NR && !(at == NR && got[at] == "0x0"))
		fail(i)
	pass()
}

function fail(i,    text, k) {
	for (k = 1; k <= NR; k++)
		text = text " " got[k]
	printf "sframe: backtraces.tsv: %s: frame %d: expected %s, got%s\n", name, i - 1, frames, text
	exit 0
}

function pass() {
	print "PASS 1"
	exit 0
}

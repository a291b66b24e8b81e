# SPDX-License-Identifier: MIT
# The S, M and P lines of elf/*.expect against what cairn made of the program.
#
#	kind=questions: prints each address to be asked, every byte of each S and M line
#	kind=answers:   first the .expect, then the Q lines of those addresses in the same order, then the
#	                P lines of the return pads; prints "PASS 1" or one line for the first difference


function hex(text,    i, n) {
	n = 0
	text = tolower(substr(text, 3))
	for (i = 1; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}

# A path without "./" at its beginning and "/./" anywhere.
function path(text) {
	sub(/^\.\//, "", text)
	while (sub(/\/\.\//, "/", text))
		;
	return text
}

function same_name(a, b) {
	return a == b || (a in other && index("\t" other[a] "\t", "\t" b "\t"))
}

# Fields from a on against those of the expected chain from b on.
function same_chain(n, want, b, got, a,    i) {
	for (i = 0; i < n; i++) {
		if (!same_name(want[b + 3 * i], got[a + 3 * i]))
			return 0
		if (want[b + 3 * i + 2] == 0)
			continue
		if (path(want[b + 3 * i + 1]) != path(got[a + 3 * i + 1]) ||
		    want[b + 3 * i + 2] != got[a + 3 * i + 2])
			return 0
	}
	return 1
}

function fail(what) {
	if (!failed)
		printf "symbfile: %s: %s\n", name, what
	failed = 1
}

function check(line,    got, n, want, k) {
	split(line, got, "\t")
	n = split(expected[at], want, "\t")
	at++
	if (want[1] == "M") {
		if (got[3] < 1 || !same_name(want[4], got[4]))
			fail("expected " want[4] " at " got[2] ", got " got[4])
		return
	}
	k = want[4]
	if (got[3] != k || !same_chain(k, want, 5, got, 4))
		fail("expected " expected[at - 1] ", got " line)
}

BEGIN {
	FS = "\t"
	at = count = spans = 0
}

/^#/ || /^$/ { next }

$1 == "N" {
	for (i = 3; i <= NF; i++)
		other[$2] = other[$2] "\t" $i
	next
}

($1 == "S" || $1 == "M") {
	for (i = hex($2); i < hex($3); i++) {
		if (kind == "questions")
			printf "%d\n", i
		else
			expected[count++] = $0
	}
	low[spans] = hex($2)
	high[spans++] = hex($3)
	next
}

kind == "questions" { next }

$1 == "P" && FNR == NR {
	wanted[$2] = $0
	next
}

$1 == "Q" { check($0); next }

$1 == "P" {
	pads[$2] = $0
	if ($2 in wanted) {
		split(wanted[$2], want, "\t")
		split($0, got, "\t")
		if (want[3] != got[3] || !same_chain(want[3], want, 4, got, 4))
			fail("expected " wanted[$2] ", got " $0)
		next
	}
	for (i = 0; i < spans; i++)
		if (hex($2) >= low[i] && hex($2) < high[i])
			fail("a return pad too many: " $0)
}

END {
	if (kind == "questions")
		exit
	if (at != count)
		fail("expected " count " answers, got " at)
	for (a in wanted)
		if (!(a in pads))
			fail("no return pad at " a)
	if (!failed)
		print "PASS 1"
}

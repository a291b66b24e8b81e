# SPDX-License-Identifier: MIT
# Random addresses inside functions, the same for a seed whatever awk it is: a generator of its own
# (Lehmer's, whose numbers a double holds). Input is `nm -S` of a program.
#
#	nm -S PROGRAM | awk -v count=1000 -v seed=1 -f addresses.awk
#
# -v each=1: one address of each function in turn instead, until there are enough.
function value(hex,   i, sum) {
	for (i = 1; i <= length(hex); i++)
		sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return sum
}
function below(limit) {
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * limit)
}
NF == 4 && $3 ~ /^[tTwW]$/ {
	size = value($2)
	if (size > 1 && !($1 in seen)) {
		seen[$1] = 1
		start[n] = value($1)
		length_of[n++] = size
	}
}
END {
	state = seed * 2711 + 1
	for (i = 0; n && i < count; i++) {
		at = each ? i % n : below(n)
		printf "0x%x\n", start[at] + 1 + below(length_of[at] - 1)
	}
}

# SPDX-License-Identifier: MIT
# `scripts/bench.sh doubling [INPUT...]`: instructions of `cairn where` for 1, 2, 4, ... addresses on standard input,
# and for the first of them as arguments. Sourced with what compare.sh needs. A step is a doubling that takes more than twice
# the instructions: there the command changes its way too late or too early.

DOUBLING_MOST=65536
DOUBLING_ARGUMENTS=1024 # of one command

# doubling_line INPUT HOW COUNT BEFORE: a line of the table; $counted_now are the instructions
doubling_line() {
	list=$(address_list 100000)
	head -n "$3" "$list" >"$work/doubling"
	if [ "$2" = arguments ]; then
		stdin=/dev/null
		# shellcheck disable=SC2046 # one address each word
		counted_now=$(instructions "$cairn" where --no-cache "$input" $(cat "$work/doubling"))
	else
		stdin=$work/doubling
		counted_now=$(instructions "$cairn" where --no-cache "$input")
	fi
	awk -v name="$1" -v how="$2" -v count="$3" -v before="$4" -v now="$counted_now" 'BEGIN {
		step = before && now > 2 * before
		printf "%-10s %-16s %7d %14.0f instructions%s\n", name, how, count, now,
			before ? sprintf(", %.2f%s", now / before, step ? " STEP" : "") : ""
		exit step || !now }'
}

doubling_all() {
	have valgrind || { echo "$lacking" >&2; return 1; }
	[ $# -gt 0 ] || set -- cpp self
	found_step=0
	for name_of_input in "$@"; do
		use_input "$name_of_input" && address_list 100000 >"$work/listed" || { echo "$name_of_input: $lacking" >&2; return 1; }
		for how in arguments 'standard input'; do
			before_it=0
			count=1
			while [ "$count" -le "$DOUBLING_MOST" ]; do
				[ "$how" = 'standard input' ] || [ "$count" -le "$DOUBLING_ARGUMENTS" ] || break
				doubling_line "$name_of_input" "$how" "$count" "$before_it" || found_step=1
				before_it=$counted_now
				count=$((count * 2))
			done
		done
	done
	return "$found_step"
}

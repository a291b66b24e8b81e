# SPDX-License-Identifier: MIT
# `scripts/bench.sh programs`: rows of the debug files of four programs of Debian, which nothing was tuned to. Sourced, as
# rows.sh is.

# shellcheck disable=SC2034 # bench.sh reads it
programs_rows=$(for input in rbd_plain cupt_plain ipopt_plain mono; do
	echo "where:$input ten:$input hundred:$input thousand:$input pages:$input all:$input create:$input two:$input symbfile:$input"
	case $input in
	*_plain) echo "where:${input%_plain} create:${input%_plain} two:${input%_plain}" ;;
	esac
done)

# some_addresses INPUT COUNT: on standard input
some_addresses() {
	use_input "$1" && list=$(address_list 19000) || return 1
	head -n "$2" "$list" >"$work/some"
	begin
	stdin=$work/some
	contender cairn "$cairn" where --no-cache "$input"
	contender llvm-symbolizer llvm-symbolizer-19 --inlines --obj="$input"
	[ "$2" -gt 100 ] || contender eu-addr2line eu-addr2line -f -i -e "$input" # it takes minutes for more
	race "$2 addresses: $(describe "$1")"
}

row_ten() {
	some_addresses "$1" 10
}

row_hundred() {
	some_addresses "$1" 100
}

row_thousand() {
	some_addresses "$1" 1000
}

row_pages() {
	some_addresses "$1" 4096
}

row_all() {
	some_addresses "$1" 19000
}

# By the clock, where all other rows have processor time
row_two() {
	use_input "$1" || return 1
	begin
	contender 'cairn, two processors' "$cairn" gsym create --quiet -j 2 "$input" -o "$work/two.gsym"
	contender 'cairn, one' "$cairn" gsym create --quiet -j 1 "$input" -o "$work/one.gsym"
	contender 'llvm-gsymutil, two' llvm-gsymutil-19 --convert="$input" --out-file="$work/theirs.gsym" --num-threads=2 --quiet
	by_clock=yes
	rounds=$((3 * rounds))
	race "gsym create, by the clock: $(describe "$1")"
	rounds=$((rounds / 3))
}

print_programs() {
	print_quick
}

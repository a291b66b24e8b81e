# SPDX-License-Identifier: MIT
# A Breakpad file with all the rows that Google's dump_syms writes: one for each row of the line table that has code,
# though the one before it has the same line.  breakpad.awk joins those, as Mozilla's does.
#
#	awk -f google_rows.awk ADDRESSES FILE.sym
#
# ADDRESSES has the address of each row, sorted, with leading zeros.

function number(text, value, i) {
	value = 0
	for (i = 1; i <= length(text); i++)
		value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

FNR == NR { address[rows++] = number(substr($1, 3)); next }
$1 !~ /^[0-9a-f]+$/ { print; next }
{
	low = number($1)
	high = low + number($2)
	# the first row behind `low`
	from = 0
	to = rows
	while (from < to) {
		middle = int((from + to) / 2)
		if (address[middle] <= low)
			from = middle + 1
		else
			to = middle
	}
	for (; low < high; low = next_row) {
		next_row = from < rows && address[from] < high ? address[from++] : high
		if (next_row > low)
			printf "%x %x %s %s\n", low, next_row - low, $3, $4
	}
}

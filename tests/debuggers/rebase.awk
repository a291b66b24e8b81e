# SPDX-License-Identifier: MIT
# Makes the addresses of a Breakpad file count from the module's first byte, which is linked at `base` (without 0x):
#
#	awk -v base=400000 -f rebase.awk FILE.sym

function number(text, value, i) {
	value = 0
	for (i = 1; i <= length(text); i++)
		value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function rebased(text) { return sprintf("%x", number(text) - first) }

BEGIN { first = number(base) }
$1 == "FUNC" || $1 == "PUBLIC" { $2 = rebased($2) }
$1 == "INLINE" { for (i = 6; i < NF; i += 2) $i = rebased($i) }
$1 ~ /^[0-9a-f]+$/ { $1 = rebased($1) }
{ print }

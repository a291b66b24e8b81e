#!/bin/sh
# SPDX-License-Identifier: MIT
# sframe_create.sh CAIRN [FILE...]: processor time and peak memory of `cairn sframe create`, for these files or the largest libraries of this
# machine, from the smallest to the largest. Fails when 100 MB of code take more than a second, when memory exceeds twice the size of the call
# frame information and 32 MB, or when a row of the largest file takes twice the time of one of the smallest that takes 20 ms.
set -eu
LC_ALL=C
export LC_ALL
cairn=$1
shift
[ -x /usr/bin/time ] || {
	echo 'skipped: no /usr/bin/time'
	exit 77
}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/sframe-create.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
if [ $# -eq 0 ]; then
	find /usr/lib /usr/bin -type f \( -name '*.so*' -o -perm -100 \) -size +2000k -printf '%s %p\n' 2>/dev/null | sort -n |
		awk '{ n++; size[n] = $1; name[n] = $2 } END { for (i = n; i > 0 && i > n - 40; i--) print name[i] }' >"$tmp/files"
	while IFS= read -r file; do set -- "$@" "$file"; done <"$tmp/files"
fi
for file; do
	"$cairn" sframe create --json "$file" -o "$tmp/table" >"$tmp/made" 2>/dev/null || continue
	best=999999 memory=0
	for _ in 1 2 3; do
		/usr/bin/time -f '%U %S %M' -o "$tmp/time" "$cairn" sframe create --quiet "$file" -o "$tmp/table"
		read -r user system peak <"$tmp/time"
		now=$(awk -v u="$user" -v s="$system" 'BEGIN { printf "%d", (u + s) * 1000 + 0.5 }')
		[ "$now" -ge "$best" ] || best=$now
		memory=$peak
	done
	tr ',{}' '\n\n\n' <"$tmp/made" | awk -F : -v name="${file##*/}" -v ms="$best" -v kb="$memory" '
		{ gsub(/"/, "", $1); if (!($1 in value)) value[$1] = $2 }
		END { print value["code"], value["cfi_bytes"], value["rows"], ms, kb, name }'
done | sort -n -k 3 | awk '!seen[$1, $2, $3]++' >"$tmp/all"
[ -s "$tmp/all" ] || {
	echo 'skipped: no large library has call frame information'
	exit 77
}
awk '
BEGIN { printf "%12s %12s %10s %8s %10s %10s %12s  %s\n", "code", "frames", "rows", "ms", "ns/row", "s/100 MB", "memory, KB", "file" }
{
	most = 2 * $2 / 1024 + 32 * 1024
	slow = $4 / 1000 / ($1 / 100e6)
	printf "%12d %12d %10d %8d %10.0f %10.3f %12d  %s\n", $1, $2, $3, $4, $4 * 1e6 / $3, slow, $5, $6
	if ($4 >= 20 && !least) least = $4 / $3
	if ($4 >= 20) last = $4 / $3
	if ($4 >= 20 && slow > 1) { print "too slow"; failed = 1 }
	if ($5 > most) { print "too much memory: at most " most " KB"; failed = 1 }
}
END {
	if (least && last > 2 * least) { print "a row of the largest file takes more than twice the time"; failed = 1 }
	exit failed
}' "$tmp/all"

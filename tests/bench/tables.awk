# SPDX-License-Identifier: MIT
# The results of scripts/bench.sh as a table of Markdown. A line of input is a contender: title, name,
# microseconds, kilobytes, bytes that must be touched, note; the first of a title is ours. -v bandwidth=BYTES:
# what memory delivers in a second.
function show_time(us) {
	if (us < 10000)
		return sprintf("%.2f ms", us / 1000)
	if (us < 1000000)
		return sprintf("%.0f ms", us / 1000)
	return sprintf("%.2f s", us / 1000000)
}
function show_memory(kb) {
	return sprintf(kb < 10000 ? "%.1f MB" : "%.0f MB", kb / 1000)
}
function finish() {
	if (title != "")
		printf "| %s | %s | %s | %s | %s |\n", title, ours, memory, peers == "" ? "–" : peers, limit
}
BEGIN {
	FS = "\t"
	print "| work | cairn | memory | others: time, memory, ours / theirs | times the limit |"
	print "|---|--:|--:|---|--:|"
}
$2 == "text" || $2 == "figure" { next }
$1 != title {
	finish()
	title = $1
	first = $3
	ours = show_time($3) ($6 == "" ? "" : " (" $6 ")")
	memory = show_memory($4)
	peers = ""
	limit = $5 > 0 ? sprintf("%.1f", $3 / ($5 / bandwidth * 1000000)) : "–"
	next
}
{
	peers = peers (peers == "" ? "" : "; ") $2 " " show_time($3) ", " show_memory($4)
	if ($6 == "") {
		peers = peers ", " sprintf($3 > 0 && first / $3 < 0.1 ? "%.3f" : "%.2f", first / ($3 ? $3 : 1))
	} else if ($6 ~ "^[0-9]+/[0-9]+$") {
		split($6, part, "/")
		peers = peers " for " part[1] " of " part[2] ", " sprintf("%.3f", first / ($3 * part[2] / part[1]))
	} else {
		peers = peers " (" $6 ")"
	}
}
END { finish() }

# SPDX-License-Identifier: MIT
# A log of 50 MB: lines of a server, and lines of markup from a file that begins with two lines of context:
#
#	awk -v kind=plain|mixed|different -f logs.awk CONTEXT-AND-FRAMES
function below(limit) {
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * limit)
}
FNR <= 2 { context = context $0 "\n"; next }
{ frame[frames++] = $0 }
END {
	state = 12345
	every = kind == "plain" ? 0 : kind == "mixed" ? 100 : 5
	if (every)
		printf "%s", context
	for (i = 0; i < 4000; i++)
		text[i] = sprintf("2026-11-21T12:%02d:%02d.%06d host app[%d]: request %d took %d us in {pool %d}, status ok, %s",
			below(60), below(60), below(1000000), below(100000), below(1000000), below(10000), below(9),
			below(2) ? "cache hit" : "cache miss; block was read from disk")
	for (size = 0; size < 50000000; n++) {
		line = every && n % every == 0 ? frame[k++ % frames] : text[n % 4000]
		print line
		size += length(line) + 1
	}
}

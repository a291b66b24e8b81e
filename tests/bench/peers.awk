# SPDX-License-Identifier: MIT
# Draw how much less time and memory cairn takes than its peers, one dot per program, on a logarithmic axis:
#
#	awk -f peers.awk docs/performance/quick.md docs/performance/programs.md ... >docs/performance/peers.svg
#
# Reads the tables written by scripts/bench.sh. Each line of `wanted` is a prefix of the first column, the peer, and the label.
function want(prefix, peer, label) {
	prefixes[wanted] = prefix
	peers[wanted] = peer
	labels[wanted++] = label
}
BEGIN {
	FS = " *[|] *"
	wanted = 0
	want("the first address: ", "llvm-symbolizer", "first address of a program: llvm-symbolizer")
	want("the first address: ", "eu-addr2line", "first address: eu-addr2line")
	want("the first address: ", "addr2line", "first address: addr2line")
	want("the first address: ", "gdb", "first address: GDB")
	want("the first address: ", "lldb", "first address: LLDB")
	want("19000 addresses: ", "llvm-symbolizer", "19,000 addresses: llvm-symbolizer")
	want("gsym create: ", "llvm-gsymutil", "gsym create: llvm-gsymutil")
	want("symbfile create: ", "llvm-gsymutil (GSYM)", "symbfile create: llvm-gsymutil, GSYM")
	want("gsym lookup, ", "llvm-gsymutil", "gsym lookup: llvm-gsymutil")
	want("markup from DWARF, ", "llvm-symbolizer", "markup, only frames: llvm-symbolizer")
	want("50 MB of log", "llvm-symbolizer", "log of 50 MB: llvm-symbolizer")
	want("the core of ", "gdb", "stacks of a core: GDB")
	want("the core of ", "eu-stack", "stacks of a core: eu-stack")
	want("GDB, 50,000 frames by .sframe alone: ", "GDB, .eh_frame", "bt in GDB by .sframe: GDB by .eh_frame")
	want("GDB, 50,000 frames of an ordinary program: ", "GDB alone", "bt in GDB, no .sframe: GDB alone")
	want("GDB, symbols of a program: ", "GDB, DWARF", "symbols in GDB: GDB reading DWARF")
	units["ms"] = 0.001
	units["s"] = 1
}
# Return the seconds of "12 ms", or 0.
function seconds(text,   words) {
	split(text, words, " ")
	return words[1] * units[words[2]]
}
FNR == 1 { table = 0 }
$0 == "---" { table = 1 }
table && NF > 5 && seconds($3) > 0 {
	count = split($5, others, "; ")
	for (i = 0; i < wanted; i++)
		for (k = 1; k <= count; k++) {
			if (index($2, prefixes[i]) != 1 || index(others[k], peers[i] " ") != 1)
				continue
			rest = substr(others[k], length(peers[i]) + 2)
			# a peer with a longer name, or asked fewer questions
			if (rest !~ /^[0-9.]+ m?s, [0-9.]+ MB, [0-9.]+$/)
				continue
			split(rest, parts, ", ")
			dots[i]++
			times[i, dots[i]] = seconds(parts[1]) / seconds($3)
			memory[i, dots[i]] = parts[2] / $4
		}
}
function place_x(ratio) {
	if (ratio < 0.5)
		ratio = 0.5
	if (ratio > 500)
		ratio = 500
	return 330 + 460 * log(ratio / 0.5) / log(1000)
}
function place_y(row) {
	return 62 + 24 * row
}
function print_dots(values, row, dy, colour,   k) {
	for (k = 1; k <= dots[row]; k++)
		printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" fill-opacity=\"0.6\"/>", place_x(values[row, k]),
			place_y(row) + dy, colour
	print ""
}
END {
	bottom = place_y(wanted)
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 %d\" font-family=\"sans-serif\" font-size=\"12\">\n", bottom + 40
	printf "<rect width=\"820\" height=\"%d\" fill=\"white\"/>\n", bottom + 40
	print "<text x=\"20\" y=\"24\" font-size=\"14\">Peer / cairn; right of 1, cairn takes less. One dot per program or log.</text>"
	print "<circle cx=\"600\" cy=\"20\" r=\"3.5\" fill=\"#1b6ca8\"/><text x=\"610\" y=\"24\">processor time</text>"
	print "<circle cx=\"715\" cy=\"20\" r=\"3.5\" fill=\"#d68910\"/><text x=\"725\" y=\"24\">peak memory</text>"
	split("1 2 5 10 20 50 100 200 500", ticks, " ")
	for (k = 1; k in ticks; k++) {
		printf "<path d=\"M%.1f 44 V%d\" stroke=\"%s\"/>", place_x(ticks[k]), bottom, ticks[k] == 1 ? "#444" : "#ddd"
		printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", place_x(ticks[k]), bottom + 18, ticks[k]
	}
	for (i = 0; i < wanted; i++) {
		printf "<text x=\"320\" y=\"%d\" text-anchor=\"end\">%s</text>\n", place_y(i) + 4, labels[i]
		print_dots(times, i, -4, "#1b6ca8")
		print_dots(memory, i, 4, "#d68910")
	}
	print "</svg>"
}

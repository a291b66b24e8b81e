# SPDX-License-Identifier: MIT
# Growth of times: the exponents between 1, 10 and 100 times the work as a table of Markdown, or with -v svg=1 as
# a drawing. Lines of input: what, times, name, microseconds, kilobytes; the time for 0 is that of the start, and
# is taken off. An exponent of 1 is in proportion; n log n at these sizes is below 1.15.
function exponent(a, b) {
	return a > 0 && b > 0 ? log(b / a) / log(10) : 0
}
function net(what, size,   us) {
	us = time[what, size] - time[what, 0]
	return us > 0 ? us : 0
}
function print_table(   i, what, low, high) {
	print "| work | 1 | 10 | 100 | exponents | |"
	print "|---|--:|--:|--:|--:|---|"
	for (i = 0; i < count; i++) {
		what = names[i]
		# below the precision of a start the first step has no meaning
		low = net(what, 1) > 1000 ? sprintf("%.2f", exponent(net(what, 1), net(what, 10))) : "–"
		high = exponent(net(what, 10), net(what, 100))
		printf "| %s | %.1f ms | %.1f ms | %.1f ms | %s, %.2f | %s |\n", what, net(what, 1) / 1000,
			net(what, 10) / 1000, net(what, 100) / 1000, low, high, (high > 1.15 ? "worse than n log n" : "")
	}
}
function place_x(size) {
	return 70 + 330 * log(size) / log(100)
}
function place_y(us) {
	return 380 - 55 * log((us < 50 ? 50 : us) / 50) / log(10)
}
function print_drawing(   i, k, what, colour, us, size) {
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 430\" font-family=\"sans-serif\" font-size=\"12\">"
	print "<rect width=\"820\" height=\"430\" fill=\"white\"/>"
	print "<text x=\"70\" y=\"24\" font-size=\"14\">Processor time at 1, 10 and 100 times the work, without the start of the program; exponents of the last step</text>"
	for (us = 100; us <= 100000000; us *= 10) {
		printf "<path d=\"M70 %.1f H400\" stroke=\"#ddd\"/>", place_y(us)
		printf "<text x=\"64\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", place_y(us) + 4,
			us < 1000000 ? us / 1000 " ms" : us / 1000000 " s"
	}
	for (size = 1; size <= 100; size *= 10)
		printf "<text x=\"%.1f\" y=\"400\" text-anchor=\"middle\">%d times</text>\n", place_x(size), size
	printf "<path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"#888\" stroke-dasharray=\"5 4\"/>\n", place_x(1), place_y(100),
		place_x(100), place_y(10000)
	printf "<text x=\"440\" y=\"400\" fill=\"#666\">dashed: in proportion</text>\n"
	split("#1b6ca8 #c0392b #2e8b57 #8e44ad #d68910 #16a085 #7f8c8d #2c3e50 #e84393 #6d4c41", colours, " ")
	for (i = 0; i < count; i++) {
		what = names[i]
		colour = colours[i % 10 + 1]
		printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour
		for (size = 1; size <= 100; size *= 10)
			printf "%.1f,%.1f ", place_x(size), place_y(net(what, size))
		printf "\"/><rect x=\"420\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>", 52 + 22 * i, colour
		printf "<text x=\"440\" y=\"%d\">%s: %.2f</text>\n", 58 + 22 * i, what,
			exponent(net(what, 10), net(what, 100))
	}
	print "</svg>"
}
BEGIN { FS = "\t" }
{
	sub(/, times$/, "", $1)
	if (!($1 in seen)) {
		seen[$1] = 1
		names[count++] = $1
	}
	time[$1, $2] = $4
}
END {
	if (svg)
		print_drawing()
	else
		print_table()
}

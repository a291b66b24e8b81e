# SPDX-License-Identifier: MIT
# The comparisons of gsym.sh.  `kind` chooses one:
#	questions TABLE           the addresses of all rows, one a line
#	table TABLE GOT           answers as `lookup --lines` prints them, in the order of questions
#	frames TABLE GOT          the same, for tables that do not tell where functions begin
#	embed README              "FILE LIKE" for each row of the table about embed/
#	bad EXPECTED ANSWERS      the answers gathered by check_bad
#	differ EXPECTED GOT       the first line that differs
# Addresses have 64 bits and awk's numbers 53, so that they are kept in two halves.

BEGIN {
	FS = "\t"
	ALL = 65536   # rows of more addresses are asked at their ends only
	ENDS = 1000
}

function value(hex,   i, sum) {
	for (i = 1; i <= length(hex); i++)
		sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return sum + 0
}

# Splits 0x... into HIGH and LOW, of 32 bits and a carry.
function split_address(text) {
	text = substr(text, 3)
	LOW = value(length(text) > 8 ? substr(text, length(text) - 7) : text)
	HIGH = value(length(text) > 8 ? substr(text, 1, length(text) - 8) : "")
}

function address(high, low) {
	high += int(low / 4294967296)
	low %= 4294967296
	return high ? sprintf("0x%x%08x", high, low) : sprintf("0x%x", low)
}

# How many addresses a row has that are asked, and where each is.
function begin_row(start, end,   size) {
	split_address(start)
	row_high = HIGH
	row_low = LOW
	split_address(end)
	size = (HIGH - row_high) * 4294967296 + LOW - row_low
	row_skip = size > ALL
	row_size = row_skip ? 2 * ENDS : size
	row_end_high = HIGH
	row_end_low = LOW
}

function row_address(i) {
	if (row_skip && i >= ENDS) {
		i = 2 * ENDS - i
		if (row_end_low < i)
			return address(row_end_high - 1, row_end_low + 4294967296 - i)
		return address(row_end_high, row_end_low - i)
	}
	return address(row_high, row_low + i)
}

# The frames of a row, without what LLVM says.
function row_frames(   i, text) {
	for (i = 3; i <= NF && $i !~ /^# llvm:/; i++)
		text = text (i > 3 ? "\t" : "") $i
	return text
}

# The frames of an answer as they stand in tables: "-" for nothing found.
function answer_frames(line,   n, field, i, text) {
	n = split(line, field, " ")
	for (i = 4; i <= n && field[i] != "same-code"; i++)
		if (kind != "frames" || (i - 4) % 3 != 1)
			text = text (i > 4 ? "\t" : "") field[i]
	gsub(/\\x20/, " ", text)
	gsub(/\\\\/, "\\", text)
	return n < 4 ? "-" : text
}

function complain(where, expected, got) {
	printf "gsym: %s: %s: expected %s, got %s\n", name, where, expected, got
}

kind == "questions" && /^0x/ {
	begin_row($1, $2)
	for (i = 0; i < row_size; i++)
		print row_address(i)
	next
}

(kind == "table" || kind == "frames") && FNR == NR {
	if (/^0x/) {
		rows++
		row_start[rows] = $1
		row_end[rows] = $2
		expected[rows] = row_frames()
	}
	next
}

# Answers arrive in the order of the questions.
kind == "table" || kind == "frames" {
	while (left == 0 && row < rows) {
		if (row && !row_bad)
			passed++
		row++
		row_bad = 0
		begin_row(row_start[row], row_end[row])
		left = row_size
		at = 0
	}
	left--
	want_outcome = expected[row] == "-" ? "not-found" : "ok"
	got = answer_frames($0)
	split($0, word, " ")
	if (!row_bad && (word[1] != row_address(at) || word[2] != want_outcome || got != expected[row])) {
		complain(row_address(at), expected[row], word[2] " " got)
		row_bad = 1
	}
	at++
	next
}

kind == "embed" {
	if (/^## /)
		inside = /^## embed/
	if (inside && match($0, /(v1|v2|hand|seg)\/[^ ;|]*\.gsym/)) {
		like = substr($0, RSTART, RLENGTH)
		split($0, cell, "|")
		gsub(/[ `]/, "", cell[2])
		print cell[2], like
	}
	next
}

kind == "bad" && FNR == NR {
	if (FNR > 1) {
		n++
		bad_file[n] = $1
		outcome[n] = $3
		status[n] = tolower($4)
		fault[n] = $5
		frames[n] = $6
		verify[n] = tolower($7)
		verify_fault[n] = $8
	}
	next
}

# The offset may be anywhere in a field; in a file shorter than its header anywhere.
function near(got, want, size) {
	if (want == "-")
		return 1
	if (size < 48 && want <= size)
		return got <= size
	return got >= want && got < want + 8
}

function check_lookup(i, size, result, line,   field, got, want) {
	split(line, field, " ")
	if (outcome[i] == "open") {
		if (line != "" || result != 3)
			complain(bad_file[i], "a file that is refused", line " " result)
		else
			passed++
		return
	}
	got = answer_frames(line)
	gsub(/\t/, " ", got)
	want = outcome[i] == "ok" ? "ok" : status[i]
	if (field[2] != want || (want != "ok" && !near(field[3], fault[i], size)) ||
	    (got != frames[i] && got != "-" && frames[i] != "-") || (got == "-") != (frames[i] == "-"))
		complain(bad_file[i], want " " fault[i] " " frames[i], line)
	else
		passed++
}

function finish_verify(i, size, result) {
	if (verify[i] == "-" ? result != 0 : (result != 3 || !flaw_found))
		complain(bad_file[i], "verify to say " verify[i] " " verify_fault[i], flaws)
	else
		passed++
}

kind == "bad" {
	if (/^L /) {
		split($0, word, " ")
		i++
		file_size = word[3]
		lookup_result = word[4]
		lookup_line = ""
		part = "L"
	} else if (/^V /) {
		check_lookup(i, file_size, lookup_result, lookup_line)
		verify_result = substr($0, 3)
		flaws = ""
		flaw_found = 0
		part = "V"
	} else if (/^C /) {
		if (part == "V")
			finish_verify(i, file_size, verify_result)
		part = "C"
		if (substr($0, 3) > 3)
			complain(bad_file[i], "no crash", "exit status " substr($0, 3))
	} else if (part == "L") {
		lookup_line = $0
	} else if ($1 == "F") {
		flaws = flaws " " $2 " " $3
		if ($2 == verify[i] && near($3, verify_fault[i], file_size))
			flaw_found = 1
	}
	next
}

kind == "differ" && FNR == NR {
	line[FNR] = $0
	lines = FNR
	next
}

kind == "differ" && !differs && (FNR > lines || line[FNR] != $0) {
	complain("line " FNR, line[FNR], $0)
	differs = 1
}

kind == "differ" {
	got_lines = FNR
}

END {
	if (kind == "table" || kind == "frames") {
		if (row && !row_bad)
			passed++
		if (left > 0 || row < rows)
			complain("row " row, rows " rows answered", "an end after " row)
	}
	if (kind == "differ" && !differs)
		complain("end", lines " lines", got_lines + 0)
	if (kind == "table" || kind == "frames" || kind == "bad")
		print "PASS " passed + 0
}

# SPDX-License-Identifier: MIT
# What GDB printed in a session, in the words of the session: play.sh.  The first file is the session, the second the
# output, in which "<<N>>" stands before what command N printed.

# place TEXT: "name file:line", "name" or "??" of a frame; GDB's own words are before and after it
function place(text, name, at) {
	sub(/^#[0-9]+ +/, "", text)
	sub(/^0x[0-9a-f]+ in /, "", text)
	at = ""
	if (match(text, / at [^ ]*:[0-9]+$/)) {
		at = substr(text, RSTART + 4)
		sub(/.*\//, " ", at)
		if (at !~ /^ /)
			at = " " at
		text = substr(text, 1, RSTART - 1)
	}
	sub(/ from [^ ]*$/, "", text)
	match(text, / \([^()]*\)$/)
	name = RSTART ? substr(text, 1, RSTART - 1) : text
	return name at
}
function base(file) {
	sub(/.*\//, "", file)
	return file
}
function end_answer() {
	end_listed()
	if (words[1] == "count")
		print "  " lines " lines"
	lines = 0
}
function breakpoint(line) {
	if (line ~ /^(Breakpoint [0-9]+ \(.*\) pending|Make breakpoint pending)/)
		print "  pending"
	else if (match(line, /: file .*, line [0-9]+\.$/)) {
		line = substr(line, RSTART + 7)
		sub(/, line /, ":", line)
		sub(/\.$/, "", line)
		print "  " base(line)
	} else if (match(line, /\([0-9]+ locations\)/))
		print "  " substr(line, RSTART + 1, RLENGTH - 12) " places"
	else if (line ~ /^Breakpoint [0-9]+ at 0x[0-9a-f]+$/)
		print "  no line"
}
function end_listed() {
	if (listed != "")
		print "  " listed
	listed = ""
}
function list_breakpoint(line, where) {
	where = ""
	if (line ~ /<PENDING>/)
		where = " pending"
	else if (match(line, / at [^ ]*:[0-9]+$/))
		where = " " base(substr(line, RSTART + 4))
	else if (line ~ / 0x[0-9a-f]+/)
		where = " no line"
	if (line ~ /^[0-9]+ +breakpoint /) {
		end_listed()
		split(line, word, " ")
		listed = word[1] (word[4] == "n" ? " off" : "") where
	} else if (line ~ /^[0-9]+\.[0-9]+ /)
		listed = listed where
}

NR == FNR {
	if (/^#/)
		comment[count + 1] = comment[count + 1] $0 "\n"
	else if (!/^ /)
		kind[++count] = $0
	hooked = hooked || /^at-stop /
	next
}
/^<<[0-9]+>>$/ {
	end_answer()
	now = substr($0, 3, length($0) - 4) + 0
	printf "%s%s\n", comment[now], kind[now]
	split(kind[now], words, " ")
	next
}
words[1] == "stack" && /^#[0-9]+ / { print "  " place($0); next }
words[1] == "cairn" && !/^#[0-9]+  [^ ]/ { print "  " $0; next }
words[1] == "count" { lines++; next }
words[1] == "quietly" { next }
# what cairn printed at a stop; at a breakpoint LLDB shows no more than what the last command printed
hooked && (words[1] == "run" || words[1] == "continue") && /^#[0-9]+   / { print "  " $0; next }
words[1] == "break" { breakpoint($0); next }
words[1] == "breakpoints" { list_breakpoint($0); next }
words[1] == "list" && /^[0-9]+\t/ { sub(/\t/, " "); gsub(/\t/, ""); print "  " $0; next }
/^#[0-9]+ / && words[1] == "at-breakpoint" { next }
/ exited normally\]$/ { print "  exited" }
END { end_answer() }

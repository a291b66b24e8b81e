# SPDX-License-Identifier: MIT
# What LLDB printed in a session, in the words of the session: play.sh.  The first file is the session, the second the
# output, in which "(lldb) # N" stands before what command N printed.  Frames have the format that play.sh sets.

# place TEXT: "name file:line", "name" or "??" of a frame, without arguments
function place(text, at) {
	sub(/.*FRAME /, "", text)
	sub(/ +$/, "", text)
	at = ""
	if (match(text, / [^ ]*:[0-9]+$/)) {
		at = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
	}
	sub(/.* \[inlined\] /, "", text)
	sub(/^___lldb_unnamed_symbol[^ ]*/, "??", text)
	sub(/^::/, "", text)
	if (match(text, /\([^()]*\)$/) && substr(text, RSTART) != "(anonymous namespace)")
		text = substr(text, 1, RSTART - 1)
	return (text == "" ? "??" : text) at
}
function base(file) {
	sub(/.*\//, "", file)
	return file
}
# line_of TEXT: "file:line" after the last " at ", without the column
function line_of(text) {
	sub(/, address = .*/, "", text)
	if (!match(text, /.* at /))
		return "no line"
	text = substr(text, RLENGTH + 1)
	if (text ~ /:[0-9]+:[0-9]+$/)
		sub(/:[0-9]+$/, "", text)
	return base(text)
}
function end_answer() {
	end_listed()
	if (words[1] == "count")
		print "  " lines " lines"
	lines = 0
}
function breakpoint(line) {
	if (line ~ /: no locations \(pending\)\.$/)
		print "  pending"
	else if (line ~ /^Breakpoint [0-9]+: [0-9]+ locations\.$/) {
		split(line, word, " ")
		print "  " word[3] " places"
	} else if (line ~ /^Breakpoint [0-9]+: where = /)
		print "  " line_of(line)
}
function end_listed() {
	if (listed != "")
		print "  " listed (places == "" ? " pending" : places)
	listed = places = ""
}
# a location of a module that is not there any more is kept, unresolved
function list_breakpoint(line) {
	if (line ~ /^[0-9]+: /) {
		end_listed()
		split(line, word, ":")
		listed = word[1] (line ~ /Options:.* disabled/ ? " off" : "")
	} else if (line ~ /^ +[0-9]+\.[0-9]+: where = /)
		places = places " " line_of(line)
}

NR == FNR {
	if (/^#/)
		comment[count + 1] = comment[count + 1] $0 "\n"
	else if (!/^ /)
		kind[++count] = $0
	hooked = hooked || /^at-stop /
	next
}
/^\(lldb\) # [0-9]+$/ {
	end_answer()
	now = $3
	printf "%s%s\n", comment[now], kind[now]
	split(kind[now], words, " ")
	next
}
/^\(lldb\) / { next }
# what comes after main is the C library's
words[1] == "stack" && /FRAME / {
	if (!ended[now])
		print "  " place($0)
	ended[now] = ended[now] || place($0) ~ /^main /
	next
}
# without its package of Python LLDB complains now and then
/^Traceback / || /^  File "<string>", line 1, in <module>$/ || /^(NameError|ModuleNotFoundError): / ||
	/^Exception ignored in PyObject_HasAttr\(\)/ { next }
/^warning: failed to set breakpoint site/ || /^Process [0-9]+ detached/ || /^[0-9]+ locations? added to breakpoint / || /^Process [0-9]+ exited with status = 9 / { next }
words[1] == "cairn" && !/FRAME / { sub(/^error: /, "cairn: "); print "  " $0; next }
words[1] == "count" { lines++; next }
words[1] == "quietly" { next }
# what cairn printed at a stop; at a breakpoint LLDB shows no more than what the last command printed
hooked && (words[1] == "run" || words[1] == "continue") && /^#[0-9]+   / { print "  " $0; next }
words[1] == "break" { breakpoint($0); next }
words[1] == "breakpoints" { list_breakpoint($0); next }
# it shows one line more than it was asked for
words[1] == "list" && /^ +[0-9]+ *\t/ && !shown[now]++ { sub(/^ +/, ""); sub(/ *\t/, " "); gsub(/\t/, ""); print "  " $0; next }
/^Process [0-9]+ exited with status = 0 / { print "  exited" }
END { end_answer() }

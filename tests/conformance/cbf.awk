# SPDX-License-Identifier: MIT
# The comparisons of cbf.sh: awk -v kind=KIND -v name=NAME -f cbf.awk role=expected EXPECTED
# role=got GOT.  With kind=text it prints what the key "json" holds.

function report(where, expected, got)
{
	if (expected == got)
		passed++
	else
		printf "cbf: %s: %s: expected %s, got %s\n", name, where, expected,
		       got == "" ? "nothing" : got
}

# A JSON string without its quotes, as text.
function unescaped(text, out, at)
{
	out = ""
	while ((at = index(text, "\\"))) {
		out = out substr(text, 1, at - 1)
		c = substr(text, at + 1, 1)
		out = out (c == "n" ? "\n" : c == "t" ? "\t" : c == "r" ? "\r" : c)
		text = substr(text, at + 2)
	}
	return out text
}

# The string of a key, as it stands; "null" when it is no string.
function member(line, key, at, text, size)
{
	at = index(line, "\"" key "\": ")
	if (!at)
		return ""
	text = substr(line, at + length(key) + 4)
	if (substr(text, 1, 1) != "\"") {
		match(text, /^[^,}\]]*/)
		return substr(text, 1, RLENGTH)
	}
	text = substr(text, 2)
	for (size = 0; (at = substr(text, size + 1, 1)) != "\"" && at != ""; size++)
		if (at == "\\")
			size++
	return substr(text, 1, size)
}

# A list of strings as words with commas, "-" when it is empty.
function list(line, key, at, text)
{
	at = index(line, "\"" key "\": [")
	text = substr(line, at + length(key) + 5)
	text = substr(text, 1, index(text, "]") - 1)
	gsub(/[" ]/, "", text)
	return text == "" ? "-" : text
}

# What decode --lines printed: frames, and how each sequence of a record ended.
function take_line(record)
{
	if ($1 == "F")
		pending = pending (pending == "" ? "" : " ") $3
	if ($1 != "E")
		return
	record = $2
	frames[record] = pending == "" ? "-" : pending
	status[record] = $4
	offset[record] = $5
	warnings[record] = $7
	problems[record] = $8
	images[record] = $9
	bytes[record] = $10
	sequences[record] = sequences[record] \
		(sequences[record] == "" ? "" : "\t") $3 ":" $4 "@" $5 ":" frames[record]
	pending = ""
}

role == "got" && kind ~ /^(decode|stream|codable)$/ { take_line(); next }

kind == "text" { printf "%s", unescaped(member($0, "json")); exit }

# decode: bytes, status, offset, frames, warnings, and what Swift says.
kind == "decode" { lines++; expected[lines] = $2 "\t" $3 "\t" $4 "\t" $5; next }

function end_decode(i)
{
	for (i = 1; i <= lines; i++)
		report("line " i, expected[i],
		       status[i] "\t" offset[i] "\t" frames[i] "\t" warnings[i])
}

# stream: bytes, and each sequence.
kind == "stream" { lines++; expected[lines] = substr($0, index($0, "\t") + 1); next }

function end_stream(i)
{
	for (i = 1; i <= lines; i++)
		report("line " i, expected[i], sequences[i])
}

# encode: one line each; "crash" is what Swift does, and nobody has to do that.
kind == "encode" && role == "expected" { expected[++lines] = $0; next }
kind == "encode" { got[++printed] = $0; next }

function end_encode(i)
{
	for (i = 1; i <= lines; i++)
		if (expected[i] != "crash")
			report("line " i, expected[i], got[i])
}

# maps: what decode --image-map --json prints, from "status" to "warnings"; without blanks.
function normal(line, from, to)
{
	from = index(line, "\"status\":")
	line = substr(line, from)
	to = index(line, "\"warnings\":")
	line = substr(line, 1, to - 1) substr(line, to, index(substr(line, to), "]"))
	gsub(/ /, "", line)
	gsub(/\\u007f/, "\177", line)
	return line
}

kind == "maps" && role == "expected" { expected[++lines] = normal($0); next }
kind == "maps" { got[++printed] = normal($0); next }

function end_maps(i)
{
	for (i = 1; i <= lines; i++)
		report("line " i, expected[i], got[i])
}

# codable: one object in one file; a damaged map without images is no map.
kind == "codable" {
	lines++
	count = member($0, "image_count")
	where = member($0, "name")
	expected[1] = member($0, "cbf") "\t" member($0, "status") "\t" member($0, "frames") "\t" \
		      (count == "null" ? 0 : count)
	expected[2] = index($0, "\"problems\":") ? list($0, "problems") : "-"
	broken = index($0, "\"result\":") && member($0, "result") != "ok"
	next
}

function end_codable(shown)
{
	if (broken) {
		report(where, "no result", 1 in status ? "a result" : "no result")
		return
	}
	shown = bytes[1] == "-" ? "" : bytes[1]
	report(where, expected[1],
	       shown "\t" status[1] "\t" frames[1] "\t" (images[1] == "-" ? 0 : images[1]))
	report(where ": problems", expected[2], problems[1])
}

# images: a list of lists of base, end, build ID and path; and decode --json.
kind == "images" {
	gsub(/[ \n\t]/, "")
	gsub(/"(base|end|id|path)":/, "")
	gsub(/[{]/, "[")
	gsub(/[}]/, "]")
	if (role == "expected")
		whole = whole $0
	else if (match($0, /"images":\[+[^]]/))
		got[++printed] = substr($0, RSTART + 9)
	next
}

# Build IDs and paths, in any order.
function files_of(whole_list, parts, names, i, j, n, text)
{
	n = split(whole_list, parts, /\],\[/)
	for (i = 1; i <= n; i++) {
		text = parts[i]
		gsub(/[][]/, "", text)
		sub(/^"[^"]*","[^"]*",/, "", text)
		for (j = i; j > 1 && names[j - 1] > text; j--)
			names[j] = names[j - 1]
		names[j] = text
	}
	text = ""
	for (i = 1; i <= n; i++)
		text = text names[i] "\n"
	return text
}

# Swift may take its own mapping of a file for the image, so one may lie elsewhere.
function end_images(i, matched)
{
	for (i = 1; i <= printed; i++) {
		got[i] = substr(got[i], 1, index(got[i], "]]") + 1)
		if (got[i] == whole)
			matched = "the list"
		report("object " i, files_of(whole), files_of(got[i]))
	}
	report("one object", "the list", matched)
}

# find: lantern.expect.json, one key a line, and find --arrays --lines.
kind == "find" && role == "expected" {
	key = $0
	sub(/^ *"/, "", key)
	sub(/".*/, "", key)
	value = $0
	sub(/^[^:]*: */, "", value)
	gsub(/[",]*$|^"/, "", value)
	take_expected()
	next
}

function take_expected()
{
	if (/^ "[a-zA-Z_0-9]*":/)
		part = key
	if (key == "uint8_array_class")
		class = value
	if (part == "images" && key ~ /^(path|build_id|base|end_of_text)$/) {
		image[key] = value
		if (key == "end_of_text")
			wanted_images = wanted_images image["base"] " " value " " \
				image["build_id"] " " image["path"] "\n"
	}
	if (part == "byte_stream")
		take_stream()
	if (part != "live_backtraces")
		return
	trace[key] = value
	if (key == "frames")
		wanted[trace["array"]] = trace["architecture"] " " trace["images"] " " \
			trace["cbf"] " " trace["status"] " " value
}

function take_stream()
{
	if (key == "array")
		stream_at = value
	else if (key == "bytes")
		stream_bytes = value
	else if (/^   "[0-9]/) {
		gsub(/^ *"|",?$/, "")
		stream = stream (stream == "" ? "" : "\t") $0
	}
}

kind == "find" && $1 == "A" {
	at = $3
	found[at] = $4
	architecture[at] = $5
	if ($7 != class)
		printf "cbf: %s: %s: expected class %s, got %s\n", name, at, class, $7
	sequences[$2] = ""
	stream_got = ""
	next
}
kind == "find" && $1 == "I" { list_of[at] = list_of[at] $2 " " $3 " " $4 " " $5 "\n"; next }
kind == "find" {
	take_line()
	if ($1 == "E") {
		result[at] = architecture[at] " " $9 " " $10 " " $4 " " frames[$2]
		joined[at] = joined[at] $10
		walked[at] = sequences[$2]
	}
	next
}

function end_find(i)
{
	for (i in wanted)
		report(i, wanted[i], result[i])
	for (i in found)
		if (found[i] != "array" && !(i in wanted))
			report(i, "nothing", result[i])
	report("byte stream", stream_bytes "\t" stream, joined[stream_at] "\t" walked[stream_at])
	for (i in list_of)
		if (list_of[i] == wanted_images)
			matched = "the images"
	report("images", "the images", matched)
}

# symbols: "symbolicated" of lantern.expect.json, and find --lines with the executable.  The
# backtraces have names there and arrays in the output.
kind == "symbols" && role == "expected" {
	if (/^ "[a-zA-Z_0-9]*":/)
		list_name = $0
	key = $0
	sub(/^ *"/, "", key)
	sub(/".*/, "", key)
	value = $0
	sub(/^[^:]*: */, "", value)
	gsub(/[",]*$|^"/, "", value)
	if (list_name ~ /"live_backtraces"/ && key == "name")
		name_now = value
	if (list_name ~ /"live_backtraces"/ && key == "array")
		array_of[name_now] = value
	if (list_name !~ /"symbolicated"/)
		next
	trace[key] = value
	if (key == "source") {
		sub(/:[0-9]*$/, "", value) # the column
		wanted[array_of[trace["backtrace"]] " " trace["frame"]] = trace["symbol"] " " \
			trace["offset"] " " value
	}
	next
}
# There each frame of a run has a number, and an omission one.
kind == "symbols" && $1 == "A" { at = $3; number = following = 0; next }
kind == "symbols" && $1 == "F" {
	number = following
	following += $3 ~ /\*/ ? substr($3, index($3, "*") + 1) : 1
	next
}
kind == "symbols" && $1 == "S" { got[at " " number] = $3 " " $4 " " $5; next }

function end_symbols(i)
{
	for (i in wanted)
		report("frame " i, wanted[i], got[i])
}

END {
	if (kind == "symbols") end_symbols()
	if (kind == "decode") end_decode()
	if (kind == "stream") end_stream()
	if (kind == "encode") end_encode()
	if (kind == "maps") end_maps()
	if (kind == "codable") end_codable()
	if (kind == "images") end_images()
	if (kind == "find") end_find()
	if (kind != "text") print "PASS " passed + 0
}

# SPDX-License-Identifier: MIT
# The comparisons of sframe.sh: awk -v kind=KIND -v name=NAME -f sframe.awk EXPECTED... GOT.
# The last file is what cairn printed, the ones before it say what it should have printed.

function fail(where, expected, got)
{
	printf "sframe: %s: %s: expected %s, got %s\n", name, where, expected,
	       got == "" ? "nothing" : got
}

function report(where, expected, got)
{
	if (expected == got)
		passed++
	else
		fail(where, expected, got)
}

# Addresses as text that sorts like the numbers.
function padded(hex)
{
	return substr("0000000000000000" substr(hex, 3), length(hex) - 1)
}

FNR == 1 { part++ }

# dump: line by line, the first difference only.
kind == "dump" && FILENAME == ARGV[1] { expected[++lines] = $0; next }
kind == "dump" { got[++printed] = $0; next }

function end_dump(i)
{
	for (i = 1; i <= lines || i <= printed; i++)
		if (expected[i] != got[i]) {
			fail("line " i, expected[i] == "" ? "nothing" : expected[i], got[i])
			return
		}
}

# map: four answers for each line, in the order low, high - 1, low - 1, high.
kind == "map" && FILENAME == ARGV[1] {
	low[++lines] = $1
	high[lines] = $2
	rule[lines] = $3 " " $4 " " $5 " " $6
	next
}
kind == "map" { got[++printed] = ($2 == "ok" ? $6 " " $7 " " $8 " " $9 : $2); next }

function end_map(i, at)
{
	for (i = 1; i <= lines; i++) {
		report(low[i], rule[i], got[++at])
		report(high[i] " - 1", rule[i], got[++at])
		report(low[i] " - 1", high[i - 1] == low[i] ? rule[i - 1] : "not-found", got[++at])
		report(high[i], low[i + 1] == high[i] ? rule[i + 1] : "not-found", got[++at])
	}
}

# hostile: status, offset and rule; the exit status is the last word.
kind == "hostile" && FILENAME == ARGV[1] {
	split($0, column, "\t")
	status = tolower(column[4])
	gsub(/_/, "-", status)
	where[++lines] = column[1] ": " column[3]
	exits = status == "ok" ? 0 : status == "not-found" ? 1 : 3
	wanted[lines] = status " at " column[5] ", rule " (status == "ok" ? column[6] : "- - - -") ", exit status " exits
	next
}
kind == "hostile" {
	report(where[FNR], wanted[FNR], $2 " at " $3 ", rule " $6 " " $7 " " $8 " " $9 ", exit status " $10)
	answered = FNR
	next
}

function end_hostile(i)
{
	for (i = answered + 1; i <= lines; i++)
		fail(where[i], wanted[i], "")
}

# vectors: all lines of a section at once.
kind == "vectors" && $1 == "V" {
	current = $2
	if (FILENAME == ARGV[1])
		order[++lines] = current
	next
}
kind == "vectors" && FILENAME == ARGV[1] { wanted[current] = wanted[current] "; " $0; next }
kind == "vectors" { got[current] = got[current] "; " $0; next }

function end_vectors(i)
{
	for (i = 1; i <= lines; i++)
		report(order[i], wanted[order[i]], got[order[i]])
}

# known: map, list of known differences, what verify found.  The list ends a range where the line
# of the map ends or the next difference begins; verify ends it at the first byte that is equal
# again, which may be earlier inside the same line.  Generated programs (grove) and those of
# linkers other than GNU ld are not listed: of these _start may differ, as outermost frame.
kind == "known" && FILENAME == ARGV[1] {
	low[++lines] = padded($1)
	high[lines] = $2
	next
}
kind == "known" && FILENAME == ARGV[2] {
	split($0, column, "\t")
	if (column[1] == name) {
		listed[++known] = column[2]
		ends[known] = column[3]
		what[known] = column[4] "\t" column[5] "\t" column[6]
	}
	next
}
kind == "known" {
	split($0, column, "\t")
	if (column[1] == "E")
		fail("byte " column[2], "no fault", column[4])
	if (column[1] != "D")
		next
	found[++differences] = column[2]
	until[differences] = column[3]
	how[differences] = column[4] "\t" column[5] "\t" column[6]
	next
}

function line_end(address, i, end)
{
	for (i = 1; i <= lines && low[i] <= padded(address); i++)
		end = high[i]
	return end
}

function range(from, to, text)
{
	gsub(/\t/, " | ", text)
	return from == "" ? "no difference" : from ".." to " " text
}

function same_range(i)
{
	if (listed[i] != found[i] || what[i] != how[i])
		return 0
	return ends[i] == until[i] ||
	       (padded(until[i]) < padded(ends[i]) && ends[i] == line_end(listed[i]))
}

function end_known(i, failures)
{
	if (known == 0 && differences == 1 && how[1] ~ /^outermost\t/ && name ~ /grove|-lld$|-mold$/)
		differences = 0
	for (i = 1; i <= known || i <= differences; i++)
		if (!same_range(i)) {
			fail("against .eh_frame", range(listed[i], ends[i], what[i]), range(found[i], until[i], how[i]))
			failures++
		}
	if (!failures)
		passed++
}

END {
	if (kind == "dump")
		end_dump()
	else if (kind == "map")
		end_map()
	else if (kind == "hostile")
		end_hostile()
	else if (kind == "vectors")
		end_vectors()
	else if (kind == "known")
		end_known()
	if (passed)
		print "PASS " passed
}

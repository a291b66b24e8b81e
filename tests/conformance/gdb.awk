# SPDX-License-Identifier: MIT
# awk -v name=NAME -f gdb.awk README role=transcript TRANSCRIPT role=got GOT
#
# What the README says of every transcript, and what the transcript itself says of each module, read
# here a second time in another way, against the modules that were found.
BEGIN { role = "readme"; FS = "\t" }

role == "readme" { readme = readme " " $0; next }

# "TAB 0x.. - 0x.. is .text in NAME"; everything else but the heading of a core is of no interest
role == "transcript" {
	if ($0 ~ /^\t`/)
		core = 0
	if ($0 !~ /^\t0x[0-9a-f]+ - 0x[0-9a-f]+ (@ 0x[0-9a-f]+ )?is /)
		next
	split($2, word, " ")
	section = $2
	sub(/^.* is /, "", section)
	owner = ""
	if (match(section, / in /)) {
		owner = substr(section, RSTART + 4)
		section = substr(section, 1, RSTART - 1)
	}
	sub(/^target:/, "", owner)
	if (owner == "" && section ~ /^load[0-9]+[ab]?$/)
		next
	if (word[1] == word[3])
		next
	if (!((owner, "low") in said)) {
		owners++
		said[owner, "low"] = word[1]
		said[owner, "high"] = word[3]
	}
	# equally wide numbers compare as text
	if (word[1] < said[owner, "low"])
		said[owner, "low"] = word[1]
	if (word[3] > said[owner, "high"])
		said[owner, "high"] = word[3]
	said[owner, section] = short(word[1]) "-" short(word[3])
	next
}

role == "got" {
	found++
	owner = $1 == "program" ? "" : $2
	if ($1 == "program")
		program = found
	base = $2
	sub(/.*\//, "", base)
	names[found] = base
	machine[found] = $4
	text[found] = $6
	sframe[found] = $7
	header[found] = $8
	check(base " range", short(said[owner, "low"]) "-" short(said[owner, "high"]), $5)
	check(base " .text", section_of(owner, ".text"), $6)
	check(base " .sframe", section_of(owner, ".sframe"), $7)
	check(base " .eh_frame_hdr", section_of(owner, ".eh_frame_hdr"), $8)
	check(base " .eh_frame", section_of(owner, ".eh_frame"), $9)
}

END {
	check("modules", owners + 0, found + 0)
	check_readme()
	print "PASS " passed + 0
}

function section_of(owner, section) {
	return (owner, section) in said ? said[owner, section] : "-"
}

function short(number) {
	sub(/^0x0+/, "0x", number)
	return number == "0x" ? "0x0" : number
}

function check(what, expected, got) {
	if (expected == got)
		passed++
	else
		printf "gdb: %s: %s: expected %s, got %s\n", name, what, expected, got
}

# "`.text` 0x1000-0x2000" in the README, with any dash
function promised(section,    rest, part) {
	rest = readme
	if (!match(rest, "`" section "` 0x[0-9a-f]+[^0-9a-fx]+0x[0-9a-f]+"))
		return ""
	rest = substr(rest, RSTART, RLENGTH)
	sub(/^.*` /, "", rest)
	part = rest
	sub(/[^0-9a-fx].*/, "", rest)
	sub(/.*[^0-9a-fx]/, "", part)
	return rest "-" part
}

function check_readme(    range) {
	if (match(readme, /\(machine [a-z0-9_-]+\)/)) {
		range = substr(readme, RSTART + 9, RLENGTH - 10)
		check("machine", range == "x86-64" ? "amd64" : range, machine[program])
	}
	if ((range = promised("\\.text")) != "")
		check("README .text", range, text[program])
	if ((range = promised("\\.sframe")) != "")
		check("README .sframe", range, sframe[program])
	if (readme ~ /no `\.eh_frame_hdr` of its own/)
		check("README .eh_frame_hdr", "-", header[program])
	if (match(readme, /further modules \([^)]*\)/))
		check_libraries(substr(readme, RSTART, RLENGTH))
}

# "further modules (`a.so`, `b.so`)"; a name that ends with an address stands for any address
function check_libraries(list,    count, i, k, wanted, part, hit) {
	count = split(list, part, "`")
	for (i = 2; i <= count; i += 2) {
		wanted = part[i]
		sub(/0x.*/, "0x", wanted)
		hit = 0
		for (k = 1; k <= found; k++)
			if (k != program && index(names[k], wanted) == 1)
				hit = k
		check(wanted, "found", hit ? "found" : "missing")
		if (readme ~ /each with `\.eh_frame_hdr` *and without `\.sframe`/) {
			check(wanted " has .eh_frame_hdr", 1, hit && header[hit] != "-")
			check(wanted " has .sframe", 0, hit && sframe[hit] != "-")
		}
	}
	check("modules by the README", int(count / 2) + 1, found)
}

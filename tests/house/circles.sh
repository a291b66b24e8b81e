#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do files of one folder use each other in both directions, without being named in the block
# "circles" of docs/architecture.md?  A file uses another one when its object needs a symbol that
# the object of the other one defines.  Prints each circle that is not named, and each one named
# that is not there.
#
#	circles.sh BUILD [ROOT]

build=$1
cd "${2:-.}" || exit 1
if ! command -v nm >/dev/null; then
	echo "circles: nm is not there"
	exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "object source" for each source of core/ and plugin/ that was compiled, once.
awk -v root="$(pwd)/" '
/^ *"file": / { source = $0; sub(/^ *"file": "/, "", source); sub(/",?$/, "", source) }
/^ *"output": / {
	object = $0; sub(/^ *"output": "/, "", object); sub(/",?$/, "", object)
	if (index(source, root) == 1) source = substr(source, length(root) + 1)
	# from a build folder outside the tree, the path passes through folders above it
	if (source ~ /^\.\.\//) while (source !~ /^(core|plugin)\// && sub(/^[^\/]*\//, "", source)) ;
	if (source !~ /^(core|plugin)\// || source ~ /absent\.c$/ || seen[source]++) next
	print object, source
}' "$build/compile_commands.json" >"$work/list"
root=$(pwd)
cd "$build" || exit 1
cut -d ' ' -f 1 "$work/list" | while read -r object; do
	[ ! -f "$object" ] || echo "$object"
done | xargs nm -A -P >"$work/symbols" 2>"$work/errors" || echo unreadable >"$work/symbols"
cd "$root" || exit 1
if ! grep -q ' [TDBRVW] ' "$work/symbols"; then
	echo "circles: nm does not read the objects of $build"
	exit 77
fi

awk '
function fail(what) { print what; failed = 1 }
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function name_of(path) { sub(/^.*\//, "", path); return path }

# folder name...: a circle that the page names.
FILENAME == "docs/architecture.md" {
	if (/^```/) block = /^```circles$/
	else if (block && NF) named[$0] = 1
	next
}
FILENAME ~ /list$/ { source_of[$1 ":"] = $2; file[++files] = $2; next }
$3 ~ /^[TDBRVW]$/ { owner[$2] = source_of[$1] }
$3 == "U" { needs[++need] = source_of[$1] SUBSEP $2 }

END {
	for (i = 1; i <= need; i++) {
		split(needs[i], pair, SUBSEP)
		to = owner[pair[2]]
		if (to != "" && to != pair[1] && folder_of(to) == folder_of(pair[1]))
			reaches[pair[1], to] = 1
	}
	for (i = 1; i <= files; i++) members[folder_of(file[i])] = members[folder_of(file[i])] " " file[i]
	for (folder in members) {
		count = split(members[folder], m, " ")
		for (k = 1; k <= count; k++)
			for (i = 1; i <= count; i++)
				if ((m[i], m[k]) in reaches)
					for (j = 1; j <= count; j++)
						if ((m[k], m[j]) in reaches) reaches[m[i], m[j]] = 1
		report(folder, count)
	}
	for (line in named) if (!met[line]) fail("docs/architecture.md: not a circle: " line)
	exit failed
}

# Each circle of a folder, its files in the order of the alphabet.
function report(folder, count,   i, j, line) {
	for (i = 1; i <= count; i++)
		for (j = i; j > 1 && m[j] < m[j - 1]; j--) {
			line = m[j]; m[j] = m[j - 1]; m[j - 1] = line
		}
	for (i = 1; i <= count; i++) {
		if (!((m[i], m[i]) in reaches) || m[i] in told) continue
		line = folder
		for (j = 1; j <= count; j++)
			if (((m[i], m[j]) in reaches) && ((m[j], m[i]) in reaches)) {
				told[m[j]] = 1
				line = line " " name_of(m[j])
			}
		met[line] = 1
		if (!(line in named)) fail("a circle that docs/architecture.md does not name: " line)
	}
}
' docs/architecture.md "$work/list" "$work/symbols"

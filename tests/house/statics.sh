#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does a plugin hold state that nobody owns?  An object with static storage that can be written is one
# that outlives a command and a process; the block "statics" of docs/architecture.md names those that a
# debugger's interface forces.  Prints each one that is not named, and each one named that is not there.
#
#	statics.sh BUILD [ROOT]

build=$1
cd "${2:-.}" || exit 1
root=$(pwd)
if ! command -v nm >/dev/null; then
	echo "statics: nm is not there"
	exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "object source" for each source of plugin/ that was compiled, those that the build makes too.
awk -v root="$root/" '
/^ *"file": / { source = $0; sub(/^ *"file": "/, "", source); sub(/",?$/, "", source) }
/^ *"output": / {
	object = $0; sub(/^ *"output": "/, "", object); sub(/",?$/, "", object)
	if (index(source, root) == 1) source = substr(source, length(root) + 1)
	# from a build directory outside the tree, the path passes through directories above it
	if (source ~ /^\.\.\//) while (source !~ /^plugin\// && sub(/^[^\/]*\//, "", source)) ;
	if (source ~ /^plugin\// && !seen[source]++) print object, source
}' "$build/compile_commands.json" >"$work/list"
cd "$build" || exit 1
cut -d ' ' -f 1 "$work/list" | while read -r object; do
	[ ! -f "$object" ] || echo "$object"
done >"$work/objects"
if [ ! -s "$work/objects" ]; then
	echo "statics: no plugin was built"
	exit 77
fi
xargs nm -A -f sysv <"$work/objects" >"$work/symbols" 2>"$work/errors" || echo >"$work/symbols"
cd "$root" || exit 1
if ! grep -q '|\.text' "$work/symbols"; then
	echo "statics: nm does not read the objects of $build"
	exit 77
fi

# Constants with addresses in them lie in .data.rel.ro, which is not writable once it is loaded.
awk '
function fail(what) { print what; failed = 1 }

FILENAME == "docs/architecture.md" {
	if (/^```/) block = /^```statics$/
	else if (block && NF) named[$1 " " $2] = 1
	next
}
FILENAME ~ /list$/ { source_of[$1] = $2; compiled[$2] = 1; next }
{
	count = split($0, part, "|")
	section = part[count]
	gsub(/ /, "", section)
	if (section !~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ || section ~ /^\.data\.rel\.ro/) next
	file = name = part[1]
	sub(/:[^:]*$/, "", file)
	sub(/^.*:/, "", name)
	gsub(/ /, "", name)
	sub(/\.[0-9]+$/, "", name) # what the compiler adds to a static variable of a function
	if (name == "" || name ~ /^(__|\.L|DW\.ref\.)/) next # a sanitizer'"'"'s, and those of C++ exceptions
	line = source_of[file] " " name
	if (line in met) next
	met[line] = 1
	if (!(line in named)) fail("state that docs/architecture.md does not name: " line)
}

END {
	for (line in named) {
		source = line
		sub(/ .*/, "", source)
		# what this machine does not build is in no object
		if (!(source in compiled) && (getline text <source) >= 0) continue
		if (!(line in met)) fail("docs/architecture.md: no such state: " line)
	}
	exit failed
}' docs/architecture.md "$work/list" "$work/symbols"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do directories use each other in both directions?  A directory uses another one when an object of it needs a symbol that an object
# of the other one defines.  Files of one directory are one subject and may do so.  Prints the directories of each circle, with a
# symbol for each arrow in it.
#
# Every arrow is also one that the block of layers in docs/architecture.md allows: a layer that names `NAME` may include the headers of
# NAME and call it, and one that names `NAME()` may call the public functions of NAME. So cairn.h, which all may include, lets
# nobody call a layer above it. Only verbs and plugins, which are clients of the library, may call all that is public.
#
#	circles.sh BUILD [ROOT]

build=$1
here=$(cd "$(dirname "$0")" && pwd)
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
	# from a build directory outside the tree, the path passes through directories above it
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

awk "$(cat "$here/layers.awk")"'
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function common(a, b,   i) { for (i = 1; i <= length(a) && substr(a, i, 1) == substr(b, i, 1); i++) ; return i }

# The definition that is nearest: programs and plugins may each have one of a name.  The core is linked without the plugins.
function definition(user, symbol,   count, i, all, best) {
	count = split(owners[symbol], all, " ")
	for (i = 1; i <= count; i++)
		if ((user !~ /^core\// || all[i] ~ /^core\//) && (best == "" || common(all[i], user) > common(best, user)))
			best = all[i]
	return best
}

FILENAME ~ /list$/ { source_of[$1 ":"] = $2; next }
source_of[$1] ~ /\/old_glibc\.c$/ { next } # has names of libc
$3 ~ /^[TDBRVW]$/ { owners[$2] = owners[$2] " " source_of[$1] }
$3 == "U" { needs[++need] = source_of[$1] SUBSEP $2 }

END {
	for (i = 1; i <= need; i++) {
		split(needs[i], pair, SUBSEP)
		to = definition(pair[1], pair[2])
		from = folder_of(pair[1])
		if (to == "" || folder_of(to) == from) continue
		to = folder_of(to)
		if (!((from, to) in by)) arrow[++arrows] = from SUBSEP to
		if (!((from, to) in by) || pair[2] < by[from, to]) by[from, to] = pair[2]
		reaches[from, to] = folder[from] = folder[to] = 1
	}
	for (k in folder)
		for (i in folder)
			if ((i, k) in reaches)
				for (j in folder)
					if ((k, j) in reaches) reaches[i, j] = 1
	for (i = 1; i <= arrows; i++) {
		split(arrow[i], pair, SUBSEP)
		if ((pair[2], pair[1]) in reaches) {
			print "a circle: " pair[1] " uses " by[pair[1], pair[2]] " of " pair[2] | "LC_ALL=C sort"
			failed = 1
		}
		from = pair[1]
		to = pair[2]
		sub(/^core\//, "", from)
		sub(/^core\//, "", to)
		from = layer_of(from)
		to = layer_of(to)
		client = from ~ /^(cli|plugin)/ && by[pair[1], pair[2]] ~ /^cairn_/
		if (layers && from != to && !client && !allowed(from, to, 1)) {
			print "not allowed: " pair[1] " uses " by[pair[1], pair[2]] " of " pair[2] | "LC_ALL=C sort"
			failed = 1
		}
	}
	close("LC_ALL=C sort")
	exit failed
}
' $([ ! -f docs/architecture.md ] || echo docs/architecture.md) "$work/list" "$work/symbols"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the binary interface of the libraries is still compatible with its description in abi.txt, beside this script.
#
#	abi.sh [--update] HEADERS LIBRARY... -- COMPILER...
#
# HEADERS is the directory of the public headers. The only compatible changes are new functions, structs and constants, and
# new members at the end of structs that begin with `size_t size`. --update writes the current interface to abi.txt. It fails
# if there are incompatible changes, unless the minor version is new, too.
#
# The description starts with the version. Offsets and sizes on the other lines are for 64-bit machines:
#
#	LIBRARY<tab>RETURN-TYPE NAME(TYPES)
#	struct NAME SIZE [sized]
#	<tab>MEMBER OFFSET SIZE
#	CONSTANT VALUE

description=$(cd "$(dirname "$0")" && pwd)/abi.txt || exit 2
. "$(dirname "$0")/../lib/test.sh"
command="$0 --update $*"
update=
[ "$1" != --update ] || {
	update=yes
	command="$0 $*"
	shift
}
headers=$1
shift
libraries=
while [ "$1" != -- ]; do
	libraries="$libraries $1"
	shift
done
shift

# preprocess COMPILER...: print the declarations in our headers on one line
preprocess() {
	(cd "$headers" && find . -name '*.h' | LC_ALL=C sort | sed 's|^\./|#include <|; s|$|>|') >"$work/all.c"
	"$@" -std=c11 -E -I "$headers" "$work/all.c" >"$work/all.i" || return
	awk -v headers="$headers/" '
	/^# [0-9]+ "/ { split($0, part, "\""); ours = index(part[2], headers) == 1; next }
	ours && !/^#/ { printf "%s ", $0 }' "$work/all.i" | tr -s '\t ' '  '
}

# parse: print the declarations as "S struct is-sized", "M struct member", "E constant" and "F name signature"
parse() {
	awk '
	# Remove attributes, whose parentheses are balanced.
	function strip(text,    start, at, depth, c) {
		while ((start = index(text, "__attribute__")) > 0) {
			depth = 0
			for (at = start + 13; at <= length(text); at++) {
				c = substr(text, at, 1)
				if (c == "(") depth++
				if (c == ")" && --depth == 0) break
			}
			text = substr(text, 1, start - 1) substr(text, at + 1)
		}
		return text
	}
	function trim(text) { gsub(/^ +| +$/, "", text); gsub(/  +/, " ", text); return text }
	# Call one() for each part that ends in ";" outside of braces and parentheses.
	function each(text, owner,    at, depth, c, part) {
		for (at = 1; at <= length(text); at++) {
			c = substr(text, at, 1)
			if (c == "{" || c == "(") depth++
			if (c == "}" || c == ")") depth--
			if (c == ";" && depth == 0) { one(trim(part), owner); part = "" }
			else part = part c
		}
	}
	function one(text, owner,    rest, name, word) {
		if (text ~ /^struct [a-z_0-9]+ \{/) {
			split(text, word, " ")
			name = word[2]
			rest = text
			sub(/^[^{]*\{/, "", rest)
			match(rest, /\}[^}]*$/)
			text = substr(rest, RSTART + 1)
			rest = substr(rest, 1, RSTART - 1)
			print "S " name " " (rest ~ /^ *size_t size;/ ? "sized" : "-")
			each(rest, name)
			if (owner == "") return
		} else if (owner == "") {
			if (text ~ /^enum( [a-z_0-9]+)? \{/) constants(text)
			else if (text !~ /^typedef/ && text ~ /\)$/) signature(text)
			return
		}
		members(text, owner)
	}
	function members(text, owner,    i, n, part) {
		if (match(text, /\(\*[a-z_0-9]+\)/)) {
			print "M " owner " " substr(text, RSTART + 2, RLENGTH - 3)
			return
		}
		gsub(/\[[^]]*\]/, "", text)
		n = split(text, part, ",")
		for (i = 1; i <= n; i++) {
			match(trim(part[i]), /[A-Za-z_0-9]+$/)
			print "M " owner " " substr(trim(part[i]), RSTART)
		}
	}
	function constants(text,    i, n, part) {
		sub(/^[^{]*\{/, "", text)
		sub(/\}.*/, "", text)
		n = split(text, part, ",")
		for (i = 1; i <= n; i++) {
			sub(/=.*/, "", part[i])
			if (trim(part[i]) != "") print "E " trim(part[i])
		}
	}
	# Print a signature without the names of its parameters.
	function signature(text,    i, n, part, head, name, types, rest) {
		head = text
		sub(/ ?\(.*/, "", head)
		match(head, /[A-Za-z_0-9]+$/)
		name = substr(head, RSTART)
		sub(/^[^(]*\(/, "", text)
		sub(/\)$/, "", text)
		n = split(text, part, ",")
		for (i = 1; i <= n; i++) {
			part[i] = trim(part[i])
			if (part[i] ~ /[ *][A-Za-z_0-9]+(\[[^]]*\])?$/) {
				match(part[i], /[A-Za-z_0-9]+(\[[^]]*\])?$/)
				rest = substr(part[i], RSTART)
				sub(/^[A-Za-z_0-9]+/, "", rest)
				part[i] = trim(substr(part[i], 1, RSTART - 1)) rest
			}
			types = types (i > 1 ? ", " : "") part[i]
		}
		text = head "(" types ")"
		gsub(/_Bool/, "bool", text)
		print "F " name " " text
	}
	{ each(strip($0), "") }'
}

# describe COMPILER...: print the description of the current interface
describe() {
	preprocess "$@" | parse >"$work/parsed" || return
	{
		cat "$work/all.c"
		printf '#include <stdio.h>\n#include <stddef.h>\nint main(void)\n{\n'
		printf '\tprintf("version %%d.%%d.%%d\\n", CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH);\n'
		awk '
		$1 == "S" { printf "\tprintf(\"struct %s %%zu%s\\n\", sizeof(struct %s));\n", $2, $3 == "sized" ? " sized" : "", $2 }
		$1 == "M" {
			printf "\tprintf(\"struct %s\\t%s %%zu %%zu\\n\", offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));\n",
				$2, $3, $2, $3, $2, $3
		}
		$1 == "E" { printf "\tprintf(\"%s %%lld\\n\", (long long)%s);\n", $2, $2 }' "$work/parsed"
		printf '\treturn sizeof(void *) == 8 ? 0 : 77;\n}\n'
	} >"$work/describe.c"
	"$@" -std=c11 -I "$headers" "$work/describe.c" -o "$work/describe" || return
	"$work/describe" >"$work/values" || return
	head -n 1 "$work/values"
	for library in $libraries; do
		name=${library##*/}
		name=${name%%.*}
		case $library in
		*.a) nm -g --defined-only "$library" ;;
		*) nm -D --defined-only "$library" ;;
		esac | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort | awk -v library="$name" '
		NR == FNR { if ($1 == "F") { name = $2; sub(/^F [^ ]+ /, ""); signature[name] = $0 } next }
		{ print library "\t" ($1 in signature ? signature[$1] : $1) }' "$work/parsed" -
	done
	# Separate nested structs, which were printed between the members of the outer struct.
	awk '
	NR == 1 { next }
	/^struct [^\t]*$/ { order[++structs] = "struct " $2; head["struct " $2] = $0; next }
	/^struct / { name = $0; sub(/\t.*/, "", name); sub(/^[^\t]*/, ""); body[name] = body[name] $0 "\n"; next }
	{ constants = constants $0 "\n" }
	END {
		for (i = 1; i <= structs; i++) printf "%s\n%s", head[order[i]], body[order[i]]
		printf "%s", constants
	}' "$work/values"
}

# compare OLD NEW: print the incompatible changes. Returns 0 if there are none, 3 if the minor version is new, otherwise 1.
compare() {
	awk '
	function say(text) { print text; bad = 1 }
	function minor(version) { split(version, part, "."); return part[1] "." part[2] }
	{ old = NR == FNR }
	/^version / { if (old) before = $2; else now = $2; next }
	/^lib/ {
		key = $0
		sub(/\(.*/, "", key)
		sub(/.*[ *\t]/, "", key)
		library = $0
		sub(/\t.*/, "", library)
		key = library " " key
		if (old) functions[key] = $0; else new_functions[key] = $0
		next
	}
	/^struct / {
		name = $2
		if (old) { size[name] = $3; sized[name] = $4; structs[++count] = name }
		else { new_size[name] = $3; new_sized[name] = $4 }
		next
	}
	/^\t/ {
		if (old) { members[name] = members[name] " " $1; offset[name, $1] = $2; bytes[name, $1] = $3 }
		else { new_members[name] = new_members[name] " " $1; new_offset[name, $1] = $2; new_bytes[name, $1] = $3 }
		next
	}
	{ if (old) { value[$1] = $2; constants[++number] = $1 } else new_value[$1] = $2 }
	END {
		for (key in functions) {
			split(key, part, " ")
			if (!(key in new_functions)) say(part[2] "(): removed from " part[1])
			else if (new_functions[key] != functions[key]) {
				was = functions[key]; is = new_functions[key]
				sub(/^[^\t]*\t/, "", was); sub(/^[^\t]*\t/, "", is)
				say(part[2] "(): changed from \"" was "\" to \"" is "\"")
			}
		}
		for (i = 1; i <= count; i++) {
			name = structs[i]
			if (!(name in new_size)) { say("struct " name ": removed"); continue }
			if (sized[name] != new_sized[name]) {
				say("struct " name ": " (sized[name] ? "no longer begins" : "now begins") " with its size")
				continue
			}
			n = split(members[name], member, " ")
			for (j = 1; j <= n; j++) {
				key = name SUBSEP member[j]
				if (!(key in new_offset)) say("struct " name ": member `" member[j] "` removed")
				else if (new_offset[key] != offset[key])
					say("struct " name ": member `" member[j] "` moved from offset " offset[key] " to " new_offset[key])
				else if (new_bytes[key] != bytes[key])
					say("struct " name ": size of member `" member[j] "` changed from " bytes[key] " to " new_bytes[key])
			}
			n = split(new_members[name], member, " ")
			for (j = 1; j <= n; j++) {
				key = name SUBSEP member[j]
				if (key in offset) continue
				if (!sized[name])
					say("struct " name ": member `" member[j] "` added, but the struct does not begin with its size")
				else if (new_offset[key] < size[name])
					say("struct " name ": member `" member[j] "` added at offset " new_offset[key] ", within the " size[name] " bytes of version " before)
			}
			if (!sized[name] && new_size[name] != size[name])
				say("struct " name ": size changed from " size[name] " to " new_size[name] ", but the struct does not begin with its size")
			else if (new_size[name] + 0 < size[name] + 0)
				say("struct " name ": size changed from " size[name] " to " new_size[name])
		}
		for (i = 1; i <= number; i++) {
			name = constants[i]
			if (!(name in new_value)) say(name ": removed")
			else if (new_value[name] != value[name]) say(name ": value changed from " value[name] " to " new_value[name])
		}
		exit bad ? (minor(before) == minor(now) ? 1 : 3) : 0
	}' "$1" "$2" >"$work/changes"
	status=$?
	LC_ALL=C sort "$work/changes"
	return $status
}

describe "$@" >"$work/now"
case $? in
0) ;;
77) skip 'the description is for machines with 64-bit pointers' ;;
*) exit 1 ;;
esac
[ -f "$description" ] || [ -z "$update" ] || head -n 1 "$work/now" >"$description"
compare "$description" "$work/now"
status=$?
version=$(sed -n 's/^version //p' "$description")
case $status,$update in
0,yes | 3,yes) cp "$work/now" "$description" ;;
0,) ;;
3,)
	echo "The version has a new minor number, so the interface may change: run"
	echo "	$command"
	exit 1
	;;
*)
	echo "Programs that use version $version no longer work (docs/stability.md). Undo these changes, or give the project a"
	echo "new minor version and run"
	echo "	$command"
	exit 1
	;;
esac

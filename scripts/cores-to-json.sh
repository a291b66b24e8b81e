#!/bin/sh
# SPDX-License-Identifier: MIT
# One line of JSON for each core dump of a directory: scripts/cores-to-json.sh DIR [PROGRAM].
#
#	{"core":"...","program":"...","signal":"SIGSEGV","frames":[...]}
#
# The frames are those that `cairn bt --json -1` gives of the thread that crashed. The program is the one
# that the core names, unless it is given. Files that are not ELF core dumps are passed over. A core of
# which nothing can be had has "error" instead of "frames". CAIRN is the path of cairn, by default the one
# built here.
set -u
export LC_ALL=C
folder=${1:?usage: cores-to-json.sh DIR [PROGRAM]}
given=${2:-}
: "${CAIRN:=$(cd "$(dirname "$0")/.." && pwd)/build/core/cli/cairn}"

case $folder in
/*) ;;
*) folder=$(pwd)/$folder ;;
esac

# ET_CORE, in either byte order.
is_core() {
	[ -f "$1" ] || return 1
	set -- $(od -An -v -tx1 -N 18 "$1" 2>/dev/null)
	[ $# -eq 18 ] && [ "$1$2$3$4" = 7f454c46 ] || return 1
	[ "$6" = 01 ] && [ "${17}${18}" = 0400 ] || { [ "$6" = 02 ] && [ "${17}${18}" = 0004 ]; }
}

# Text as the inside of a JSON string; control characters are dropped.
quoted() {
	printf %s "$1" | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g'
}

# What KEY has in $stack, up to a character of END; it stays as JSON has it.
value() {
	printf '%s\n' "$stack" | sed -n "s/^[^[]*\"$1\":\"\([^\"$2]*\).*/\1/p"
}

for core in "$folder"/*; do
	is_core "$core" || continue
	set -- bt --json -1 -- "$core"
	[ -z "$given" ] || set -- "$@" "$given"
	stack=$("$CAIRN" "$@" 2>/dev/null | head -n 1)
	program=$(quoted "$given")
	[ -n "$program" ] || program=$(value command_line ' ')
	printf '{"core":"%s","program":"%s","signal":"%s",' "$(quoted "$core")" "$program" \
		"$(value signal '')"
	# a quote inside a string is escaped, so that these are the keys
	frames=$(printf '%s\n' "$stack" |
		sed -n 's/^.*"frames":\[\({.*}\)\],"complete":.*/\1/p')
	if [ -n "$frames" ]; then
		printf '"frames":[%s]}\n' "$frames"
	else
		echo '"error":"no stack"}'
	fi
done

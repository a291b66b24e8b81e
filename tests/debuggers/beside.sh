#!/bin/sh
# SPDX-License-Identifier: MIT
# `next`, `step`, `break FUNCTION`, `info line FUNCTION` and `info line *ADDRESS` say the same of a stripped program with
# the symbols of its GSYM file as of the complete build.
# beside.sh [PROGRAM ARGUMENT...]: small programs, where all has to be equal; or a program that is given, of which the
# differences are counted, with STEPS steps, every EACH bytes of its code, and every NAMES-th of its functions.  KEEP is the
# directory for what GDB said.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" objcopy nm awk readelf

# say eh|no NAME KIND ARGUMENT...: the answers to the commands of $tmp/KIND, which are read as from a terminal: an error ends
# none but its own.  Left out is what GSYM does not hold: arguments, and what lies between functions, to which a complete
# build counts the last row of the function before; directories; and names of symbols, which depend on arguments.
say() {
	which=$1 name=$2 kind=$3
	shift 3
	{
		printf '%s\n' "source $CAIRN_GDB" 'set print frame-arguments none' 'set listsize 1' \
			'set breakpoint pending off' "set args $*" starti
		[ "$which" = eh ] || echo "cairn add-gsym $tmp/$name.gsym"
		printf '%s\n' 'echo \n<begin>\n'
		cat "$tmp/$kind"
	} >"$tmp/script.$which.$kind"
	within "${LIMIT:-200}" "$GDB" -nx -q -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set prompt' \
		-iex 'set width 0' -iex 'set pagination off' -iex 'set confirm off' -iex 'set exec-wrapper env -i' \
		"$tmp/$which/$name" <"$tmp/script.$which.$kind" 2>&1 | settle |
		sed -e '1,/^<begin>$/d' -e 's/ ([^()]*) at/ at/' -e 's/ ([^()]*) \[clone/ [clone/' -e 's|"[^"]*/\([^"/]*\)"|"\1"|' \
			-e 's, at [^ ]*/, at ,' -e 's,file [^ ]*/,file ,' -e '/^Run till exit/d' -e '/^Value returned/d' \
			-e 's/ (process [0-9N]*)//' -e '/ starts at address /s/ \(<\|and ends\).*//' -e '/^No line number/s/ <.*//' \
			-e '/ is at address /s/ <.*//' \
			-e 's/ in \([^(]*\)(.*) at / in \1 at /' |
		if [ "$kind" = next ] || [ "$kind" = step ]; then cat; else
			# the order of several places is that of units
			awk '/^</ { name = $0; next } NF { print name, $0 }' | sort
		fi
}

compare_said() {
	for which in eh no; do
		say "$which" "$@" >"$tmp/$1.$2.$which" # one by one: they may write the same files
	done
	if [ -n "${KEEP:-}" ]; then
		cp "$tmp/$1.$2.eh" "$tmp/$1.$2.no" "$KEEP/"
		echo "$2: $(diff "$tmp/$1.$2.eh" "$tmp/$1.$2.no" | grep -c '^<') of $(grep -c . "$tmp/$1.$2.eh") lines differ"
	else
		compare "$1.$2" 8
	fi
}

# each COMMAND: one for each word of the input
each() {
	while read -r word; do
		printf 'echo <%s>\\n\n%s %s\n' "$word" "$1" "$word"
	done
}

steps() {
	printf 'tbreak main\nrun\n'
	for _ in $(seq "${STEPS:-60}"); do
		echo "$1"
	done
	echo kill
}

# The names by which users ask: without parameters and arguments of templates.
names() {
	nm -C "$1" | sed -n 's/^[0-9a-f]* [TtWw] //p' | sed -e 's/(anonymous namespace)/@/g' -e '/operator/d' -e 's/\[.*//' -e 's/(.*//' \
		-e 's/@/(anonymous namespace)/g' -e '/[<. ]/d' -e '/^data_start$/d' | sort -u | awk "NR % ${NAMES:-1} == 0"
}

# Every address of a function as it is mapped, but the first of a cold part: in a complete build the last row of the function
# before may go on there, and in GSYM a row begins.
addresses() {
	{ readelf -hW "$1" && nm -S "$1"; } | awk -v each="${EACH:-3}" '
		function hex(text, i, value) {
			for (i = 1; i <= length(text); i++)
				value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return value
		}
		/Type: *DYN/ { base = hex("555555554000") }
		$3 ~ /^[TtWw]$/ { for (at = hex($1) + ($4 ~ /[.]cold/ ? each : 0); at < hex($1) + hex($2); at += each) printf "*%.0f\n", base + at }' | sort -u
}

beside() {
	name=$1
	shift
	objcopy -S "$tmp/eh/$name" "$tmp/no/$name"
	"$CAIRN" gsym create --quiet --statements "$tmp/eh/$name" -o "$tmp/$name.gsym"
	names "$tmp/eh/$name" >"$tmp/names"
	each 'info line' <"$tmp/names" >"$tmp/functions"
	each 'tbreak' <"$tmp/names" >"$tmp/breaks"
	echo 'info breakpoints' >>"$tmp/breaks"
	addresses "$tmp/eh/$name" | each 'info line' >"$tmp/places"
	steps next >"$tmp/next"
	steps step >"$tmp/step"
	for kind in ${KINDS:-next step functions breaks places}; do
		compare_said "$name" "$kind" "$@"
	done
}

if [ $# -gt 0 ]; then
	cp "$1" "$tmp/eh/program"
	shift
	beside program "$@"
	exit
fi
for program in stops.c clones.c members.cpp; do
	name=${program%.*}
	"$CC_TARGET" -O2 -g -Wl,--build-id=sha1 "$programs/$program" -lstdc++ -o "$tmp/eh/$name" ||
		skip "no compiler of $program here"
	beside "$name"
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# producers.sh CAIRN LINES FUNCTIONS PROGRAM [WHAT FILE]...: of as many lines and functions of PROGRAM, which was compiled with -g, how
# many breakpoints of GDB are at the same places with the symbols of each producer as with the complete build, and for how
# many functions `list` shows the same lines.  Functions are asked by the names of the source, because some producers
# have no others.  Breakpad files are made in the shapes of their producers, from what cairn reads of PROGRAM.  FILE is a file of symbols that
# exists, and WHAT its producer.  MODULE and CAIRN_GDB as in tests/debuggers.
: "${LIMIT:=1200}"
export LIMIT
: "${CAIRN_GDB:?path of cairn.gdb}" "${GSYMUTIL:=llvm-gsymutil-19}" "${DWARFDUMP:=llvm-dwarfdump-19}"
. "$(dirname "$0")/../debuggers/lib.sh"
. "$(dirname "$0")/places.sh"
cairn=$1 lines=$2 functions=$3 measured=$4
shift 4
need "$GDB" objcopy nm awk c++filt readelf "$GSYMUTIL" "$DWARFDUMP"
cp "$measured" "$tmp/eh/asked"
objcopy -S "$measured" "$tmp/no/asked"

# some COUNT FILE: as many of its lines, evenly spread
some() {
	awk -v want="$1" '{ line[NR] = $0 } END { for (i = 0; i < want && i < NR; i++) print line[int(i * (want < NR ? NR / want : 1)) + 1] }' "$2"
}
list_lines "$tmp/eh/asked" >"$tmp/lines"
{
	nm -C "$tmp/eh/asked" | awk '$2 ~ /^[tTwW]$/ { $1 = $2 = ""; print }' | sed 's/^ *//; s/(.*//; s/[.].*//; s/ \[clone.*//'
	"$cairn" dwarf dump "$tmp/eh/asked" | awk '$1 == "inline" { print $4 }' | c++filt -i | sed 's/(.*//'
} | grep -E '^[A-Za-z_][A-Za-z0-9_:]*$' | grep -vE '^(_init|_fini|_start|__bss_start|_edata|_end)$|^operator' | sort -u >"$tmp/functions"
# what is not found must not end the list; kept breakpoints would make each further one slower
{
	echo 'set breakpoint pending on'
	{
		some "$lines" "$tmp/lines"
		some "$functions" "$tmp/functions"
	} | awk '{ print "echo " $0 "\\040\ntbreak " $0 "\ndelete" }'
} >"$tmp/asked"
some "$functions" "$tmp/functions" >"$tmp/listed"

# listed: of what GDB printed, "<FUNCTION>" and the numbers of the lines that `list` showed
listed() {
	awk '/^</ { if (shown) print name shown; name = $1; shown = ""; next }
		name && /^[0-9]+[\t ]/ { sub(/[\t ].*/, ""); shown = shown " " $0 }
		END { if (shown) print name shown }'
}
# ask PROGRAM COMMAND: $tmp/places and $tmp/lists
ask() {
	asked=$1 give=$2
	set --
	while read -r name; do
		set -- "$@" -ex "echo <$name>\\n" -ex "list $name"
	done <"$tmp/listed"
	debug without "$asked" -ex "source $CAIRN_GDB" -ex 'set listsize 4' -ex starti -ex "$give" -x "$tmp/asked" "$@" \
		-ex kill >"$tmp/said" || :
	places <"$tmp/said" | sort >"$tmp/places"
	listed <"$tmp/said" | sort >"$tmp/lists"
}
ask "$tmp/eh/asked" 'echo complete\n'
grep ':[0-9]* ' "$tmp/places" >"$tmp/complete.lines" || :
grep -v ':[0-9]* ' "$tmp/places" >"$tmp/complete.functions" || :
mv "$tmp/lists" "$tmp/complete.lists"

# equal COMPLETE GOT
equal() {
	printf ' %5d of %5d' "$(comm -12 "$1" "$2" | wc -l)" "$(wc -l <"$1")"
}
# row WHAT COMMAND
row() {
	ask "$tmp/no/asked" "$2"
	printf '%-34s' "$1"
	equal "$tmp/complete.lines" "$tmp/places"
	equal "$tmp/complete.functions" "$tmp/places"
	equal "$tmp/complete.lists" "$tmp/lists"
	echo
}

"$GSYMUTIL" --convert "$tmp/eh/asked" -o "$tmp/theirs.gsym" >"$tmp/log" 2>&1
"$cairn" gsym create --quiet "$tmp/eh/asked" -o "$tmp/lookups.gsym"
"$cairn" gsym create --quiet --statements "$tmp/eh/asked" -o "$tmp/told.gsym"
"$cairn" symbfile create --quiet --only ranges "$tmp/eh/asked" -o "$tmp/asked"
"$cairn" gsym dump "$tmp/lookups.gsym" | c++filt -i | awk -f "$here/../debuggers/breakpad.awk" >"$tmp/linked.sym"
base=$(readelf -lW "$tmp/eh/asked" | awk '$1 == "LOAD" { print $3; exit }')
awk -v base="${base#0x}" -f "$here/../debuggers/rebase.awk" "$tmp/linked.sym" >"$tmp/mozilla.sym"
"$DWARFDUMP" --debug-line "$tmp/eh/asked" | awk '/^0x/ { print $1 }' | sort -u >"$tmp/rows"
awk -f "$here/google_rows.awk" "$tmp/rows" "$tmp/linked.sym" |
	awk -v base="${base#0x}" -f "$here/../debuggers/rebase.awk" >"$tmp/google.sym"
grep -v '^INLINE' "$tmp/google.sym" >"$tmp/old.sym"

printf '%-34s %14s %14s %14s\n' "$(basename "$measured")" lines functions lists
row "GSYM of $GSYMUTIL" "cairn add-gsym $tmp/theirs.gsym"
row 'GSYM of cairn' "cairn add-gsym $tmp/lookups.gsym"
row 'GSYM of cairn, --statements' "cairn add-gsym $tmp/told.gsym"
row 'symbfile of cairn' "cairn add-symbfile -module asked $tmp/asked.ranges"
row "Breakpad, Mozilla's shape" "cairn add-breakpad $tmp/mozilla.sym"
row "Breakpad, Google's shape" "cairn add-breakpad $tmp/google.sym"
row 'Breakpad without inlined calls' "cairn add-breakpad $tmp/old.sym"
while [ $# -ge 2 ]; do
	row "$1" "cairn add-symbfile -module asked $2"
	shift 2
done

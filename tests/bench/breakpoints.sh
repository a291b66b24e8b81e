#!/bin/sh
# SPDX-License-Identifier: MIT
# breakpoints.sh CAIRN [STEP [PROGRAM]]: how many breakpoints of GDB on lines and functions are at the
# same places, all of them, with symbols from GSYM as with the complete build.  PROGRAM was compiled
# with -g (cairn itself is the default); each STEP-th of its lines is asked, and each of its functions:
# by symbol, by the name in the source when the symbol is that of a clone, and those that are only
# inlined.  MODULE and CAIRN_GDB as in tests/debuggers.
: "${LIMIT:=1200}"
export LIMIT
: "${CAIRN_GDB:?path of cairn.gdb}" "${GSYMUTIL:=llvm-gsymutil-19}" "${DWARFDUMP:=llvm-dwarfdump-19}"
. "$(dirname "$0")/../debuggers/lib.sh"
. "$(dirname "$0")/places.sh"
cairn=$1 step=${2:-11} program=${3:-$1}
need "$GDB" objcopy nm awk "$GSYMUTIL" "$DWARFDUMP"
cp "$program" "$tmp/eh/asked"
objcopy -S "$program" "$tmp/no/asked"

# every FILE:LINE of the line tables, every function of the symbol table
list_lines "$tmp/eh/asked" >"$tmp/all"
{
	nm "$tmp/eh/asked" | awk '$2 ~ /^[tTwW]$/ { print $3; sub(/[.].*/, "", $3); if ($3) print $3 }'
	"$cairn" dwarf dump "$tmp/eh/asked" | awk '$1 == "inline" { print $4 }'
} | grep -vE '[(<@]|^_init$|^_fini$|^_start$' | sort -u >"$tmp/functions"
# what is not found must not end the list; kept breakpoints would make each further one slower
echo 'set breakpoint pending on' >"$tmp/asked"
awk -v step="$step" 'NR % step == 0' "$tmp/all" | cat - "$tmp/functions" |
	awk '{ print "echo " $0 "\\040\ntbreak " $0 "\ndelete" }' >>"$tmp/asked"

debug without "$tmp/eh/asked" -ex starti -x "$tmp/asked" -ex kill | places | sort >"$tmp/complete"
# count GREP-OPTION: equal places of those asked that are, or are not (-v), FILE:LINE
count() {
	grep -E "$1" ':[0-9]+ ' "$tmp/complete" >"$tmp/some" || [ $? = 1 ] || exit 1 # 1: there is none
	printf '%6d of %6d' "$(comm -12 "$tmp/some" "$tmp/ours" | wc -l)" "$(wc -l <"$tmp/some")"
}
# row WHAT GSYM
row() {
	debug without "$tmp/no/asked" -ex "source $CAIRN_GDB" -ex starti -ex "cairn add-gsym $2" \
		-x "$tmp/asked" -ex kill | places | sort >"$tmp/ours"
	printf '%-32s lines %s, functions %s, %d bytes\n' "$1" "$(count -e)" \
		"$(count -ve)" "$(wc -c <"$2")"
}
"$GSYMUTIL" --convert "$tmp/eh/asked" -o "$tmp/theirs" >"$tmp/log" 2>&1
"$cairn" gsym create --quiet "$tmp/eh/asked" -o "$tmp/lookups"
"$cairn" gsym create --quiet --statements "$tmp/eh/asked" -o "$tmp/told"
row "GSYM of $GSYMUTIL" "$tmp/theirs"
row 'of cairn' "$tmp/lookups"
row 'of cairn with --statements' "$tmp/told"

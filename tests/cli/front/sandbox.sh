#!/bin/sh
# SPDX-License-Identifier: MIT
# sandbox.sh CAIRN PROBE NET: runs the command of each row of the table in docs/SECURITY.md, and at its end
# tries one call of each right in the same process (sandbox_probe.c).  What is refused is what the table has.
# NET: yes, if cairn has servers and clients.
set -u
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
cairn=$1 probe=$2 net=$3
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../../lib/test.sh"
trap 'exit 2' HUP INT TERM
mkdir "$work/out" "$work/secret" "$work/cache" "$work/store"
echo secret >"$work/secret/file"
SANDBOX_PROBE=$work/report SANDBOX_SECRET=$work/secret/file XDG_CACHE_HOME=$work/cache
export SANDBOX_PROBE SANDBOX_SECRET XDG_CACHE_HOME
gsym=$root/tests/fixtures/gsym/prog.gsym object=$root/tests/fixtures/dwarf/v5.o
symbfile=$root/tests/fuzz/corpus/symbfile/inline-chain.symbfile
cbf=$root/tests/fixtures/cbf
# a program of 824 bytes after two others, then a relocatable file
tail -c +3 "$root/tests/fuzz/corpus/sframe_merge/v3-to-3" >"$work/merged.o"
head -c 824 "$work/merged.o" >"$work/merged"
tail -c +827 "$root/tests/fuzz/corpus/sframe_merge/v3-to-3" >"$work/merged.o"
"$cairn" sframe create --quiet -o "$work/sframe" "$root/tests/fixtures/dwarf/linked" || exit 2
failed=0 rows=0
# Sets $@ to what follows `cairn` for a row.
words() {
	case $1 in
	'sframe dump' | 'sframe stats' | 'sframe verify') set -- $1 --hex "$root/tests/fixtures/sframe/v3-amd64.hex" ;;
	'sframe convert') set -- $1 --to 2 -o "$work/out/made" "$work/sframe" ;;
	'sframe create --tree') set -- $1 "$root/tests/fixtures/dwarf" -o "$work/out/made" ;;
	'sframe create --core') set -- $1 "$root/tests/fuzz/corpus/core_stacks/threads.core" -o "$work/out/made" ;;
	'sframe create') set -- $1 -o "$work/out/made" "$root/tests/fixtures/dwarf/linked" ;;
	'sframe merge') set -- $1 -o "$work/out/made" "$work/merged" "$work/merged.o" ;;
	'sframe lookup') set -- $1 --hex "$root/tests/fixtures/sframe/v3-amd64.hex" 0 ;;
	'cbf decode') set -- $1 "$cbf/trace.hex" ;;
	'cbf decode --symbols') set -- $1 "$cbf/trace.hex" ;;
	'cbf encode') set -- $1 "$cbf/frames.txt" ;;
	'cbf find') set -- $1 "$object" ;;
	'gsym verify' | 'gsym dump' | 'gsym stats') set -- $1 "$gsym" ;;
	'gsym diff') set -- $1 "$gsym" "$gsym" ;;
	addr2line) set -- $1 -e "$root/tests/fixtures/gsym/prog" 1150 ;;
	demangle) set -- $1 _Z1fv ;;
	group) set -- $1 "$root/tests/fixtures/group/crashes.json" ;;
	'store add') set -- $1 --store "$work/store" "$gsym" ;;
	'store check') set -- $1 "$root/tests/fixtures/minidump/amd64-symbols" ;;
	symbolize | 'symbolize --debuginfod') set -- $1 --each ;;
	'symbolize --origin') set -- $1 http://127.0.0.1:1 --each ;;
	'symbolize --directory') set -- $1 "$root/tests/fixtures/gsym" ;;
	'gsym fetch') set -- $1 --debuginfod-deadline 1 0123456789abcdef ;;
	'gsym find') set -- $1 "$gsym" main ;;
	'gsym lookup') set -- $1 "$gsym" 0x1000 ;;
	'gsym create' | 'symbfile create') set -- $1 -o "$work/out/made" "$root/tests/fixtures/dwarf/linked" ;;
	'symbols write') set -- $1 --machine amd64 -o "$work/out/made" "$gsym" ;;
	'symbfile fetch' | 'symbfile push') set -- $1 --retries 0 --url http://127.0.0.1:1 "$object" ;;
	'symbfile serve') set -- $1 --listen 127.0.0.1:0 --store "$work/store" ;;
	serve) set -- $1 --listen 127.0.0.1:0 --directory "$work/store" ;;
	'serve --store') set -- $1 "$work/store" --listen 127.0.0.1:0 ;;
	'symbfile id') set -- $1 "$object" ;;
	'symbfile name') set -- $1 _Z1fv ;;
	'symbfile lookup') set -- $1 "$symbfile" 0x1000 ;;
	symbfile*) set -- $1 "$symbfile" ;;
	where | 'where --debuginfod') set -- $1 "$root/tests/fixtures/gsym/prog" 0x1150 ;;
	'dwarf dump') set -- $1 "$object" ;;
	markup*) set -- $1 "$root/tests/fixtures/markup/bare.log" ;;
	'profile convert'*) set -- $1 --to folded -o "$work/out/made" "$root/tests/fuzz/corpus/pprof/named" ;;
	minidump) set -- $1 -o "$work/out/made" "$root/tests/fuzz/corpus/core_stacks/threads.core" ;;
	'minidump --pid') set -- $1 $$ ;;
	bt) set -- $1 "$root/tests/fixtures/minidump/amd64.dmp" ;;
	'bt --debuginfod') set -- $1 "$root/tests/fixtures/minidump/amd64.dmp" ;;
	'bt --pid') set -- $1 $$ ;;
	*) return 1 ;;
	esac
	printf '%s\n' "$@"
}

# Runs the words on standard input; a server is asked to end.
run() {
	set -f
	IFS='
'
	# shellcheck disable=SC2046 # a word a line
	set -- $(cat)
	set +f
	unset IFS
	rm -f "$work/report" "$work/text"
	SANDBOX_NAMED=$SANDBOX_SECRET
	for word in "$@"; do
		[ ! -f "$word" ] || SANDBOX_NAMED=$word
	done
	export SANDBOX_NAMED
	case "$1 $2" in
	'symbfile serve' | 'serve --listen' | 'serve --store')
		LD_PRELOAD=$probe "$cairn" "$@" >"$work/text" 2>&1 &
		server=$!
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			grep -qs listening "$work/text" && break
			sleep 0.2
		done
		kill $server
		wait $server
		;;
	*) timeout 60 env LD_PRELOAD="$probe" "$cairn" "$@" >"$work/text" 2>&1 </dev/null ;;
	esac
}

# has KEY VALUE: does the report have it?
has() {
	grep -q "\<$1=$2\>" "$work/report" || fail "$command: $1 is not '$2': $(cat "$work/report")"
}

words 'symbfile name' | run
[ -s "$work/report" ] || {
	echo "skipped: no library can be loaded into this cairn"
	exit 77
}
grep -q 'landlock=[1-9].* seccomp=1' "$work/report" || {
	echo "skipped: this kernel has no Landlock, or no filters of system calls"
	exit 77
}

sed -n '/^## Confinement/,/^## Files that cairn opens/s/^| `cairn \([^`]*\)` | \(.*\) |$/\1 | \2/p' "$root/docs/SECURITY.md" >"$work/table"
while IFS='|' read -r command reads writes network processes later; do
	command=${command% } reads=$(echo $reads) writes=$(echo $writes) network=$(echo $network) processes=$(echo $processes)
	later=$(echo $later)
	rows=$((rows + 1))
	case $command in
	*fetch | *push | *serve* | *origin) [ "$net" = yes ] || continue ;;
	esac
	words "$command" >"$work/words" || {
		fail "$command: this test does not know it"
		continue
	}
	run <"$work/words"
	[ -s "$work/report" ] || {
		fail "$command: $(cat "$work/text")"
		continue
	}
	[ "$later" != 'opens none' ] || reads=named # when the probe looks
	case $reads in named) has read no ;; any) has read yes ;; *) fail "$command: reads $reads" ;; esac
	case $writes in any) has write yes ;; *) has write no ;; esac
	case $writes in output) [ "$command" = markup ] || ls "$work/out" | grep -q made || fail "$command: wrote nothing: $(cat "$work/text")" ;; esac
	rm -rf "$work/out"/made*
	case $later in
	'opens none') has named no ;;
	'the same') [ "$SANDBOX_NAMED" = "$SANDBOX_SECRET" ] || has named yes ;;
	*) fail "$command: with its files open it keeps '$later'" ;;
	esac
	has network "$network"
	has trace "$processes"
	has run no
done <"$work/table"
[ $rows -gt 0 ] || fail "docs/SECURITY.md has no table of commands"
# of each verb that keeps rights, and does not confine its children itself
find "$root/core/cli" -name '*.c' | xargs awk 'BEGIN { RS = ";" }
/struct command [a-z_]+ =/ && /\.rights = RIGHT_/ && !/RIGHT_ALL/ {
	sub(/^[^"]*"cairn /, ""); sub(/ ["[-].*/, ""); gsub(/ /, "_"); print
}' >"$work/verbs"
[ "$(wc -l <"$work/verbs")" -ge 20 ] || fail "of verbs with rights only these are seen: $(cat "$work/verbs")"
while read -r verb; do
	grep -q "^$(echo "$verb" | tr _ ' ') " "$work/table" || fail "docs/SECURITY.md has no row for $verb"
done <"$work/verbs"

# without it everything is possible
rm -f "$work/report"
LD_PRELOAD=$probe "$cairn" --no-sandbox symbfile name _Z1fv >/dev/null
command=--no-sandbox
for right in read write named network trace run; do has $right yes; done

# of two files the second one is read, too, and the answers are those without a sandbox
for words in "gsym stats $gsym $gsym" "gsym dump $gsym $gsym" "symbfile stats $symbfile $symbfile" "symbfile id $symbfile $gsym" \
	"sframe dump --hex $root/tests/fixtures/sframe/v3-amd64.hex $root/tests/fixtures/sframe/v3-amd64.hex" \
	"cbf decode $cbf/trace.hex $cbf/trace.hex $work/none" "gsym verify $work/none $gsym" "cbf find $object $object"; do
	# shellcheck disable=SC2086 # words
	{
		"$cairn" $words >"$work/with" 2>&1
		echo $? >>"$work/with"
		"$cairn" --no-sandbox $words >"$work/without" 2>&1
		echo $? >>"$work/without"
	}
	cmp -s "$work/with" "$work/without" || fail "$words: $(diff "$work/with" "$work/without" | head -n 3)"
done
[ $failed = 0 ] && echo "sandbox: $rows commands keep what the page has"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Are the reports that Swift prints read in all settings, by `cairn open`, `markup`, `bt` and `cbf decode`?  A program in C takes the
# place of one in Swift: its functions call each other, or "resume" where only their first byte is reported.
#
#	swift.sh CAIRN SHARED COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shared=$(cd "$2" 2>/dev/null && pwd) || shared=$2
shift 2
. "$(dirname "$0")/../../lib/test.sh"
unset DEBUGINFOD_URLS
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cd "$work" || exit 2
[ "$(uname -m)" = x86_64 ] || skip 'stacks are made for amd64 only'
mkdir -p root/srv
cat >deck.c <<'END'
#include <stdio.h>
#include <stdint.h>
extern const char __ehdr_start[];
static uintptr_t in_board;
__attribute__((noinline)) void sink(uintptr_t from)
{
	uintptr_t in_sink = (uintptr_t)__builtin_return_address(0);
	printf("%jx %jx ", (uintmax_t)(in_sink - (uintptr_t)__ehdr_start), (uintmax_t)(from - (uintptr_t)__ehdr_start));
}
__attribute__((noinline)) void board(void)
{
	sink((uintptr_t)__builtin_return_address(0));
	in_board++;
}
__attribute__((noinline)) void resume_load(void) { in_board *= 3; }
__attribute__((noinline)) void resume_main(void) { in_board += 7; }
int main(void)
{
	board();
	printf("%jx %jx %jx\n", (uintmax_t)((uintptr_t)sink - (uintptr_t)__ehdr_start),
		(uintmax_t)((uintptr_t)resume_load - (uintptr_t)__ehdr_start), (uintmax_t)((uintptr_t)resume_main - (uintptr_t)__ehdr_start));
	resume_load(), resume_main();
	return (int)in_board;
}
END
"$@" -g -O1 -fno-inline -fPIE -pie -Wl,--build-id=sha1 deck.c -o root/srv/deck || skip 'no position-independent program'
id=$(readelf -n root/srv/deck 2>/dev/null | sed -n 's/^ *Build ID: //p')
[ -n "$id" ] || skip 'no readelf, or no build ID'
root/srv/deck >offsets
read -r board main sink load resume <offsets || fail 'the program printed nothing'
base=$((0x55d0c0de0000))
at() { printf '0x%016x' $((base + 0x$1)); }
head='*** Program crashed: Illegal instruction at 0x000055d0c0de1139 ***

Platform: x86_64 Linux (Debian)
'
tail="
Registers:

rax 0x0000000000000001  1

Images (1 omitted):

$(at 0)–$(at 8000) $id deck                 /srv/deck

Backtrace took 0.02s
"
long=$(at "$sink")
rows_off="Thread 0 \"deck\":

0  0x00007f178891c6e1
1  ...

Thread 1 crashed:

0         $long
1 [ra]    $(at "$board")
2 [ra]    $(at "$main")
3 [async] $(at "$load")
4 [async] $(at "$resume")
5 [async] $(at "$load")
...
"
rows_named="Thread 1 crashed:

  0                  $long sink + 0 in deck at /src/deck.swift:8:16
  1 [ra]             $(at "$board") board + 3 in deck at /src/deck.swift:14:9

     13| }
  *  14| board()

  2 [ra]             $(at "$main") main + 3 in deck
  3 [async]          $(at "$load") resume_load in deck at /src/deck.swift:20
  4 [async] [system] $(at "$resume") <unknown> in deck
  5 [async] [thunk]  $(at "$load") resume_load in deck at //<compiler-generated>
"
printf '%s\n%s\n%s' "$head" "$rows_off" "$tail" >off
printf '%s\n%s\n%s' "$head" "$rows_named" "$tail" >named
sed 's/^\( *[0-9][0-9]*\) /\x1b[90m\1\x1b[39m /; s/\[\([a-z]*\)\]/\x1b[34m[\1]\x1b[39m/g; s/0x[0-9a-f–x]*/\x1b[32m&\x1b[39m/g
	s/\*\*\* \(.*\) \*\*\*/\xf0\x9f\x92\xa3 \x1b[91m\1\x1b[39m/' off >color
sed 's/^/2026-11-30T10:00:00Z deck[71]: /' off >prefixed
frame() { printf '{"kind": "%s", "address": "%s"%s}' "$1" "$2" "${3:-}"; }
{
	printf '{ "timestamp": "2026-11-29T02:47:11Z", "kind": "crashReport", "description": "Illegal instruction", '
	printf '"faultAddress": "%s", "threads": [ { "name": "deck", "frames": [ %s, {"kind": "truncated"} ] }, ' "$long" "$(frame programCounter 0x00007f178891c6e1)"
	printf '{ "crashed": true, "frames": [ %s, %s, %s, %s, %s, {"kind": "omittedFrames", "count": 7}, %s ] } ], ' \
		"$(frame programCounter "$long" ', "symbol": "$s4main4sinkyS2iF", "offset": 3, "description": "$s4main4sinkyS2iF + 3"')" \
		"$(frame returnAddress "$(at "$board")")" "$(frame returnAddress "$(at "$main")" ', "symbol": "<unknown>"')" \
		"$(frame asyncResumePoint "$(at "$load")")" "$(frame asyncResumePoint "$(at "$resume")")" "$(frame asyncResumePoint "$(at "$load")")"
	printf '"images": [ { "name": "deck", "buildId": "%s", "path": "/srv/deck", "baseAddress": "%s", "endOfText": "%s" } ] }\n' "$id" "$(at 0)" "$(at 8000)"
} >report.json

functions='sink board main resume_load resume_main resume_load '
# frames CORE: the functions of the first thread
frames() {
	"$cairn" bt --quiet --thread 1 "$1" | sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z_]*\) (.*/\2/p' | tr '\n' ' '
}
for report in off named color prefixed report.json; do
	"$cairn" open --quiet --sysroot root -o core $report >said 2>&1
	[ "$(frames core)" = "$functions" ] || fail "open $report: '$(frames core)': $(cat said)"
	# what follows the frames is lost: the program is placed all the same if it is given
	[ $report = report.json ] || sed '/^.*Images/,$d' $report >cut
	[ $report = report.json ] || [ $report = named ] || "$cairn" open --quiet --exe "root/srv/deck@$(at 0)" -o core cut >said 2>&1
	[ "$(frames core)" = "$functions" ] || fail "open $report without images: '$(frames core)': $(cat said)"
done

# the friendly preset: no addresses
{
	printf '%s\nThread 3 crashed:\n\n0 sink in deck at /src/deck.swift:8:16\n' "$head"
	printf '1 board + 3 in deck at /src/deck.swift:14:9\n\n     13| }\n\n2 main + 4 in deck at /src/deck.swift:15\nBacktrace took 0.02s\n'
} >friendly
"$cairn" open --quiet --exe root/srv/deck -o core friendly >said 2>&1
[ "$(frames core)" = 'sink board main ' ] || fail "friendly: '$(frames core)': $(cat said)"

# stacks without a report, whose names have other addresses
{
	echo 'Simultaneous accesses to 0x7f10e8002870, but modification requires exclusive access.'
	printf 'Previous access (a modification) started at deck`<unavailable> + %d (0x%x).\n' $((0x$main)) $((base + 0x$main))
	echo 'Current access (a modification) started at:'
	printf '0    deck                               %s sink + 1\n' "$long"
	printf '1    deck                               %s <unavailable> + %d\n' "$(at "$board")" $((0x$board))
	printf '2    libc.so.6                          0x00007f10f2eb7db8 <unavailable> + 609720\n'
} >old
"$cairn" open --quiet --exe root/srv/deck -o core old >said 2>&1
case $(frames core) in
'sink board '*) ;;
*) fail "old: '$(frames core)': $(cat said)" ;;
esac

# markup: frames without names get them, and everything else stays
for report in off color prefixed old; do
	"$cairn" markup --reports --color never --exe root/srv/deck $report >out 2>said || fail "markup $report: $(cat said)"
	[ "$(wc -l <out)" = "$(wc -l <$report)" ] || fail "markup $report: other lines"
done
"$cairn" markup --reports --color never --exe root/srv/deck off 2>/dev/null >out
[ "$(sed -n 's/.* = \([a-z_]*\) .*deck.c:.*/\1/p' out | tr '\n' ' ')" = "$functions" ] || fail "markup off: $(cat out)"
sed 's/ = .*//' out | cmp -s off - || fail "markup off: the log is not kept"
cat off | "$cairn" markup --reports --color never --exe root/srv/deck 2>/dev/null | cmp -s out - || fail 'markup from a pipe'
"$cairn" markup --reports --color never --exe root/srv/deck color 2>/dev/null | grep -c ' = resume_' | grep -qx 3 || fail 'markup color'
"$cairn" markup --reports --color never --exe root/srv/deck named 2>/dev/null >out
sed 's/resume_main [^ ]*deck.c:[0-9:]* in deck/<unknown> in deck/' out | cmp -s named - || fail "markup named: $(diff named out)"
"$cairn" markup --reports --color never --exe root/srv/deck old 2>/dev/null >out
grep -q 'started at deck`main [^ ]*deck.c:' out && grep -q '^1    deck .*0x[0-9a-f]* board [^ ]*deck.c:[0-9:]*$' out || fail "markup old: $(cat out)"
# reports that are longer, have more images, or more other lines than are held
{
	cat off
	echo "$head"
	awk 'BEGIN { for (i = 0; i < 20000; i++) print i " [ra] 0x0000000000001234 f(_:) + 1 in deck at /src/deck.swift:8:16" }'
	printf '%s\n' "$tail"
	echo "$head"
	awk 'BEGIN { for (i = 0; i < 5000; i++) printf "0x%016x–0x%016x 00ff a /a%d\n", i * 4096, i * 4096 + 4095, i }'
	echo 'Thread 7 crashed:'
	awk 'BEGIN { for (i = 0; i < 70; i++) print "other" }'
	cat off
} >many
"$cairn" markup --reports --color never --exe root/srv/deck many >out 2>said
sed 's/ = .*//' out | cmp -s many - || fail 'markup many: the log is not kept'
[ "$(grep -c ' = ' out)" = 12 ] || fail "markup many: $(grep -c ' = ' out) names"
"$cairn" open --quiet --sysroot root -o core many >said 2>&1
[ "$(frames core)" = "$functions" ] || fail "open many: '$(frames core)': $(cat said)"

# bt of a report, and its names from below the root
"$cairn" bt --sysroot root --color never report.json >out || fail 'bt report.json: exit status'
sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([^ ]*\) .*/\2/p' out | tr '\n' ' ' | grep -q '^sink(_:) board main resume_load resume_main resume_load ?? $' || fail "bt: $(cat out)"
grep -qx 'Program crashed: Illegal instruction at 0x[0-9a-f]*' out && grep -qx '(7 frames omitted)' out && grep -qx 'Thread 1 (crashed):' out &&
	grep -qx 'Thread 2 ("deck"):' out && grep -qx '(More stack frames follow...)' out || fail "bt: $(cat out)"
"$cairn" bt --crashed -n 2 report.json | grep -c '^#' | grep -qx 2 || fail 'bt -n 2'
"$cairn" bt --thread 2 report.json | grep -c '^Thread' | grep -qx 1 || fail 'bt --thread 2'
"$cairn" bt --json --sysroot root report.json | head -n 1 |
	grep -q "\"abort_message\":\"Illegal instruction\",\"frames\":\\[.*\"function\":\"resume_load\".*\"build_id\":\"$id\",\"module_offset\":\"0x$load\".*\"exact\":true" ||
	fail "bt --json: $("$cairn" bt --json --sysroot root report.json)"

# cbf decode: the frames of text and JSON are the same
"$cairn" cbf decode report.json | grep -v omitted | sed 's/^[0-9]*//' >json.txt
"$cairn" cbf decode off | sed 's/^[0-9]*//' | cmp -s json.txt - || fail "cbf decode: $("$cairn" cbf decode off | diff json.txt -)"
"$cairn" cbf decode report.json | grep -q '^5	... 7 frames omitted$' || fail 'cbf decode: omitted frames'
"$cairn" cbf decode --symbols --exe root/srv/deck color | grep -c 'deck.c' | grep -qx 6 || fail 'cbf decode --symbols'
"$cairn" cbf decode --from report off | cmp -s - /dev/null && fail 'cbf decode --from report'
printf '*** Program crashed: nothing\n' >nothing
"$cairn" cbf decode nothing >said 2>&1
[ $? = 3 ] && grep -q ': contains no frame with an address$' said || fail "cbf decode nothing: $(cat said)"

# JSON that was cut in the list of images: the frames before are good
head -c $(($(wc -c <report.json) - 40)) report.json >cut.json
"$cairn" open --quiet --exe "root/srv/deck@$(at 0)" -o core cut.json >said 2>&1
[ "$(frames core)" = "$functions" ] || fail "open cut.json: '$(frames core)': $(cat said)"

# cut at each line, or at odd bytes of JSON: nothing crashes or hangs
cuts=0
for report in named color old report.json; do
	size=$(wc -c <$report)
	step=$((size / 8 + 1))
	for n in $(seq 1 $step "$size"); do
		head -c "$n" $report >cut
		for verb in "open --quiet --sysroot root -o core" "markup --reports" bt "cbf decode"; do
			# shellcheck disable=SC2086 # words
			timeout 20 "$cairn" $verb cut >/dev/null 2>&1
			[ $? -lt 124 ] || fail "$verb of $n bytes of $report"
		done
		cuts=$((cuts + 1))
	done
done
# very many frames
awk -v head="$head" 'BEGIN { print head "\nThread 0 crashed:\n"
	for (i = 0; i < 300000; i++) printf "%d [async] 0x%016x\n", i, 4096 + i * 16 }' >long
timeout 60 "$cairn" open -o core long >said 2>&1
[ $? = 1 ] && grep -q ': too many frames; 234464 are omitted$' said || fail "open long: $(cat said)"
timeout 60 "$cairn" markup --reports --color never long 2>/dev/null | cmp -s long - || fail 'markup long'

# the samples of Swift 6.2: all frames of the crashed thread are in the stack, without any of the files
samples=0
for report in "$shared"/swift/reports/[st]*.txt; do
	[ -f "$report" ] || continue
	rows=$(sed 's/\x1b\[[0-9;]*m//g' "$report" | awk '/^Thread .*:$/ { on = / crashed:$/ } /^(Registers|Images)/ { on = 0 }
		on && /^ *[0-9]+ .*0x/ && !/\[inlined\]/ { rows++ } END { print rows }')
	"$cairn" open --quiet -o core "$report" 2>/dev/null
	got=$("$cairn" bt --quiet --thread 1 core | grep -c '^#')
	[ "$got" = "$rows" ] || fail "$(basename "$report"): $got frames of $rows"
	samples=$((samples + 1))
done
[ $samples -gt 0 ] || echo "no samples of Swift's reports in $shared: not tried"
echo "swift: $cuts cuts, $samples samples"
exit $failed

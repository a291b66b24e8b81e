#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Are code that a program has made, and the kernel's, named in recordings of perf: by the jitdump with the function that was there at the
# time, by a perf map with none where it has several, by the list of the kernel's symbols where it is that kernel's? And do files of
# others, and later ones, name nothing?
#
#	recorded_jit.sh CAIRN PROGRAM
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$work" || exit 2
export HOME="$work/home" # where perf does not keep what it records
command -v perf >/dev/null || skip "perf is not there: scripts/setup.sh --profiles installs it"
perf record -N -q -e cpu-clock -o probe.data true 2>errors || skip "perf cannot record here: $(head -n 1 errors)"

# count FILE NAME: how often stacks of folded text end with the name
count() {
	awk -v name="$2" '{ count = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); if ($0 == name) sum += count } END { print sum + 0 }' "$1"
}

# fold NAME [OPTION...]: the recording as folded text, counted in samples
fold() {
	name=$1
	shift
	"$cairn" profile convert --quiet --to folded --sample-type samples -o "$name.folded" "$@" "$name.data" 2>report ||
		{ fail "$name: not converted"; cat report; }
}

# expect NAME FUNCTION LEAST: no fewer samples than that
expect() {
	[ "$(count "$1.folded" "$2")" -ge "$3" ] || { fail "$1: $(count "$1.folded" "$2") samples of $2"; sort "$1.folded" | tail -n 5; }
}

# a jitdump has times, and so has the recording the same clock
CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY=$work perf record -N -q -k 1 -e cpu-clock -F 997 -o dump.data "$program" || fail 'perf'
fold dump
for function in before_that after_that always_there; do expect dump $function 20; done
"$cairn" profile convert --quiet --to otlp-json -o lines.jsonl dump.data
grep -q '/src/made.js' lines.jsonl || fail 'a jitdump: no file of a line'

# by another clock nobody knows which of two it was
CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY=$work perf record -N -q -e cpu-clock -F 997 -o clock.data "$program" || fail 'perf'
fold clock
expect clock always_there 20
[ "$(count clock.folded before_that)$(count clock.folded after_that)" = 00 ] || fail 'another clock: a name that may be wrong'

# a perf map has none, and lies in /tmp, beside the recording, where only an older one counts, or in a directory
CAIRN_JIT=perf-map perf record -N -q -e cpu-clock -F 997 -o map.data "$program" || fail 'perf'
map=perf-$(perf script -F pid -i map.data 2>/dev/null | awk 'NF { print $1; exit }').map
fold map
expect map always_there 20
[ "$(count map.folded before_that)$(count map.folded after_that)" = 00 ] || fail 'a perf map: a name that may be wrong'
mv "/tmp/$map" . || fail 'no perf map was written'
fold map
expect map always_there 20
touch -d 'now + 1 hour' "$map"
fold map
[ "$(count map.folded always_there)" = 0 ] || fail 'a later perf map counts'
mkdir folder && mv "$map" folder
fold map
[ "$(count map.folded always_there)" = 0 ] || fail 'a perf map is found nowhere'
fold map --directory folder
expect map always_there 20
"$cairn" profile convert --no-symbolize --directory folder --quiet --to folded -o none.folded map.data
[ "$(count none.folded always_there)" = 0 ] || fail 'a name that was not asked for'

# stacks that the kernel has copied go through made code by its frame pointers, between compiled functions, and in JavaScript
CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY=$work perf record -N -q -k 1 -e cpu-clock -F 997 --call-graph dwarf -o nested.data "$program" nested || fail 'perf'
fold nested
expect nested compiled_loop 20
whole=$(awk '/^_start;.*;main;run_nested;run_function;outer_made;inner_made;compiled_loop [0-9]+$/ { sum += $NF } END { print sum + 0 }' nested.folded)
[ $((100 * whole)) -ge $((97 * $(count nested.folded compiled_loop))) ] || { fail "nested: $whole stacks are whole"; head -n 3 nested.folded; }
if command -v node >/dev/null; then
	cat >app.js <<'END'
function innermost(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i); return sum; }
function middle(n) { return innermost(n) + 1; }
function outermost(n) { return middle(n) + 2; }
const end = Date.now() + 700;
let sum = 0;
while (Date.now() < end) sum += outermost(20000);
console.log(sum);
END
	perf record -N -q -e cpu-clock -F 997 --call-graph dwarf,32768 -o node.data node --perf-basic-prof --no-turbo-inlining app.js >/dev/null 2>&1
	fold node
	rm -f "/tmp/perf-$(perf script -F pid -i node.data 2>/dev/null | awk 'NF { print $1; exit }').map"
	# functions that are interpreted have the name of the interpreter
	awk '/innermost/ { all += $NF }
		/^_start;.*;main;.*;Builtins_JSEntry;.*innermost/ || /^_start;.*;node::Start.*;Builtins_JSEntry;.*innermost/ { whole += $NF }
		END { exit !(all > 100 && whole >= 0.97 * all) }' node.folded || { fail 'JavaScript'; cat report; cut -c 1-300 node.folded | tail -n 3; }
fi

# leaves FILE: the innermost name of each sample of folded text, sorted
leaves() {
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); for (; n > 0; n--) print }' "$1" | sort
}

# share FILE FILE: per cent of the lines of the first that are in the second, both sorted
share() {
	echo $((100 * $(comm -12 "$1" "$2" | wc -l) / $(wc -l <"$1")))
}

# the kernel: a list that says the same of its reference names its code; one of another kernel, or without addresses, does not
if ! grep -q '^0*[1-9a-f][0-9a-f]* T _text$' /proc/kallsyms; then
	echo 'not checked: this kernel does not show its symbols'
	exit $failed
fi
perf record -N -q -e cpu-clock -F 997 -o kernel.data dd if=/dev/zero of=/dev/null bs=64k count=200000 2>errors || fail 'perf of dd'
perf script -F ip,sym -i kernel.data 2>/dev/null | awk '$1 ~ /^ffff/ { print $2 }' | sort >theirs
[ "$(wc -l <theirs)" -gt 20 ] || fail 'perf has no samples of the kernel'
fold kernel
leaves kernel.folded >ours
# perf may choose another one of several names for one address
[ "$(share theirs ours)" -ge 95 ] || { fail "the kernel: $(share theirs ours) per cent of perf's names"; comm -23 theirs ours | uniq -c | sort -n | tail -n 5; }
# what perf keeps of it, in a tree of build IDs
id=$(perf buildid-list -k -i kernel.data 2>/dev/null | cut -d ' ' -f 1)
mkdir -p "tree/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-)"
sed 's/ do_syscall_64$/ kept_name/' /proc/kallsyms >"$(echo tree/.build-id/*/*)/kallsyms"
fold kernel --directory tree
grep -q '\<kept_name\>' kernel.folded || fail 'the list that perf keeps is not read'
# the same kernel at another place, which moves all names but those of modules
awk '!/\[/ { sub(/^ffffffff/, "fffffffe"); print }' /proc/kallsyms >moved
fold kernel --kallsyms moved
leaves kernel.folded >elsewhere
[ "$(share theirs elsewhere)" -ge 95 ] || fail 'a kernel that was elsewhere has other names'
for list in 's/ _text$/ text/' 's/^[0-9a-f]*/0000000000000000/'; do
	sed "$list" /proc/kallsyms >other
	fold kernel --kallsyms other
	leaves kernel.folded >none
	[ "$(share theirs none)" = 0 ] || fail "a list that says nothing of this kernel names it: $list"
done
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn gsym create --tree`: a store has the files that single runs make, whatever the number of processes; what
# is there and whole is kept, what is not is made again; a file that fails costs itself alone; who is killed leaves
# no half file.
#
#	whole_tree.sh CAIRN
set -u
LC_ALL=C
export LC_ALL
cairn=$1
fixtures=$(cd "$(dirname "$0")/../../fixtures" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
trap 'exit 2' HUP INT TERM
fail() {
	echo "tree: $*"
	exit 1
}

# The file of a build ID in a store.
stored() {
	printf '%s/.build-id/%.2s/%s.gsym\n' "$1" "$2" "${2#??}"
}

in=$work/in
mkdir -p "$in/usr/bin" "$in/debug"
cp "$fixtures/dwarf/named" "$in/usr/bin/named"
named=6162636465666768696a6b6c6d6e6f7071727374
# the same build without DWARF, and once more: the first file that has most is taken
other=$(printf 'abcdefghijklmnopqrsz')
sed "s/abcdefghijklmnopqrst/$other/" "$fixtures/dwarf/named" >"$in/debug/one"
cp "$in/debug/one" "$in/debug/two"
sed "s/\.debug_info/.nothing_at/" "$in/debug/one" >"$in/debug/a-stripped"
ln -s ../debug "$in/usr/loop"
echo 'no program' >"$in/usr/text"
cp "$fixtures/dwarf/linked" "$in/usr/bin/linked"
otherid=6162636465666768696a6b6c6d6e6f707172737a

"$cairn" gsym create --tree "$in" -o "$work/store" >"$work/out" 2>&1 || fail "status $?: $(cat "$work/out")"
cat >"$work/expected" <<END
$work/store: 2 builds in 6 files of $in
  2 made, 0 already there, 0 without functions, 0 failed
  1 ELF files without a build ID
END
diff "$work/expected" "$work/out" || fail 'the summary'
for pair in "$named usr/bin/named" "$otherid debug/one"; do
	"$cairn" gsym create --quiet -o "$work/single" "$in/${pair#* }" || fail "no file of ${pair#* }"
	cmp "$work/single" "$(stored "$work/store" "${pair%% *}")" || fail "${pair#* } differs from that of a single run"
done
[ "$(find "$work/store" -type f | wc -l)" = 2 ] || fail 'more in the store than that'
"$cairn" gsym lookup --directory "$work/store" "$in/debug/one" 0x401020 >"$work/out" && grep -q measure "$work/out" ||
	fail 'a lookup does not find the store'

# what is whole stays, what is not is made anew
ls -i "$(stored "$work/store" $named)" >"$work/before"
head -c 300 "$(stored "$work/store" $otherid)" >"$work/cut"
cp "$work/cut" "$(stored "$work/store" $otherid)"
"$cairn" gsym create --json --tree "$in" -o "$work/store" >"$work/out" || fail "again: status $?"
grep -q '"state":"kept".*6263' "$work/out" && grep -q '"state":"made".*727374' "$work/out" && fail 'the whole one was made again'
grep -q "\"build_id\":\"$otherid\",\"state\":\"made\"" "$work/out" || fail "the cut one was kept: $(cat "$work/out")"
grep -q '"builds":2,"made":1,"kept":1,"no_functions":0,"failed":0' "$work/out" || fail "counts: $(tail -n 1 "$work/out")"
ls -i "$(stored "$work/store" $named)" | cmp - "$work/before" || fail 'a whole file was replaced'
cp "$(stored "$work/store" $otherid)" "$(stored "$work/store" $named)"
"$cairn" gsym create --quiet --tree "$in" -o "$work/store" || fail "a file of another build: status $?"
"$cairn" gsym create --quiet -o "$work/single" "$in/usr/bin/named"
cmp "$work/single" "$(stored "$work/store" $named)" || fail 'a file of another build was kept'

# many inputs, some of which fail: messages in the order of the files, whatever the number of processes
for i in 0 1 2 3 4 5 6 7 8 9; do
	sed "s/abcdefghijklmnopqrst/abcdefghijklmnopqr_$i/" "$fixtures/dwarf/named" >"$in/usr/bin/n$i"
done
for i in 3 7; do
	# the length of its unit of DWARF
	printf '\377\377\377\177' | dd of="$in/usr/bin/n$i" bs=1 seek=4260 conv=notrunc 2>/dev/null
done
for jobs in 1 2 13; do
	"$cairn" gsym create -j $jobs --tree "$in" -o "$work/many$jobs" >"$work/out" 2>&1
	echo "status $?" >>"$work/out"
	sed "s/many$jobs/many/" "$work/out" >"$work/out$jobs"
done
cmp "$work/out1" "$work/out2" && cmp "$work/out1" "$work/out13" || fail 'messages depend on the number of processes'
grep -q '^status 3$' "$work/out1" && grep -q ' 10 made, 0 already there, 0 without functions, 2 failed' "$work/out1" &&
	[ "$(grep -o 'n[37]: ' "$work/out1" | uniq | tr -d '\n')" = 'n3: n7: ' ] || fail "failed files: $(cat "$work/out1")"
diff -r "$work/many1" "$work/many13" || fail 'files depend on the number of processes'

# a process that is ended by a signal, here for writing too much; ThreadSanitizer itself writes a file when a program starts
if (ulimit -f 0 && "$cairn" --version) >/dev/null 2>&1; then
	out=$(
		ulimit -f 0
		"$cairn" gsym create -j 3 --tree "$in" -o "$work/small" 2>&1
	)
	case $out in
	*"usr/bin/n0: the conversion was killed by signal "*) ;;
	*) fail "a conversion that is ended: $out" ;;
	esac
	[ "$(find "$work/small" -type f | wc -l)" = 0 ] || fail 'it left a file'
else
	echo 'tree: no program of this build starts without files to write: not ended by a signal'
fi

# killed in the middle: the group, when the first file is there
cp "$cairn" "$in/usr/bin/program"
for i in 1 2 3; do
	rm -rf "$work/killed"
	setsid "$cairn" gsym create -j 2 --quiet --tree "$in" -o "$work/killed" >/dev/null 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ "$(find "$work/killed" -name '*.gsym' 2>/dev/null | wc -l)" -lt $i ]; do :; done
	kill -9 -- -$pid 2>/dev/null
	wait $pid 2>/dev/null
	for file in $(find "$work/killed" -name '*.gsym'); do
		"$cairn" gsym verify "$file" >"$work/out" || fail "a half file: $file: $(cat "$work/out")"
	done
done
"$cairn" gsym create --quiet --tree "$in" -o "$work/killed" 2>/dev/null
"$cairn" gsym create --quiet --tree "$in" -o "$work/whole" 2>/dev/null
find "$work/killed" -name '.cairn-*' -delete # of processes that may live still
diff -r "$work/killed" "$work/whole" || fail 'a run after a killed one differs'

# nothing to do, and wrong use
mkdir "$work/empty"
"$cairn" gsym create --tree "$work/empty" -o "$work/none" >"$work/out" 2>&1
[ $? = 1 ] && grep -q 'no file in it has symbols and a build ID' "$work/out" || fail "an empty folder: $(cat "$work/out")"
"$cairn" gsym create --tree "$work/missing" -o "$work/none" >"$work/out" 2>&1
[ $? = 3 ] && grep -q 'missing: cannot read: No such file' "$work/out" || fail "no folder: $(cat "$work/out")"
"$cairn" gsym create --tree "$in" >"$work/out" 2>&1
[ $? = 2 ] && grep -q -e '--tree requires --output with the directory of the store' "$work/out" || fail "no store: $(cat "$work/out")"
"$cairn" gsym create --tree "$in" -o "$work/none" --segment-size 4096 >"$work/out" 2>&1
[ $? = 2 ] && grep -q -e '--tree cannot create segments' "$work/out" || fail "pieces: $(cat "$work/out")"
"$cairn" gsym create --tree "$in" -o "$work/none" "$in/usr/text" >"$work/out" 2>&1
[ $? = 2 ] && grep -q -e '--tree takes no INPUT' "$work/out" || fail "an input: $(cat "$work/out")"
echo 'tree: whole, resumed, in any number of processes'

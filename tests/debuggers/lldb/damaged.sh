#!/bin/sh
# SPDX-License-Identifier: MIT
# damaged.sh: files of symbols that are cut, or damaged by chance (tests/tools/mutate.c), of each format: cairn takes what is
# sound in them or reports what is wrong, LLDB shows stacks with what it was given, and a good file is right afterwards.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v c++filt >/dev/null || skip 'no c++filt on this machine'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"
"$CC_TARGET" -O1 "$here/../../tools/mutate.c" -o mutate
"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "$programs/sample.c" -o eh/sample 2>said ||
	skip 'the assembler does not know --gsframe'
objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr eh/sample no/sample
"$CAIRN" gsym create --quiet --statements eh/sample -o good.gsym
"$CAIRN" symbfile create --quiet --only ranges eh/sample -o good >/dev/null
mv good.ranges good.symbfile
"$CAIRN" gsym dump good.gsym | c++filt | awk -f "$here/../breakpad.awk" >good.breakpad

files=0
for format in gsym symbfile breakpad; do
	size=$(wc -c <good.$format)
	for part in 0 1 2 3 4 5 6 7 8 9 10 11; do
		head -c $((size * part / 12)) good.$format >cut$part.$format
	done
	for seed in $(seq 1 24); do
		./mutate "$seed" good.$format >odd$seed.$format
	done
	for file in cut*.$format odd*.$format; do
		files=$((files + 1))
		printf '%s\n' "cairn add-$format -module sample -force $tmp/$file" 'bt 3' 'cairn where $pc' 'cairn bt 2' \
			'cairn symbols unload'
	done
done >commands
{
	echo "cairn add-gsym $tmp/good.gsym"
	echo 'bt 2'
	echo 'cairn bt 1'
	echo 'cairn status'
} >>commands
status=0
lldb no/sample -O "plugin load $LLDB_PLUGIN" -O 'settings set use-color false' \
	-o "breakpoint set -s sample -a 0x$(va sample stop_here)" -o 'process launch -- recurse' -o 'command source -e 0 commands' \
	>said || status=$?
[ "$status" -le 1 ] || {
	tail -n 30 said
	fail "LLDB ended with status $status"
}
taken=$(grep -aEc '^[^ ]*no/sample: [0-9]* functions from .*/(cut|odd)' said || :)
refused=$(grep -aEc '^error: .*/(cut|odd)[0-9]*[.]' said || :)
[ "$taken" -ge 20 ] && [ "$refused" -ge 8 ] && [ $((taken + refused)) = $files ] || {
	grep -aE 'functions from|^error' said | head -n 40
	fail "$files files: $taken taken, $refused refused"
}
sed -n '/^(lldb) cairn add-gsym .*good/,$p' said >last
grep -q '`stop_here at sample.c:23' last && grep -q '^#0 .* in stop_here at sample.c:23$' last && grep -q ' in LLDB' last || {
	cat last
	fail 'a good file after damaged ones'
}
echo "$files damaged files: $taken taken, $refused refused, and then a good one"

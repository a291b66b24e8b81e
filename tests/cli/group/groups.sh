#!/bin/sh
# SPDX-License-Identifier: MIT
# Equal crashes counted: groups.sh CAIRN FIXTURES
# Lines in any order, in parts, and groups again; the IDs of single lines; stacks of real minidumps.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
fixtures=$(cd "$2" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export XDG_CACHE_HOME="$work/cache"

# frames NAME...: the stack of a crash
frames() {
	printf '{"program":"server","crashed":true,"signal":"SIGSEGV","frames":['
	separator=
	for name in "$@"; do
		printf '%s{"function":"%s"}' "$separator" "$name"
		separator=,
	done
	printf ']}\n'
}

# Three bugs: one as two builds have it, one that differs in what it was called by outside of main, one in a report.
{
	frames 'void parse<int>(char const*)' 'main' '__libc_start_main' '_start'
	frames raise abort check 'worker(int)' start_thread clone
	frames 'parse<long>(char const*) [clone .isra.0]' 'main' '__libc_start_call_main' '_start'
	frames __memcpy_avx_unaligned copy main
	frames memcpy copy main
	frames 'parse(char const*)' main
	printf '{"crash_report":1,"time":1700000007,"threads":[%s],"core_file":"/var/crash/a.core"}\n' "$(frames copy main)"
	printf '{"crash_report":1,"time":1700000003,"threads":[%s],"core_file":"/var/crash/b.core"}\n' "$(frames copy main)"
} >crashes
"$cairn" group crashes >groups || fail "exit status $?"
[ "$(sed 's/.*"count":\([0-9]*\),"signature":\(\[[^]]*\]\).*/\1 \2/' groups)" = '4 ["copy","main"]
3 ["parse","main"]
1 ["check","worker"]' ] || fail "other groups: $(cat groups)"
grep -q '"first":1700000003,"last":1700000007,' groups || fail 'no times'
[ "$(grep -c '"first"' groups)" = 1 ] || fail 'times of crashes that have none'

# the ID is what anybody can compute
id=$(printf '2 all\ncopy\nmain\n' | sha256sum | cut -c 1-16)
grep -q "^{\"id\":\"$id\",\"rules\":2,\"names\":\"all\",\"count\":4," groups || fail "no group has the ID $id"

# the example is the line with the least hash
least=$(grep '"copy"' crashes | while IFS= read -r line; do printf '%s' "$line" | sha256sum; done | sort | head -n 1 | cut -d ' ' -f 1)
grep -q "\"copy\".*\"example\":{\"hash\":\"$least\"" groups || fail "the example is not $least"

# any order, from standard input too
for order in 'sort' 'sort -r' 'sort -k 2' tac; do
	$order crashes | "$cairn" group >again || fail "$order: exit status $?"
	cmp -s groups again || fail "$order: other bytes"
done

# any split into parts, whose groups add up; a file without a line feed at its end
for at in 1 2 3 4 5 6 7; do
	head -n $at crashes | "$cairn" group >part1
	tail -n +$((at + 1)) crashes | "$cairn" group >part2
	"$cairn" group part2 part1 | cmp -s groups - || fail "parts at $at do not add up"
	"$cairn" group part1 - <part2 | cmp -s groups - || fail "parts at $at with standard input do not add up"
	tail -n +$((at + 1)) crashes >rest
	"$cairn" group part1 rest | cmp -s groups - || fail "groups and crashes at $at do not add up"
done
printf '%s' "$(cat crashes)" | "$cairn" group | cmp -s groups - || fail 'without the last line feed'
"$cairn" group groups groups | grep -q '"count":8,.*"copy"' || fail 'counts do not add up'

# --hashes: parts that overlap, in any order, and a line that comes twice; without, the same groups but for what is kept
"$cairn" group --hashes crashes >kept || fail "--hashes: exit status $?"
sed 's/,"hashes":\[[^]]*\]//' kept | cmp -s - groups || fail "--hashes: other groups: $(cat kept)"
[ "$(sed -n 's/.*"hashes":\[\([^]]*\)\].*/\1/p' kept | tr -d '"' | tr ',' '\n' | sort)" = "$(while IFS= read -r line; do printf '%s' "$line" | sha256sum | cut -c 1-32; done <crashes | sort)" ] ||
	fail '--hashes: not those of the lines'
for at in 1 3 5 7; do
	head -n $((at + 1)) crashes | "$cairn" group --hashes >part1
	tail -n +$at crashes | "$cairn" group --hashes >part2
	"$cairn" group --hashes part2 part1 part2 crashes | cmp -s kept - || fail "--hashes: parts that overlap at $at"
done
"$cairn" group kept | cmp -s groups - || fail 'groups with hashes do not count without --hashes'
"$cairn" group --hashes groups >printed 2>errors
[ $? = 3 ] && [ ! -s printed ] && grep -q '^cairn: groups: a group without hashes, which --hashes cannot merge at byte 0 ' errors || fail "--hashes of groups without: $(cat errors)"
sed 's/"count":4/"count":5/' kept | "$cairn" group --hashes >printed 2>errors
[ $? = 3 ] && grep -q 'a member of the group is missing or invalid' errors || fail "hashes that are too few: $(cat errors)"

# an answer has the hash of its request, and counts as it would
printf '{"answer":1,"request":"%s","result":"done",%s\n' "$(head -n 1 crashes | tr -d '\n' | sha256sum | cut -c 1-64)" "$(head -n 1 crashes | cut -c 2-)" >answer
{
	cat answer
	head -n 1 crashes
} | "$cairn" group --hashes | grep -q '"count":1,' || fail 'an answer and its request are two crashes'
echo '{"answer":1,"request":"00","result":"rejected"}' | "$cairn" group --each 2>errors | grep -q '{"id":null,"why":"no stack"}' || fail 'an answer without a stack'

# --rules: what the user adds changes IDs, and groups of other rules are left out
cat >rules <<'RULES'
# of our server

inner   copy   # the caller is to blame
outer check*
runtime libown.so*
RULES
{
	frames copy use main
	frames deep checks check_all main
	printf '{"frames":[{"module":"/opt/libown.so.2","module_offset":"0x1"},{"function":"copy"},{"function":"f"}]}\n'
} >ours
"$cairn" group --rules rules ours >ruled || fail "--rules: exit status $?"
[ "$(sed 's/.*"signature":\(\[[^]]*\]\).*/\1/' ruled)" = '["deep"]
["f"]
["use","main"]' ] || fail "--rules: $(cat ruled)"
version=$(sed -n '1s/.*"rules":"\(2+[0-9a-f]\{16\}\)".*/\1/p' ruled)
[ -n "$version" ] || fail "--rules: no version: $(cat ruled)"
grep -q "\"id\":\"$(printf '%s all\nuse\nmain\n' "$version" | sha256sum | cut -c 1-16)\"" ruled || fail '--rules: not the ID that anybody can compute'
"$cairn" group --rules rules ruled | cmp -s ruled - || fail '--rules: groups are not read again'
{
	echo 'runtime libown.so*'
	echo '	outer check*'
	echo 'outer check*'
	echo 'inner copy'
} >other.rules
"$cairn" group --rules other.rules ours | cmp -s ruled - || fail '--rules: their order changes the version'
"$cairn" group ruled 2>errors
[ $? = 3 ] && grep -q 'a group was created with a different --rules file or version of cairn; create the groups again from the answers' errors || fail "--rules: groups of other rules: $(cat errors)"
# wrong_rules WORDS TEXT
wrong_rules() {
	printf '%b' "$2" >wrong.rules
	"$cairn" group --rules wrong.rules ours >printed 2>errors
	[ $? = 3 ] && [ ! -s printed ] && [ "$(cat errors)" = "cairn: wrong.rules: $1; no groups are printed" ] || fail "wrong rules: $(cat errors)"
}
wrong_rules 'line 2: a rule must begin with inner, outer or runtime' '\nskip f\n'
wrong_rules 'line 1: the rule has no pattern' 'inner \n'
wrong_rules 'line 3: the pattern matches every name' '\n\ninner *'
wrong_rules "line 1: '*' must be at the end of the pattern" 'runtime lib*.so'
wrong_rules 'line 1: the pattern is longer than 1,024 bytes' "inner $(head -c 1025 /dev/zero | tr '\0' x)"
wrong_rules 'line 1025: too many rules (limit: 1,024)' "$(awk 'BEGIN { for (i = 0; i < 1025; i++) print "inner f" i }')"
{
	echo 'inner f'
	head -c 1100000 /dev/zero | tr '\0' '#'
} >large.rules
"$cairn" group --rules large.rules ours >printed 2>errors
[ $? = 3 ] && [ "$(cat errors)" = 'cairn: large.rules: too large (limit: 1 MiB); no groups are printed' ] || fail "large rules: $(cat errors)"

# what a handler returns to has no name in a stripped C library, and says nothing of the bug
{
	echo '{"program":"p","signal":"SIGSEGV","frames":[{"function":"handler"},{"module":"/lib/libc.so.6","module_offset":"0x9","signal":true},{"function":"f"},{"function":"main"}]}'
	frames f main
} | "$cairn" group | grep -q '"names":"all","count":2,"signature":\["f","main"\]' || fail 'a handler of signals changes the group'

# a line each, in the order of the lines
{
	cat crashes
	echo
	echo '{"crashed":false,"frames":[{"function":"f"}]}'
	echo '{"crash_report":1,"failure":"the core could not be read"}'
	head -n 1 groups
} >lines
"$cairn" group --each lines >ids 2>errors
[ $? = 1 ] || fail '--each: exit status'
[ "$(wc -l <ids)" = "$(wc -l <lines)" ] || fail "--each: $(wc -l <ids) lines"
[ "$(sed -n 's/^{"id":"\([0-9a-f]*\)"}$/\1/p' ids | sort | uniq -c | awk '{ print $1 }' | sort)" = '1
3
5' ] || fail "--each: $(cat ids)"
[ "$(sed -n 9,11p ids)" = '{"id":null,"why":"an empty line"}
{"id":null,"why":"the thread did not crash"}
{"id":null,"why":"no stack"}' ] || fail "--each: $(sed -n 9,11p ids)"
[ "$(sed -n 12p ids)" = "{\"id\":\"$id\"}" ] || fail '--each: a group has another ID'
[ "$(cat errors)" = 'cairn: lines: 1 reports have no stack and are not counted' ] || fail "--each: $(cat errors)"

# stacks without names are never in a group with complete ones
{
	frames copy main
	echo '{"frames":[{"module":"copy"},{"function":"main"}]}'
	echo '{"program":"copy","signal":"main","frames":[{"module":"/bin/copy","module_offset":"0x1"}]}'
} | "$cairn" group >kinds
[ "$(sed 's/.*"names":"\([a-z]*\)".*/\1/' kinds | sort)" = 'all
none
some' ] || fail "kinds: $(cat kinds)"

# what is wrong is told, and the rest is counted
{
	head -n 1 crashes
	echo 'no JSON'
	echo '{"a":1}'
	sed -n 1p groups | sed 's/"rules":2/"rules":3/'
	sed -n 1p groups | sed 's/"copy"/"kopy"/'
	sed -n 2p crashes
} >wrong
"$cairn" group wrong >printed 2>errors
[ $? = 3 ] || fail 'wrong lines: exit status'
[ "$(wc -l <printed)" = 2 ] || fail "wrong lines: $(cat printed)"
[ "$(sed 's/ at byte.*;/;/' errors)" = 'cairn: wrong: expected a JSON value; the line is omitted
cairn: wrong: no stack, report or group; the line is omitted
cairn: wrong: a group was created with a different --rules file or version of cairn; create the groups again from the answers; the line is omitted
cairn: wrong: the ID of the group does not match its signature; the line is omitted' ] || fail "wrong lines: $(cat errors)"
offset=$(head -n 2 wrong | wc -c)
grep -q "no stack, report or group at byte $offset " errors || fail "not at $offset: $(cat errors)"
"$cairn" group none 2>errors
[ $? = 3 ] && grep -q '^cairn: none: cannot read: No such file' errors || fail "no file: $(cat errors)"
"$cairn" group . 2>errors
[ $? = 3 ] && grep -q '^cairn: \.: cannot read: ' errors || fail "a folder: $(cat errors)"
"$cairn" group </dev/null >printed 2>errors
[ $? = 1 ] && [ ! -s printed ] && grep -q 'contains no crashes' errors || fail 'an empty file'
echo '{"crashed":false,"frames":[{"function":"f"}]}' | "$cairn" group >printed 2>errors
[ $? = 1 ] && [ ! -s printed ] || fail 'no crash: exit status'
[ "$(cat errors)" = 'cairn: standard input: contains 1 threads, none of which crashed' ] || fail "no crash: $(cat errors)"

# real stacks: with and without symbols, the same twice, and not together
[ -f "$fixtures/minidump/amd64.dmp" ] || fail 'no minidump'
for machine in amd64 arm64; do
	dump=$fixtures/minidump/$machine.dmp
	"$cairn" bt --json --quiet "$dump" >bare.json 2>/dev/null
	"$cairn" bt --json --quiet --directory "$fixtures/minidump/$machine-symbols" "$dump" >named.json 2>/dev/null
	grep -q '"function"' named.json || fail "$machine: no names, with symbols"
	! grep -q '"function"' bare.json || fail "$machine: names, without symbols"
	cat bare.json named.json bare.json | "$cairn" group >real 2>errors || fail "$machine: exit status $?, $(cat errors)"
	[ "$(wc -l <real)" = 2 ] || fail "$machine: $(cat real)"
	sed -n 1p real | grep -q '"names":"none","count":2,"signature":\["libx.so",' || fail "$machine: without symbols: $(cat real)"
	sed -n 2p real | grep -q '"names":"\(all\|some\)","count":1,' || fail "$machine: with symbols: $(cat real)"
	sed -n 2p real | cut -d , -f 1 >>bugs
	# as the handler writes it: in a report
	printf '{"crash_report":1,"time":5,"threads":[%s]}\n' "$(paste -s -d , named.json)" | "$cairn" group --each >reported
	grep '"crashed":true' named.json | "$cairn" group --each | cmp -s reported - || fail "$machine: a report has another ID"
done
[ "$(sort -u bugs | wc -l)" = 1 ] || fail "one bug on two machines: $(cat bugs)"
# a name is cut where a character begins: a core has the 15 bytes that the kernel leaves, and half a character at their end
for program in '/opt/\320\277\321\200\320\270\320\273\320\276\320\266\320\265\320\275\320\270\320\265' \
	'\320\277\321\200\320\270\320\273\320\276\320\266\320\265\\ufffd'; do
	printf "{\"program\":\"$program\",\"signal\":\"SIGSEGV\",\"frames\":[{\"pc\":\"0x10\"}]}\n"
done >cut
"$cairn" group cut >groups.cut || fail 'names that are cut'
[ "$(sed 's/.*"count":\([0-9]*\).*/\1/' groups.cut)" = 2 ] || fail "names that are cut: $(cat groups.cut)"
"$cairn" group groups.cut | cmp - groups.cut || fail 'groups of names that are cut are not read again'
exit $failed

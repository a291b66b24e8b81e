#!/bin/sh
# SPDX-License-Identifier: MIT
# Requests that want too much: hostile.sh CAIRN FIXTURES
# What is malformed is rejected with words and a place; large, deep and many things end within time and memory.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
fixtures=$(cd "$2" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export HOME="$work" XDG_CACHE_HOME="$work/cache"
unset DEBUGINFOD_URLS

# sanitizers want terabytes
space=600000
(ulimit -v $space && exec "$cairn" --version) >/dev/null 2>&1 || space=unlimited

# rejects OFFSET WORDS REQUEST: as text, ' for "
rejects() {
	printf '%s' "$3" | tr "'" '"' | (spend 5 "$cairn" symbolize) >answer 2>errors
	status=$?
	[ $status = 3 ] && grep -q "^{\"answer\":1,\"request\":\"[0-9a-f]\{64\}\",\"result\":\"rejected\",\"reason\":\"$2\",\"offset\":$1}\$" answer ||
		fail "$3: status $status: $(cat answer errors)"
}
what='no stack, report, list of frames or reference'
address='a frame without an address of 0x and 1 to 16 digits'
hash=$(printf '%064d' 7)
rejects 0 'the text ends inside a JSON value' ''
rejects 0 "$what" '{}'
rejects 0 "$what" '[]'
rejects 0 "$what" "'x'"
rejects 3 "$what" '   {}'
rejects 10 '\\"frames\\" is not an array' "{'frames':{}}"
rejects 21 '\\"frames\\" is not an array' "{'tid':1, 'frames' : 5}"
rejects 0 'a thread without frames' "{'tid':1}"
rejects 11 '\\"threads\\" is not an array' "{'threads':1}"
rejects 12 'a thread that is not an object' "{'threads':[1]}"
rejects 12 'a thread without frames' "{'threads':[{}]}"
rejects 26 'a frame that is not an object' "{'threads':[{'frames':   [7]}]}"
rejects 11 'a frame that is not an object' "{'frames':['0x1']}"
rejects 11 "$address" "{'frames':[{}]}"
rejects 11 "$address" "{'frames':[{'address':17}]}"
rejects 11 "$address" "{'frames':[{'address':'0x'}]}"
rejects 11 "$address" "{'frames':[{'address':'0X12'}]}"
rejects 11 "$address" "{'frames':[{'address':'12'}]}"
rejects 11 "$address" "{'frames':[{'address':'0x12345678123456781'}]}"
rejects 11 "$address" "{'frames':[{'address':'0x1g'}]}"
rejects 35 'an address kind that is not va, file_offset or module_offset' "{'frames':[{'address':'0x1','kind':'pc'}]}"
rejects 8 'the hash of a reference must have 64 hexadecimal digits' "{'hash':'12'}"
rejects 8 'the hash of a reference must have 64 hexadecimal digits' "{'hash':12}"
rejects 0 'the size of a reference must be a whole number' "{'hash':'$hash'}"
rejects 82 'the size of a reference must be a whole number' "{'hash':'$hash','size':-1}"
rejects 0 'the kind of a reference must be core, minidump or log' "{'hash':'$hash','size':1}"
rejects 0 'a reference must have either a path or a url of 1 to 4,095 bytes' "{'hash':'$hash','size':1,'kind':'core'}"
rejects 105 'a reference must have either a path or a url of 1 to 4,095 bytes' "{'hash':'$hash','size':1,'kind':'core','path':'a','url':'b'}"
rejects 82 'the reference is to more than 1 GiB' "{'hash':'$hash','size':2000000000,'kind':'core','path':'a'}"

# hostile SECONDS NAME STATUS WORDS: a file in bounded memory
hostile() {
	(
		[ "$space" = unlimited ] || ulimit -v $space
		spend "$1" "$cairn" symbolize <"$2" >answer 2>errors
	)
	status=$?
	[ $status = "$3" ] && head -c 1000 answer | grep -q "$4" || fail "$2: status $status: $(head -c 300 answer) $(head -c 300 errors)"
}
{
	printf '{"frames":"'
	head -c 70000000 /dev/zero | tr '\0' x
	printf '"}'
} >large
hostile 20 large 3 '"reason":"the request exceeds 64 MiB","offset":67108864}'
head -c 30000 /dev/zero | tr '\0' '[' >deep
hostile 5 deep 3 '"result":"rejected","reason":"JSON is nested too deeply","offset":64}'
awk 'BEGIN {
	printf "{\"frames\":["
	for (i = 0; i < 140000; i++) printf "%s{\"build_id\":\"%08x\",\"address\":\"0x%x\"}", i ? "," : "", i + 1, i
	print "]}"
}' >many
hostile 20 many 3 '"reason":"more than 131,072 frames"'
awk 'BEGIN {
	printf "{\"tid\":1,\"frames\":["
	for (i = 0; i < 140000; i++) printf "%s{\"function\":\"f\",\"inlined\":true}", i ? "," : ""
	print "]}"
}' >inlined
hostile 20 inlined 3 '"reason":"more than 131,072 frames"'
awk 'BEGIN {
	printf "{\"threads\":["
	for (i = 0; i < 20000; i++) printf "%s{\"frames\":[]}", i ? "," : ""
	print "]}"
}' >threads
hostile 20 threads 3 '"reason":"more than 16,384 threads"'
# as many build IDs as there may be frames: each is looked for once
awk 'BEGIN {
	printf "{\"frames\":["
	for (i = 0; i < 20000; i++) printf "%s{\"build_id\":\"%08x\",\"address\":\"0x%x\"}", i ? "," : "", i % 10000 + 1, i
	print "]}"
}' >modules
mkdir -p empty
(spend 60 "$cairn" symbolize --directory empty <modules >answer) || [ $? = 1 ] || fail "modules: $?"
[ "$(tr ',' '\n' <answer | sed -n '/missing_build_ids/,/results/p' | wc -l)" -ge 10000 ] || fail "modules: $(head -c 300 answer)"
# names of odd bytes stay in one line of UTF-8, and members that no answer could have are left out
printf '{"tid":1,"na\\u006de":"x","a b":1,"answer":7,"request":"r","result":"r","reason":"r","n":1e5,"o":{"a":1},"frames":[{"function":"a\\nb\377","inlined":false,"level":77}]}' >odd
"$cairn" symbolize <odd >answer || fail "odd: status $?"
printf '{"answer":1,"request":"%s","result":"done","missing_build_ids":[],"tid":1,"n":1e5,"frames":[{"level":0,"function":"a\\nb\357\277\275","inlined":false}]}\n' "$(sha256sum <odd | cut -c 1-64)" | cmp - answer || fail "odd: $(cat answer)"
# a line that is too long is answered, and the next one, too
{
	head -c 140000000 /dev/zero | tr '\0' x
	echo
	cat odd
} >lines
(spend 20 "$cairn" symbolize --each <lines >answers) || fail "a long line: status $?"
[ "$(sed -n 1p answers)" = '{"answer":1,"request":null,"result":"rejected","reason":"a line of more than 128 MiB"}' ] || fail "a long line: $(sed -n 1p answers)"
sed -n 2p answers | cmp - answer || fail "after a long line: $(sed -n 2p answers)"
"$cairn" symbolize "$fixtures" >answer 2>errors
[ $? = 2 ] && grep -q 'this command takes no operands' errors || fail "an operand: $(cat errors)"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn profile convert` make of OpenTelemetry's JSON what it makes of the same message? Does it read files of several
# objects, say once how many members it left out, and tell of damage in which line it is?
#
#	json.sh CAIRN PROFILED
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
profiled=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
corpus=$(cd "$(dirname "$0")/../../fuzz/corpus" && pwd)
cd "$work" || exit 2
own='main;outer_function;hot_function;innermost_inlined'

# same WHAT MESSAGE JSON [OPTION...]: both become the same bytes
same() {
	what=$1 message=$2 json=$3
	shift 3
	for format in pprof folded firefox; do
		"$cairn" profile convert --quiet "$@" --to $format -o a.$format "$message" || fail "$what: the message as $format"
		"$cairn" profile convert --quiet "$@" --to $format -o b.$format "$json" || fail "$what: JSON as $format"
		[ $format = firefox ] && sed -i 's/"importedFrom":"[^"]*"//' a.$format b.$format
		cmp a.$format b.$format || fail "$what: $format"
	done
}

same 'a small message' "$corpus/otlp/1.10" "$corpus/otlp_json/one" --no-symbolize

# a real program
"$profiled" message json || fail 'the program does not run'
same 'a program' message message.json
grep -q "$own 30000000\$" b.folded || { fail 'a program: other names'; cat b.folded; }
"$cairn" profile convert --to otlp -o named message.json 2>report || fail 'JSON as the message'
grep -q 'message.json: JSON of OpenTelemetry: 6 locations were named' report || { fail 'no report'; cat report; }
"$cairn" profile convert --quiet --no-symbolize --to folded named >folded
cmp folded b.folded || fail 'the message that JSON became has other stacks'
gzip -k message.json
"$cairn" profile convert --quiet --to otlp -o - - <message.json.gz | cmp - named || fail 'JSON, packed, through a pipe'

# the same as JSON, which is the format of its own: one line, with all that the message has, whatever it came from
for from in message message.json message.json.gz; do
	"$cairn" profile convert --quiet --to otlp-json -o written "$from" 2>errors || fail "$from: not written as JSON"
	[ ! -s errors ] || { fail "$from: words"; cat errors; }
	[ "$(wc -l <written)" = 1 ] || fail "$from: is not one line"
	"$cairn" profile convert --quiet --no-symbolize --to otlp -o again written || fail "$from: JSON is not read again"
	"$cairn" profile convert --quiet --no-symbolize --to otlp-json again | cmp - written && [ "$(wc -c <again)" = "$(wc -c <named)" ] ||
		fail "$from: JSON has lost something"
done
"$cairn" profile convert --quiet -o own.json message.json && cmp own.json written || fail 'JSON in its own format, by a name that ends in .json'
"$cairn" profile convert --quiet - <message.json | cmp - written || fail 'JSON in its own format, through a pipe'
"$cairn" profile convert --quiet --no-symbolize - <written | cmp - written || fail 'JSON that was written becomes another one'
"$cairn" profile convert --quiet -o own.jsonl.gz message && gzip -dc own.jsonl.gz | cmp - written || fail 'packed JSON'
grep -q '"resourceProfiles":\[{.*"dictionary":{.*"stringTable":\["",' written || fail 'not the members of the protocol'
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; json.load(open("written"))' || fail 'python3 reads it otherwise'
fi

# a resource with a field that nobody knows
{ cat message; printf '\012\002\170\001'; } >more
"$cairn" profile convert --quiet --no-symbolize --to otlp-json -o written more 2>errors || fail 'a message with another field'
[ "$(cat errors)" = 'cairn: more: unknown fields omitted because they have no JSON name: 1' ] || { fail 'a field is left out in silence'; cat errors; }

# several objects, one a line
{ cat message.json; echo; cat message.json message.json; } >lines
"$cairn" profile convert --quiet --to otlp -o stream lines || fail 'several objects'
"$cairn" profile convert --quiet -o lines.json lines || fail 'several objects as JSON'
[ "$(wc -l <lines.json)" = 3 ] && [ "$(sort -u lines.json | wc -l)" = 1 ] || fail 'several objects are not a line each'
"$cairn" profile convert --quiet --no-symbolize --to otlp -o again lines.json && [ "$(wc -c <again)" = "$(wc -c <stream)" ] || fail 'several objects have changed in JSON'
[ "$(wc -c <stream)" = $((3 * ($(wc -c <named) + 4))) ] || fail 'several objects are no messages with lengths'
"$cairn" profile convert --quiet --no-symbolize --to folded stream >folded || fail 'a stream of JSON is not read again'
[ "$(grep -c "$own 30000000\$" folded)" = 3 ] || { fail 'several objects have other stacks'; cat folded; }
"$cairn" profile convert --to pprof -o never lines 2>errors
[ $? = 3 ] && grep -q 'a file with several messages can only be converted to otlp, otlp-json or folded' errors && [ ! -e never ] || fail 'several objects as pprof'

# members that nobody knows are told once
sed 's/"stackIndex":1/"stackIndex":1,"weather":{"rain":[1]}/' lines >unknown
"$cairn" profile convert --quiet --to folded unknown >folded 2>errors || fail 'unknown members'
[ "$(cat errors)" = 'cairn: unknown: unknown JSON members omitted: 3' ] || { fail 'unknown members'; cat errors; }

# damage has its line, and leaves no output
sed '3s/"address":"[0-9]*"/"address":"0x10"/' lines >damaged
"$cairn" profile convert --quiet --to folded -o never damaged 2>errors
[ $? = 3 ] && [ ! -e never ] && grep -q '^cairn: damaged: line 3: expected a number at byte ' errors || { fail 'a damaged line'; cat errors; }
at=$(sed 's/.*at byte \([0-9]*\).*/\1/' errors)
[ "$(tail -c +$((at + 1)) damaged | head -c 6)" = '"0x10"' ] || fail 'the place of the damage'
{ cat message.json; echo 'no JSON'; } >behind
"$cairn" profile convert --quiet -o never behind 2>errors
[ $? = 3 ] && [ ! -e never ] && grep -q 'line 2: more text follows the JSON value' errors || { fail 'text behind'; cat errors; }
head -c 1000 message.json >cut
"$cairn" profile convert --quiet -o never cut 2>errors
[ $? = 3 ] && [ ! -e never ] && grep -q 'line 1: the text ends inside a JSON value at byte 1000' errors || { fail 'JSON that is cut'; cat errors; }
echo '{"resourceSpans":[]}' >spans
"$cairn" profile convert --quiet -o never spans 2>errors
[ $? = 3 ] && [ ! -e never ] && grep -q 'not a profile that cairn can read' errors || { fail 'spans'; cat errors; }
exit $failed

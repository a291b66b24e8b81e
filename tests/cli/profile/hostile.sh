#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do profiles, JSON too, and recordings of perf that are cut or damaged, packed ones too, end in words and leave no output? Do packed bombs end at the bound, and
# profiles whose texts stand for gigabytes?
#
#	hostile.sh CAIRN PROFILED
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
profiled=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
corpus=$(cd "$(dirname "$0")/../../fuzz/corpus/perfdata" && pwd)
cd "$work" || exit 2
"$profiled" whole odd
gzip -k whole

# try WHAT FILE: ends in 20 s, with an output or with words
try() {
	rm -f out
	(spend 20 "$cairn" profile convert --quiet -o out "$2") 2>errors
	status=$?
	case $status in
	0) [ -s out ] || fail "$1: no output" ;;
	3)
		[ -s errors ] || fail "$1: no words"
		[ ! -e out ] || fail "$1: an output is left"
		;;
	*) fail "$1: status $status" ;;
	esac
}

for recording in "$corpus"/*; do
	cp "$recording" "$(basename "$recording").data"
done
cp "$corpus/../otlp_json/kinds" kinds.json
cp "$corpus/../otlp_json/lines" lines.json
for file in whole whole.gz *.data *.json; do
	size=$(wc -c <$file)
	at=0
	while [ $at -lt "$size" ]; do
		head -c $at $file >cut
		try "$file cut at $at" cut
		{ head -c $at $file; printf '\377'; tail -c +$((at + 2)) $file; } >flipped
		try "$file damaged at $at" flipped
		at=$((at + size / 15 + 1))
	done
done

# a caller at 0 stays there: one byte before a return address is looked up, but nothing is before that one
if "$cairn" profile convert --quiet --no-symbolize --to folded packed.data >chains 2>errors; then
	grep -q ';0x0;' chains || fail "a caller at 0: $(cat chains)"
else
	grep -q zstd errors || fail "a packed recording: $(cat errors)"
fi

# 300 MB in one piece, and ten of these
head -c 300000000 /dev/zero | gzip -1 >bomb
cat bomb bomb bomb bomb bomb bomb bomb bomb bomb bomb >bombs
for bomb in bomb bombs; do
	try "a packed $bomb" $bomb
	[ $status = 3 ] && grep -q 'too large when decompressed (limit: ' errors || fail "a packed $bomb was taken"
done

# JSON: brackets in each other, a number of many digits, a text without an end, one object in a million
head -c 30000000 /dev/zero | tr '\0' '[' | { printf '{"x":'; cat; } >deep.json
try 'JSON that is deep' deep.json
[ $status = 3 ] && grep -q 'line 1: JSON is nested too deeply' errors || { fail 'JSON that is deep'; cat errors; }
{ printf '{\n"dictionary":{"locationTable":[{"address":'; head -c 30000000 /dev/zero | tr '\0' 9; printf '}]}}\n'; } >digits.json
try 'a number of many digits' digits.json
[ $status = 3 ] && grep -q 'line 2: a number that is not whole, or out of range' errors || { fail 'a number of many digits'; cat errors; }
{ printf '{"dictionary":{"stringTable":["'; head -c 30000000 /dev/zero | tr '\0' t; } >text.json
try 'a text without an end' text.json
[ $status = 3 ] && grep -q 'line 1: the text ends inside a JSON value at byte 30000031' errors || { fail 'a text without an end'; cat errors; }
{
	printf '{"dictionary":{"locationTable":[{}'
	i=0
	while [ $i -lt 1000 ]; do printf ',{}'; i=$((i + 1)); done >thousand
	i=0
	while [ $i -lt 1000 ]; do cat thousand; i=$((i + 1)); done
	printf ']}}'
} >many.json
try 'a million of locations' many.json
[ $status = 0 ] || { fail 'a million of locations'; cat errors; }

# one location, with a name of 60 kB, in a million stacks of ten thousand frames
if command -v awk >/dev/null; then
	{
		printf '\012\004\010\001\020\001\042\006\010\001\042\002\010\001\052\004\010\001\020\001\062\000\062\340\324\003'
		head -c 60000 /dev/zero | tr '\0' n
	} >deep
	i=0
	{
		printf '\022\226\116\012\220\116'
		head -c 10000 /dev/zero | tr '\0' '\001'
	} >sample
	printf '\022\001\005' >>sample
	while [ $i -lt 200 ]; do
		cat sample >>deep
		i=$((i + 1))
	done
	rm -f out
	(spend 20 "$cairn" profile convert --quiet --to folded -o out deep) 2>errors
	[ $? = 3 ] && grep -q 'larger than the limit for this profile' errors && [ ! -e out ] || {
		fail 'a profile of 120 GB of text'
		cat errors
	}
fi
exit $failed

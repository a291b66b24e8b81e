#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn profile convert` give the stacks of programs the names that they know themselves, whatever linked them and
# whatever kind of address the profile has? Does a file of another build give none, and one that is gone until
# its build ID leads to it? Is everything else carried over, in each form of the input?
#
#	convert.sh CAIRN PROFILED SOURCES COMPILER...
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
profiled=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
root=$3
shift 3
cd "$work" || exit 2
own='main;outer_function;hot_function;innermost_inlined'

# What writes its profile is the same in each program.
compile_writers() {
	mkdir writers
	for source in "$root/core/formats/pprof.c" "$root"/core/formats/otlp/otlp*.c "$root/core/base/wire.c"; do
		$compiler -I"$root/core" -I"$root/core/include" -fPIE -c "$source" -o "writers/$(basename "$source" .c).o" || exit 2
	done
}

# build NAME OPTION...: the program, in a file of its own
build() {
	name=$1
	shift
	$compiler -I"$root/core" -I"$root/core/include" -O2 -g "$@" -o "$name" "$root/tests/cli/profile/profiled.c" \
		writers/*.o -Wl,--build-id=sha1 2>"$name.log"
}

# named WHAT PROFILE [OPTION...]: its stack is that which the program knows
named() {
	what=$1
	shift
	"$cairn" profile convert --quiet --to folded "$@" >folded 2>errors || fail "$what: status $?"
	grep -q "$own 30000000\$" folded || { fail "$what"; cat folded errors; }
}

compiler=$*
builds=0
compile_writers
while IFS='|' read -r name options; do
	# shellcheck disable=SC2086 # several options
	build "$name" $options || continue
	builds=$((builds + 1))
	for way in '' linked loose last otlp; do
		# shellcheck disable=SC2086 # no word, or one
		"./$name" profile $way || { fail "$name does not run"; continue; }
		named "$name $way" profile
	done
	rm -f "$name"
done <<'END'
pie|-fPIE -pie
no-pie|-no-pie
gold|-fuse-ld=gold
lld|-fuse-ld=lld
one-segment|-Wl,-z,noseparate-code
static|-static
static-pie|-static-pie
no-frame-pointer|-fomit-frame-pointer
END
[ $builds -ge 4 ] || fail "only $builds builds"

# the report, and a build ID that is not that of the file
"$profiled" other other
"$cairn" profile convert --to folded other >folded 2>report || fail 'another build: no output'
grep -q "$own" folded && fail 'names of another build'
grep -q 'locations*: a file from another build was found' report || { fail 'no reason'; cat report; }
for way in zeros no-id; do
	"$profiled" profile $way
	named "$way" profile
done

# a program that is gone is found by its build ID, in a directory of debug files with its debug file beside it
cp "$profiled" moved
./moved profile
id=$(LC_ALL=C readelf -n moved | sed -n 's/.*Build ID: //p')
folder=debug/.build-id/$(echo "$id" | cut -c 1-2)
mkdir -p "$folder"
"$cairn" profile convert --quiet -o moved.gsym.pb.gz profile || fail 'a program that is there'
objcopy --only-keep-debug moved "$folder/$(echo "$id" | cut -c 3-).debug" &&
	cp moved kept && rm moved
"$cairn" profile convert --to folded profile >folded 2>report
grep -q 'locations*: file not found' report || { fail 'a program that is gone: no reason'; cat report; }
named 'by its debug file alone' --debug-file-directory debug profile
mkdir -p "root$work"
cp kept "root$work/moved"
named 'below a sysroot' --sysroot root profile
mv kept moved

# functions alone, as symbol tables know them
"$cairn" profile convert --no-inline --to folded -o folded profile 2>report || fail 'functions alone'
grep -q 'main;outer_function;hot_function 30000000$' folded || { fail 'functions alone'; cat folded report; }
"$cairn" profile convert --no-inline --quiet -o alone.pb.gz profile
"$cairn" profile convert --quiet --to folded alone.pb.gz >folded
grep -q 'main;outer_function;hot_function 30000000$' folded || { fail 'functions alone, written and read'; cat folded; }

# what is not named is the same, byte for byte, and what is named has the same samples and labels
"$profiled" odd odd
gzip -k odd
for input in odd odd.gz; do
	"$cairn" profile convert --no-symbolize -o same.pb.gz $input || fail "$input: not written"
	gzip -dc same.pb.gz | cmp - odd || fail "$input: not carried over"
	"$cairn" profile convert --no-symbolize -o - - <$input | gzip -dc | cmp - odd || fail "$input: through a pipe"
done
"$cairn" profile convert --quiet -o once.pb.gz odd
"$cairn" profile convert -o twice.pb.gz once.pb.gz 2>report
cmp once.pb.gz twice.pb.gz || fail 'a profile with names changes'
grep -q ' 0 locations were named' report || { fail 'names were looked up again'; cat report; }
"$cairn" profile convert --symbolize-all -o again.pb.gz once.pb.gz 2>report
grep -q ' 0 already had names' report || { fail 'names were not looked up again'; cat report; }
named 'names that were looked up twice' --sample-type cpu again.pb.gz
gzip -dc once.pb.gz | grep -q 'unknown' || fail 'an unknown field is lost'
[ "$(gzip -dc once.pb.gz | grep -c 'kept')" -gt 0 ] || fail 'unknown fields of locations are lost'
"$cairn" profile convert --quiet -o odd.folded once.pb.gz
grep -q "$own 3\$" odd.folded || fail 'the default type of the profile is not counted'
"$cairn" profile convert --quiet -o odd.folded.gz once.pb.gz
gzip -dc odd.folded.gz | cmp - odd.folded || fail 'folded text, packed'

# a message of OpenTelemetry: names are in what is written, and without them it is the same
"$profiled" message otlp
"$cairn" profile convert --no-symbolize -o same.otlp message
cmp message same.otlp || fail 'a message of OpenTelemetry is not carried over'
"$cairn" profile convert -o named.otlp.gz message 2>report
grep -q 'OpenTelemetry 1.10 or 1.11: 6 locations were named' report || { fail 'the version is not told'; cat report; }
named 'a message that was named' --no-symbolize named.otlp.gz
"$cairn" profile convert --quiet --to pprof -o from-message message || fail 'a message is not written as pprof'
gzip -dc from-message >from-message.pb
named 'a message as pprof' --no-symbolize from-message.pb

# several messages, each with its length before it
size=$(printf '%08x' "$(wc -c <message)")
length=$(printf '\\%03o\\%03o\\%03o\\%03o' 0x"$(echo "$size" | cut -c 1-2)" 0x"$(echo "$size" | cut -c 3-4)" \
	0x"$(echo "$size" | cut -c 5-6)" 0x"$(echo "$size" | cut -c 7-8)")
for part in 1 2 3; do
	# shellcheck disable=SC2059 # bytes
	printf "$length"
	cat message
done >stream
"$cairn" profile convert --no-symbolize -o same.otlp stream || fail 'a stream of messages'
cmp stream same.otlp || fail 'a stream of messages is not carried over'
"$cairn" profile convert --quiet -o named.otlp stream || fail 'a stream of messages: no names'
"$cairn" profile convert --no-symbolize --quiet --to folded named.otlp >folded || fail 'a stream that was named'
[ "$(grep -c "$own 30000000\$" folded)" = 3 ] || { fail 'a stream of messages has other stacks'; cat folded; }
"$cairn" profile convert --to pprof -o never stream 2>errors
[ $? = 3 ] && grep -q 'a file with several messages can only be converted to otlp, otlp-json or folded' errors && [ ! -e never ] || fail 'a stream as pprof'
head -c 1000 stream >cut
"$cairn" profile convert --quiet --to folded -o never cut 2>errors
[ $? = 3 ] && [ ! -e never ] || { fail 'a stream that is cut'; cat errors; }
{ cat stream; printf 'abc'; } >cut
"$cairn" profile convert --quiet --to folded -o never cut 2>errors
[ $? = 3 ] && grep -q 'the last message is truncated' errors && [ ! -e never ] || { fail 'a last message that is cut'; cat errors; }

# wrong usage, and an output that cannot be
"$cairn" profile convert --to svg odd 2>errors
[ $? = 2 ] || fail 'a format that is none'
"$cairn" profile convert --sample-type bytes --to folded odd >out 2>errors
[ $? = 3 ] && grep -q 'no values of this type' errors || fail 'a type that is not there'
"$cairn" profile convert -o nowhere/odd odd 2>errors
[ $? = 3 ] && grep -q 'nowhere/odd: cannot write' errors || fail 'a folder that is not there'
if command -v script >/dev/null; then
	script -qec "'$cairn' profile convert odd" /dev/null </dev/null >out 2>&1
	grep -q 'refusing to write this format to a terminal; use -o FILE' out || { fail 'on a terminal'; cat out; }
fi
exit $failed

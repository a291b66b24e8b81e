#!/bin/sh
# SPDX-License-Identifier: MIT
# Real crashes: answers.sh CAIRN COMPILER HOLD_CRASH
# The signature of addresses is the same of a crash that comes twice, stripped or not, in a core, a stream, a minidump and the process; and
# `cairn symbolize` gives a stripped stack the names that `cairn bt` has with symbols: of stacks, of addresses, of references.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
compiler=$2
hold=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
source=$(cd "$(dirname "$0")" && pwd)/crash.c
. "$(dirname "$0")/../../lib/test.sh"
waiting=
trap '[ -z "$waiting" ] || kill -9 $waiting 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 2
export HOME="$work" XDG_CACHE_HOME="$work/cache"
unset DEBUGINFOD_URLS

case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
'' | *'|'* | */* | *%*) skip 'core_pattern is not the plain name of a file here' ;;
esac
$compiler -O2 -g -Wl,--build-id -o whole "$source" || exit 2
mkdir stripped store
strip -o stripped/crash whole || exit 2
cp whole crash
"$cairn" gsym create --quiet -o store/crash.gsym whole || exit 2

# crash PROGRAM CORE
crash() {
	rm -rf in
	mkdir in
	"$hold" in "$1" </dev/null >/dev/null
	[ $? != 77 ] || skip 'processes may not be traced here'
	core=$(ls in/core* 2>/dev/null | head -n 1)
	[ -s "$core" ] || skip 'the kernel writes no core here'
	mv "$core" "$2"
}

# signature BT-ARGUMENT...: that of the one thread
signature() {
	"$cairn" bt --quiet --json "$@" 2>>errors | sed -n 's/.*"address_signature":"\([0-9a-f]*\)".*/\1/p'
}

crash "$work/crash" first.core
crash "$work/crash" second.core
crash "$work/stripped/crash" stripped.core
one=$(signature first.core)
[ ${#one} = 64 ] || fail "no signature: $one"
[ "$(signature first.core | wc -l)" = 1 ] || fail 'more than one signature'
first=$("$cairn" bt --quiet --json first.core | sed 's/.*"level":0,"pc":"\([^"]*\)".*/\1/')
second=$("$cairn" bt --quiet --json second.core | sed 's/.*"level":0,"pc":"\([^"]*\)".*/\1/')
[ "$(cat /proc/sys/kernel/randomize_va_space)" = 0 ] || [ "$first" != "$second" ] || fail 'the program was twice at one address'
[ "$(signature second.core)" = "$one" ] || fail 'the second crash has another signature'
[ "$(signature stripped.core)" = "$one" ] || fail 'the stripped program has another signature'
[ "$(signature - <first.core)" = "$one" ] || fail 'the stream has another signature'
[ "$(cat first.core | "$cairn" bt --quiet --json -1 - | sed -n 's/.*"address_signature":"\([0-9a-f]*\)".*/\1/p')" = "$one" ] || fail 'the pipe has another signature'
"$cairn" minidump --quiet -o first.dmp first.core || fail "no minidump: $?"
[ "$(signature first.dmp)" = "$one" ] || fail 'the minidump has another signature'
[ "$(signature -n 16 first.core)" = "$one" ] || [ "$(signature -n 16 first.core)" = '' ] || fail 'a short stack has another signature'
[ "$(signature -n 3 first.core)" = '' ] || fail 'three frames have a signature'

# a handler of the process waits, and above the frame that crashed are its own
case $(uname -m) in
x86_64 | aarch64)
	mkfifo said
	./crash wait >said &
	waiting=$!
	read -r word <said
	if [ "$word" = waits ] && "$cairn" bt --quiet --json --pid $waiting >process 2>>errors; then
		[ "$(sed -n 's/.*"address_signature":"\([0-9a-f]*\)".*/\1/p' process)" = "$one" ] || fail "the process has another signature: $(cat process)"
	else
		echo 'skipped: the process may not be traced here'
	fi
	kill -9 $waiting
	;;
*) echo 'skipped: the signal of a process is known on amd64 and aarch64 alone' ;;
esac

# Its beginning is the ID of the group that the stack without names is in.
"$cairn" bt --quiet --json -1 first.core | sed 's/{[^{}]*"inlined":true},//g; s/"function":"[^"]*",//g' >plain
"$cairn" group --each plain >plain.id
[ "$(sed 's/{"id":"\([0-9a-f]*\)"}/\1/' plain.id)" = "$(echo "$one" | cut -c 1-16)" ] || fail "the group of the stack without names is another one: $(cat plain.id)"

# A thread of the stripped program; its libraries keep their names, and what has none gets that of the store.
rm crash
cp stripped/crash crash
"$cairn" bt --quiet --json -1 first.core >request
"$cairn" bt --quiet --json -1 --directory store first.core >wanted
! cmp -s request wanted || fail 'the request has names already'
"$cairn" symbolize <request >answer
[ $? = 1 ] || fail 'without symbols the status is not 1'
# what this machine has in its cache, and at paths that files name, is not of the store
mkdir -p cache/cairn
cp store/crash.gsym "cache/cairn/$("$cairn" bt --quiet --build-ids first.core | head -n 1).gsym"
"$cairn" symbolize <request | cmp - answer || fail 'the cache of the machine changes an answer'
rm cache/cairn/*.gsym
id=$("$cairn" bt --quiet --build-ids first.core | head -n 1)
grep -q "^{\"answer\":1,\"request\":\"$(tr -d '\n' <request | sha256sum | cut -c 1-64)\",\"result\":\"not_yet\",\"missing_build_ids\":\[\"$id\"\]," answer || fail "without symbols: $(cut -c 1-300 answer)"
"$cairn" symbolize --directory store <request >answer || fail "with symbols: status $?"
grep -q '"result":"done","missing_build_ids":\[\],' answer || fail "with symbols: $(cut -c 1-300 answer)"
names() { tr '{' '\n' <"$1" | sed -n 's/^"level":\([0-9]*\),.*"function":"\([^"]*\)".*"offset":\([0-9]*\).*\("inlined":[a-z]*\).*/\1 \2 \3 \4/p'; }
names wanted >wanted.names
names answer | cmp - wanted.names || fail "other names: $(names answer)"
grep -q '^1 step .*"inlined":true$' wanted.names || fail "no inlined call: $(cat wanted.names)"

# An answer is a request again, and its own answer but for the hash. It groups as the whole stack does.
"$cairn" symbolize <answer | sed 's/"request":"[^"]*"/"request":""/' >again
sed 's/"request":"[^"]*"/"request":""/' answer | cmp - again || fail 'the answer to an answer is another one'
"$cairn" group answer | sed 's/,"example".*//' >one
"$cairn" group wanted | sed 's/,"example".*//' | cmp - one || fail 'the answer is in another group'
[ "$("$cairn" group answer | sed 's/.*"hash":"\([^"]*\)".*/\1/')" = "$(tr -d '\n' <request | sha256sum | cut -c 1-64)" ] || fail 'the group has not the hash of the request'

# Equal requests have equal answers, wherever and whenever, one by one or with --each.
cp request "$work/cache.request"
(mkdir -p elsewhere && cd elsewhere && HOME=/nonexistent "$cairn" symbolize --directory ../store <../request) | cmp - answer || fail 'another folder, another answer'
cat request request | "$cairn" symbolize --each --directory store >both || fail "--each: status $?"
cat answer answer | cmp - both || fail '--each answers otherwise'
printf '%s\n\nx\n' "$(cat request)" | "$cairn" symbolize --each >lines || fail '--each with rejected lines is not 0'
[ "$(grep -c '"result":"rejected"' lines)" = 2 ] && [ "$(wc -l <lines)" = 3 ] || fail "--each: $(cut -c 1-200 lines)"

# What was missing is there for the next request, of one process.
mkdir later
mkfifo asked answered
"$cairn" symbolize --each --directory later <asked >answered &
exec 8>asked 9<answered
cat request >&8
read -r line <&9
cp store/crash.gsym later/crash.gsym
cat request >&8
read -r next <&9
exec 8>&- 9<&-
wait $!
case $line in *'"result":"not_yet"'*) ;; *) fail "before the symbols came: $(echo "$line" | cut -c 1-200)" ;; esac
case $next in *'"result":"done"'*) ;; *) fail "after the symbols came: $(echo "$next" | cut -c 1-200)" ;; esac

# A server that cannot be asked has not said that it has no symbols: each request is to be tried again, also the second one for a module.
cat request request | DEBUGINFOD_URLS=http://127.0.0.1:9 "$cairn" symbolize --each --debuginfod >lines 2>>errors
[ "$(grep -c '"result":"try_again","reason":"\(a debuginfod server cannot be reached\|libdebuginfod.so.1 cannot be opened\)"}' lines)" = 2 ] || fail "no server: $(cut -c 1-200 lines)"

# A report has several threads, and keeps its time.
printf '{"crash_report":1,"time":5,"threads":[%s,%s]}\n' "$(cat request)" "$(cat request)" >report
"$cairn" symbolize --directory store <report >answer.report || fail "report: status $?"
[ "$(tr '{' '\n' <answer.report | grep -c '"function":"step"')" = 2 ] || fail 'report: not both threads have names'
"$cairn" group answer.report | grep -q '"first":5,"last":5' || fail 'report: the time is lost'

# Addresses: of the linker, of the module, of the file.
va=$(sed 's/.*"level":0,[^}]*"va":"\([^"]*\)".*/\1/' request)
printf '{"frames":[{"build_id":"%s","address":"%s"},{"build_id":"%s","address":"%s","kind":"module_offset"},{"build_id":"00aa","address":"0x1"},{"address":"0x1"}]}' \
	"$id" "$va" "$id" "$va" >offsets
"$cairn" symbolize --directory store <offsets >answer.offsets
[ $? = 1 ] || fail 'offsets: an unknown build ID is not status 1'
grep -q '"missing_build_ids":\["00aa"\],"results":\[{"frames":\[{"function":"store","offset":0,.*{"function":"store",.*\]},{"frames":\[\]},{"frames":\[\]}\]}$' answer.offsets || fail "offsets: $(cat answer.offsets)"
"$cairn" bt --list-modules first.core | awk '$4 ~ /^\// { print $4 }' | while IFS= read -r file; do
	mkdir -p "root$(dirname "$file")"
	cp "$file" "root$file"
done
offset=$(readelf -lW crash | awk '$1 == "LOAD" && / R E / { print $2, $3 }' | { read -r at at_va; printf '0x%x' $((va - at_va + at)); })
mkdir -p "tree/.build-id/$(echo "$id" | cut -c 1-2)"
cp whole "tree/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-)"
printf '{"frames":[{"build_id":"%s","address":"%s","kind":"file_offset"}]}' "$id" "$offset" | "$cairn" symbolize --directory tree >answer.file || fail "file offset: status $?"
grep -q '"function":"store"' answer.file || fail "file offset: $(cat answer.file)"

# References: a core below --bodies, with the program below --sysroot and symbols in the store.
mkdir -p bodies/ab
cp first.core bodies/ab/core
cp first.dmp bodies/ab/dump
gzip -k bodies/ab/core
reference() { printf '{"hash":"%s","size":%s,"path":"%s","kind":"%s","time":9}' "$(sha256sum <"bodies/$1" | cut -c 1-64)" "$(wc -c <"bodies/$1")" "$1" "$2"; }
for file in 'ab/core core' 'ab/dump minidump' 'ab/core.gz core'; do
	reference ${file% *} ${file#* } >reference
	"$cairn" symbolize --bodies bodies --directory store --sysroot root <reference >answer.reference || fail "$file: status $?"
	names answer.reference | head -n 6 >six
	head -n 6 wanted.names | cmp - six || fail "$file: $(cut -c 1-1000 answer.reference)"
	"$cairn" group answer.reference | grep -q "\"first\":9,\"last\":9,.*\"core\":\"${file% *}\"" || fail "$file: $("$cairn" group answer.reference)"
done
cp store/crash.gsym "cache/cairn/$id.gsym"
"$cairn" symbolize --bodies bodies --sysroot root <reference >answer.reference
grep -q '"function":"store"' answer.reference && fail 'the cache of the machine gives names to a reference'
rm "cache/cairn/$id.gsym"
if $compiler -O2 -gdwarf-4 -gsplit-dwarf -Wl,--build-id -o "$work/split" "$source" 2>>errors; then
	mkdir -p only
	"$cairn" store add --store only split >/dev/null
	printf '{"frames":[{"build_id":"%s","address":"0x%s","kind":"va"}]}' "$(readelf -n split | sed -n 's/.*Build ID: //p')" \
		"$(objdump -d --no-show-raw-insn split | awk '/(call|bl) .*<store/ { sub(/:/, "", $1); print $1; exit }')" | "$cairn" symbolize --directory only >answer.split
	grep -q '"inlined":true' answer.split && fail "a .dwo at its path on this machine is read: $(cat answer.split)"
fi
# a name that leads out of the directory is not followed, one that stays in it is
mkdir -p a/b/c outside
if (cd a/b/c && $compiler -O2 -gdwarf-4 -gsplit-dwarf -c -o ../../../outside/u.o "$source") 2>>errors &&
	$compiler -Wl,--build-id -o leaving outside/u.o; then
	id_leaving=$(readelf -n leaving | sed -n 's/.*Build ID: //p')
	first_two=${id_leaving%"${id_leaving#??}"}
	printf '{"frames":[{"build_id":"%s","address":"0x%s","kind":"va"}]}' "$id_leaving" \
		"$(objdump -d --no-show-raw-insn leaving | awk '/(call|bl) .*<store/ { sub(/:/, "", $1); print $1; exit }')" >leaving.request
	for name in '' .debug; do
		rm -rf leave
		mkdir -p "leave/.build-id/$first_two" leave/outside
		cp leaving "leave/.build-id/$first_two/${id_leaving#??}$name"
		"$cairn" symbolize --directory leave <leaving.request >answer.split
		grep -q '"inlined":true' answer.split && fail "a .dwo outside of the folder is read: $(cat answer.split)"
		mkdir -p leave/1/2
		mv leave/.build-id leave/1/2
		cp outside/u.dwo leave/1/outside_u.dwo
		sed 's|../../../outside/u.dwo|../../../outside_u.dwo|' "leave/1/2/.build-id/$first_two/${id_leaving#??}$name" >changed
		cmp -s leaving changed && fail 'the name of the .dwo is elsewhere'
		cp changed "leave/1/2/.build-id/$first_two/${id_leaving#??}$name"
		"$cairn" symbolize --directory leave/1/2:leave <leaving.request >answer.split
		grep -q '"inlined":true' answer.split || fail "a .dwo in one of the folders is not read: $(cat answer.split)"
	done
fi
# rejected STATUS WORDS REQUEST
refused() {
	printf '%s' "$3" | "$cairn" symbolize --bodies bodies >refusal 2>>errors
	status=$?
	[ $status = "$1" ] && grep -q "\"reason\":\"$2\"" refusal || fail "$2: status $status: $(cat refusal)"
}
good=$(reference ab/core core)
ln -s ab/core bodies/link
ln -s ab bodies/folder
mkfifo bodies/fifo
leaves='the path leaves the folder of --bodies, or is a link'
refused 3 "$leaves" "$(echo "$good" | sed 's|ab/core|../first.core|')"
refused 3 "$leaves" "$(echo "$good" | sed 's|ab/core|ab/../ab/core|')"
refused 3 "$leaves" "$(echo "$good" | sed "s|ab/core|$work/bodies/ab/core|")"
refused 3 "$leaves" "$(echo "$good" | sed 's|ab/core|folder/core|')"
refused 3 'the path leads to no regular file' "$(echo "$good" | sed 's|ab/core|link|')"
refused 3 'the path leads to no regular file' "$(echo "$good" | sed 's|ab/core|fifo|')"
refused 3 'the path leads to no regular file' "$(echo "$good" | sed 's|ab/core|ab|')"
refused 75 'the file of the reference is not there' "$(echo "$good" | sed 's|ab/core|ab/none|')"
refused 3 'the file of the reference has another size' "$(echo "$good" | sed 's|"size":|"size":1|')"
refused 3 'the file of the reference has another hash' "$(echo "$good" | sed "s|\"hash\":\"[0-9a-f]*|\"hash\":\"$(sha256sum </dev/null | cut -c 1-64)|")"
refused 3 'references by url are not taken without --origin' "$(echo "$good" | sed 's|"path":"|"url":"http://127.0.0.1/|')"
printf 'x' >bodies/text
refused 3 'the file of the reference has no stacks that can be read' "$(reference text core)"
echo "$good" | "$cairn" symbolize >refusal
[ $? = 3 ] && grep -q '"reason":"references by path are not taken without --bodies"' refusal || fail "without --bodies: $(cat refusal)"
exit $failed

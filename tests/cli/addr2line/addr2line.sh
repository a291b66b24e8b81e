#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn addr2line` answer as addr2line of binutils does, in all its forms, from arguments and through a pipe, where a question
# is answered before the next one is asked? Does a link of that name do the same, also for perf, if it is there?
#
#	addr2line.sh CAIRN SOURCE COMPILER...
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
cd "$work" || exit 2
command -v addr2line >/dev/null || skip 'addr2line of binutils is not there'
"$@" -O2 -g -o program "$source" -Wl,--build-id=sha1 || skip 'the program is not built here'
mkdir path
ln -s "$cairn" path/addr2line

# every instruction of the functions that have lines, and none of what has symbols alone, where binutils knows less, nor of what is
# between functions, which binutils takes for the function before
objdump -d --no-show-raw-insn program |
	awk '/^[0-9a-f]+ </ { ours = $2 ~ /^<(main|add_twice|add_checked(\.cold)?)>/ } ours && /^ +[0-9a-f]+:/ && !/nop|xchg/ { sub(/:/, "", $1); print $1 }' >questions
[ "$(wc -l <questions)" -gt 20 ] || fail 'the program has hardly an instruction'

# compare FORM...: the same answers, but for discriminators, which cairn does not print
compare() {
	addr2line "$@" <questions | sed 's/ (discriminator [0-9]*)//' >theirs
	path/addr2line "$@" <questions >ours || fail "$*: status $?"
	cmp -s theirs ours || { fail "$*: other answers"; diff theirs ours | head -n 5; }
}
compare -e program
compare -e program -f
compare -e program -i -f
compare -if -e program
compare -aifCs --exe=program
compare -p -e program -i -f
compare -pafi -e program
xargs path/addr2line -ife program <questions >ours
addr2line -ife program <questions | sed 's/ (discriminator [0-9]*)//' | cmp -s - ours || fail 'arguments have other answers than lines'
"$cairn" addr2line -ife program <questions | cmp -s - ours || fail 'the verb and the link differ'
grep -q add_one ours || fail 'no inlined call was among the questions'

# what is no address is address 0, which ends an answer for perf
[ "$(printf ',\n' | path/addr2line -e program -i -f)" = "$(printf '??\n??:0')" ] || fail 'the end of an answer is not seen'
[ "$(printf ',\n' | path/addr2line -e program -a -i -f)" = "$(printf '0x0000000000000000\n??\n??:0')" ] || fail 'the end of an answer with addresses'

# addresses of a program of 32 bits have eight digits
if cc -m32 -g -O2 -c -o narrow.o "$source" 2>errors && ld -m elf_i386 -e 0 --unresolved-symbols=ignore-all -o narrow narrow.o 2>errors; then
	objdump -d narrow | awk '/^ +[0-9a-f]+:/ { sub(/:/, "", $1); print $1 }' | head -n 12 >narrow_questions
	addr2line -aife narrow <narrow_questions | sed 's/ (discriminator [0-9]*)//' >theirs
	path/addr2line -aife narrow <narrow_questions >ours || fail "32 bits: status $?"
	cmp -s theirs ours || { fail '32 bits: other answers'; diff theirs ours | head -n 5; }
else
	echo 'not checked: no compiler for 32 bits'
fi

# a question is answered while the pipe stays open
mkfifo ask
: >answers # the shell that waits may be sooner
path/addr2line -fe program <ask >answers &
asked=$!
exec 3>ask
head -n 1 questions >&3
tries=0
while [ "$(wc -l <answers)" -lt 2 ] && [ $tries -lt 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
[ "$(wc -l <answers)" = 2 ] || fail 'an answer waits for the next question'
exec 3>&-
wait $asked

# files that are none
for file in none "$source"; do
	path/addr2line -e "$file" 1 >out 2>errors
	[ $? = 3 ] && [ -s errors ] && [ ! -s out ] || fail "$file: not refused"
done

# perf finds inlined calls by it
if command -v perf >/dev/null && perf record -N -q -e cpu-clock --call-graph dwarf,4096 -o data ./program long 2>errors; then
	PATH=$work/path:$PATH perf script -F ip,sym -i data >script 2>errors
	# the innermost of the calls is hardly ever met by a sample
	grep -A 1 'add_many.*(inlined)' script | grep -q ' add_twice$' || { fail 'perf shows no inlined calls'; head -n 9 script errors; }
else
	echo 'perf is not there, or cannot record here: not asked'
fi
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One address has one answer, whoever is asked, also where a program has several sources of symbols at once: a section .gsym,
# a file beside it, one in a directory that was given, what `cairn where` keeps in the cache, and DWARF.  Each source names its
# files in its own way, so that the answers show which one it was.  Lines have columns where the source has them.
#
#	several_sources.sh CAIRN SYMBOLIZE FIND_SYMBOLS COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
symbolize=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
find_symbols=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
shift 3
. "$(dirname "$0")/../lib/test.sh"
export XDG_CACHE_HOME="$work/none"
cd "$work" || exit 2
for tool in objcopy strip nm; do
	command -v $tool >/dev/null || skip "no $tool"
done
cat >dwrf.c <<'END'
#include <unistd.h>
static inline __attribute__((always_inline)) int inner(volatile int *n) { *n += 3; return *n; }
__attribute__((noinline)) int outer(volatile int *n)
{
	int sum = inner(n);
	return sum + inner(n);
}
static __attribute__((noinline)) int wait_here(volatile int *n) { pause(); return *n; }
int main(int argc, char **argv) { volatile int n = argv[0] != 0; return argc > 1 ? wait_here(&n) + 1 : outer(&n); }
END
id=0102030405060708090a0b0c0d0e0f10
"$@" -O2 -g -Wl,--build-id=0x$id dwrf.c -o plain || skip 'no program with debug information can be made'
addresses=$(nm -S plain | awk '$4 ~ /^(main|outer)$/ { print $1, $2 }' | while read -r at size; do
	for i in $(seq 0 $((0x$size - 1))); do printf '0x%x\n' $((0x$at + i)); done
done)
"$cairn" gsym create --quiet plain -o dwrf.gsym || fail 'gsym create'
# the same with other names of files, which are as long
for name in sect side fold; do sed "s/dwrf\.c/$name.c/g" dwrf.gsym >$name.gsym; done

# normal KEY: "VA FUNCTION FILE LINE COLUMN ..." for each line of JSON, whose address is the value of KEY
normal() {
	awk -v key="\"$1\":\"" '
	function value(of, name,   at) {
		at = index(of, "\"" name "\":")
		if (at == 0) return "-"
		of = substr(of, at + length(name) + 3)
		sub(/[,}].*/, "", of)
		gsub(/"|.*\//, "", of)
		return of
	}
	index($0, key) {
		out = substr($0, index($0, key) + length(key))
		out = substr(out, 1, index(out, "\"") - 1)
		count = split($0, part, /\{"function":/)
		for (i = 2; i <= count; i++) {
			part[i] = "\"function\":" part[i]
			out = out " " value(part[i], "function") " " value(part[i], "file") " " value(part[i], "line") " " value(part[i], "column")
		}
		print out
	}'
}

# agree CASE WHO: what is in `told` is what was told first
agree() {
	[ -s told ] || fail "$1: $2: no answer"
	[ -s first ] || cp told first
	cmp -s first told || { diff first told | head -4; fail "$1: $2: another answer"; }
}

# ask_bt CASE [DIR]: frames of a process have the answers of their calls
ask_bt() {
	./prog wait &
	pid=$!
	tries=0
	until [ "$(cut -d ' ' -f 3 /proc/$pid/stat)" = S ] || [ $((tries += 1)) -gt 200 ]; do sleep 0.05; done
	"$cairn" bt --quiet --json ${2:+--directory "$2"} --pid $pid 2>errors | tr '{' '\n' |
		sed -n 's/.*"function":"\(wait_here\|main\)".*"file":"[^"]*\/\([^/"]*\)","line":\([0-9]*\)\(,"column":\([0-9]*\)\)\{0,1\},"va":"\(0x[0-9a-f]*\)".*/\6 \1 \2 \3 \5/p' >frames
	kill $pid
	wait $pid 2>/dev/null
	[ "$(wc -l <frames)" = 2 ] || { fail "$1: bt: no frames of the program"; cat errors; }
	while read -r va function file line column; do
		call=$(printf '0x%x' $((va - 1)))
		echo "$call $function $file $line ${column:--}" >told
		"$cairn" where --json ${2:+--directory "$2"} prog "$call" | normal address >theirs
		cmp -s told theirs || { diff theirs told; fail "$1: bt: another answer"; }
	done <frames
}

# ask CASE FILE COLUMNS [DIR]: whoever is asked about the program `prog` answers with names of FILE, with columns or without
ask() {
	: >first
	"$cairn" where --json ${4:+--directory "$4"} prog $addresses | normal address >told
	agree "$1" where
	printf '%s\n' $addresses | "$cairn" where --json ${4:+--directory "$4"} prog | normal address >told
	agree "$1" 'where, from standard input'
	for va in $addresses; do "$cairn" where --json ${4:+--directory "$4"} prog "$va"; done | normal address >told
	agree "$1" 'where, each alone'
	"$cairn" markup --json --no-demangle ${4:+--directory "$4"} --exe=prog log | grep '"type":"pc"' | normal relative >told
	agree "$1" markup
	if [ -z "${4-}" ]; then
		"$symbolize" prog $addresses | normal address >told
		agree "$1" 'the library'
	fi
	ask_bt "$1" ${4:+"$4"}
	if [ "$2" != dwrf.c ]; then
		"$cairn" gsym lookup --json ${4:+--directory "$4"} prog $addresses | normal address >told
		agree "$1" 'gsym lookup'
	fi
	grep -q " outer $2 " first || fail "$1: not by $2: $(head -1 first)"
	[ "$(wc -l <first)" -gt 10 ] || fail "$1: too few addresses are compared"
	if [ "$3" = columns ]; then
		grep -q " inner $2 2 [0-9][0-9]* outer $2 [56] [0-9]" first || fail "$1: no columns: $(head -1 first)"
	else
		grep -q ' [0-9][0-9]* [1-9][0-9]*$' first && fail "$1: columns, of which the source has none"
	fi
	return 0
}
{
	echo "{{{module:0:prog:elf:$id}}}"
	echo '{{{mmap:0x7f0000000000:0x1000000:load:0:rx:0}}}'
	for va in $addresses; do printf '{{{pc:0x%x:pc}}}\n' $((0x7f0000000000 + va)); done
} >log

cp plain prog
rm dwrf.gsym
mkdir apart folder
mv sect.gsym side.gsym fold.gsym apart
XDG_CACHE_HOME=$work/cache
ask 'DWARF alone' dwrf.c columns
[ -s cache/cairn/$id.gsym ] || fail 'nothing is in the cache'
ask 'the cache' dwrf.c columns
# the cache knows columns by itself
"$cairn" gsym lookup --json cache/cairn/$id.gsym $addresses | normal address >told
: >first
"$cairn" where --no-cache --json prog $addresses | normal address >first
agree 'the file in the cache' 'gsym lookup'
# a file that the cache has of another program of that build ID is none
sed 's/dwrf\.c/fake.c/g' cache/cairn/$id.gsym >apart/fake
XDG_CACHE_HOME=$work/none
cp apart/side.gsym prog.gsym
ask 'a file beside it' side.c lines
[ "$("$find_symbols" "$work/prog")" = "$work/prog.gsym" ] || fail 'debuggers find another file than the one beside it'
rm prog.gsym
cp apart/fold.gsym folder/prog.gsym
ask 'a folder' fold.c lines folder
cp apart/side.gsym prog.gsym
ask 'a folder, and a file beside it' side.c lines folder
objcopy --add-section .gsym=apart/sect.gsym plain prog || exit 2
ask 'a section, and a file beside it' sect.c lines
[ "$("$find_symbols" "$work/prog")" = "$work/prog" ] || fail 'debuggers do not find the section'
XDG_CACHE_HOME=$work/cache
ask 'all of them' sect.c lines folder
rm prog.gsym folder/prog.gsym
ask 'a section, and the cache' sect.c lines
# a section of another build hides no other source
"$@" -O0 -g -Wl,--build-id dwrf.c -o other && "$cairn" gsym create --quiet other -o apart/other.gsym &&
	objcopy --add-section .gsym=apart/other.gsym plain prog || exit 2
rm -rf cache other
XDG_CACHE_HOME=$work/none
: >first
"$cairn" where --no-cache --json prog $addresses | normal address >told
agree 'a section of another build' where
"$symbolize" prog $addresses | normal address >told
agree 'a section of another build' 'the library'
grep -q ' outer dwrf.c ' first || fail 'a section of another build is used'
exit $failed

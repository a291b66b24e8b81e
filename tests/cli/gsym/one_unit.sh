#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A large program that is asked about addresses, as arguments or line by line, is not converted for that: the answer is the one
# that a conversion gives, what is damaged elsewhere is not read, and the cache is filled in the background.
#
#	one_unit.sh CAIRN COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cd "$work" || exit 2
for tool in objcopy readelf nm; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
cat >one.c <<'END'
static inline __attribute__((always_inline)) int inner(volatile int *n)
{
	*n += 3;
	return *n;
}
int other(int);
int one(volatile int *n)
{
	int sum = inner(n);
	if (__builtin_expect(sum > 7, 0))
		__builtin_abort();
	return other(sum) + inner(n);
}
/* a label of assembly with a size of its own, inside a function, and one without */
__asm__(".text\n.type around,@function\naround: nop\n.type label,@function\nlabel: nop\nnop\n"
	".size label,.-label\nbare: nop\nret\n.size around,.-around\n");
int main(void) { int n = 1; return one(&n); }
END
cat >two.c <<'END'
int other(int n)
{
	return n * n;
}
int another(int n)
{
	return other(n) + 5;
}
END
# a function inside another one, where the compiler has such
cat >three.c <<'END'
int outer(int n)
{
	__attribute__((noinline)) int inside(int k) { return k * n + 3; }
	return inside(n) + inside(n + 1);
}
END
"$@" -c three.c -o three.o 2>/dev/null || echo 'int outer;' >three.c
"$@" -g -O2 -c one.c -o one.o && "$@" -g -O2 -c two.c -o two.o && "$@" -g -O2 -c three.c -o three.o &&
	"$@" -Wl,--build-id=0xca1f0123456789ab one.o two.o three.o -o small || {
	echo "skipped: no program with debug information can be made"
	exit 77
}
# a section of 9 MB makes it large
dd if=/dev/null of=junk bs=1 seek=9000000 2>/dev/null
objcopy --add-section .junk=junk small large || exit 77

# every third byte of the code, asked for one by one, is what the conversion gives
nm -S small | awk '$4 ~ /^(one|main|other|another|around|label|bare|one.cold|_start|outer|inside[.0-9]*)$/ { print $1, $2 }
	$2 ~ /^[tT]$/ && $3 == "bare" { print $1, "0000000000000002" }' >functions
while read -r start size; do
	i=0
	while [ $i -lt $((0x$size)) ]; do
		printf '0x%x\n' $((0x$start + i))
		i=$((i + 3))
	done
done <functions >addresses
[ "$(wc -l <addresses)" -gt 20 ] || fail "$(wc -l <addresses) addresses only"
# converted PROGRAM ADDRESS...: what a conversion answers; without addresses those of standard input
converted() {
	"$cairn" gsym create --quiet --statements -o conversion.gsym "$1" || fail "gsym create: $1"
	shift
	"$cairn" gsym lookup conversion.gsym "$@" 2>&1
	rm -f conversion.gsym
}
converted large <addresses >want
while read -r address; do
	"$cairn" where --no-cache large "$address"
done <addresses >got 2>&1
cmp want got || { diff want got | head -5; fail 'the answers differ from those of a conversion'; }
"$cairn" where --no-cache large <addresses >got 2>&1
cmp want got || { diff want got | head -5; fail 'from standard input the answers differ from those of a conversion'; }
# several at once, also such that no unit knows
for count in 2 16 17 40; do
	"$cairn" where --no-cache large $(head -$count addresses) >got 2>&1
	converted large $(head -$count addresses) | cmp - got || fail "$count at once differ"
done
converted large 0x10 >want
"$cairn" where --no-cache large 0x10 >got 2>&1
cmp want got || fail 'an address of no function differs'
# the same without .debug_aranges, which may be there by the compiler's grace
objcopy --remove-section .debug_aranges large bare || exit 77
converted bare <addresses >want
while read -r address; do
	"$cairn" where --no-cache bare "$address"
done <addresses >got 2>&1
cmp want got || { diff want got | head -5; fail 'without .debug_aranges the answers differ'; }
[ ! -e cache ] || fail '--no-cache writes to the cache'

# of a file that is not in memory little is fetched, where the kernel lets go of it and says what it has
resident() {
	fincore -b -n -o RES large 2>/dev/null | tr -d ' '
}
one=0x$(nm large | awk '$3 == "one" { print $1 }')
dd of=large oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
if [ "$(resident)" = 0 ]; then
	"$cairn" where --no-cache large "$one" >got 2>&1
	[ "$(resident)" -lt 2000000 ] || fail "$(resident) bytes are fetched for one address"
fi

# damage of the second unit's entries is not noticed by a question about the first
offset=$(readelf -SW large | awk '$2 == ".debug_info" || $3 == ".debug_info" {
	for (i = 2; i < NF; i++) if ($i == "PROGBITS") print $(i + 2), $(i + 3) }')
end=$((0x${offset% *} + 0x${offset#* }))
printf '\177\177\177\177\177\177\177\177' | dd of=large bs=1 seek=$((end - 8)) conv=notrunc 2>/dev/null
one=0x$(nm large | awk '$3 == "one" { print $1 }')
"$cairn" where --no-cache large "$one" >got 2>err
[ ! -s err ] && grep -q 'one.* at .*one.c:' got || fail "more than one unit is read: $(cat err)"
echo "$one" | "$cairn" where --no-cache large >got 2>err
[ ! -s err ] && grep -q 'one.* at .*one.c:' got || fail "from standard input more than one unit is read: $(cat err)"
"$cairn" where --no-cache large one >got 2>err
grep -q 'debug_info' err || fail 'the damage is not noticed by a conversion'
"$cairn" where --no-cache large <addresses >got 2>err
grep -q 'debug_info' err || fail 'damage of a unit that is asked for is not noticed'
# nor is it where no function of DWARF is: at symbols of assembly, in the code of others, and outside of all code
for address in 0x10 0xfffffffffffffff0 \
	$(nm large | awk '$3 ~ /^(around|label|bare|_start)$/ { print "0x" $1 }'); do
	for file in small large; do
		"$cairn" where --no-cache $file "$address" >$file.got 2>$file.err
	done
	[ ! -s large.err ] || fail "all units are read for $address: $(cat large.err)"
	cmp small.got large.got || fail "the answer for $address is another one"
done
# with .debug_aranges the first entry of that unit is not read either
if readelf -SW large | grep -q '\.debug_aranges'; then
	unit=$(readelf --debug-dump=info small 2>/dev/null |
		awk '/Compilation Unit @ offset/ { at = $NF; sub(/:$/, "", at) } /DW_AT_name.*two\.c/ { print at; exit }')
	printf '\177\177' | dd of=large bs=1 seek=$((0x${offset% *} + unit + 4)) conv=notrunc 2>/dev/null
	"$cairn" where --no-cache large "$one" >got 2>err
	[ ! -s err ] && grep -q 'one.* at .*one.c:' got || fail "another unit is looked at: $(cat err)"
fi

# await_cache WHEN: wait until the conversion in the background has filled the cache
await_cache() {
	tries=0
	until ls cache/cairn/*.gsym >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { fail "the cache is not filled $1"; exit 1; }
		sleep 0.1
	done
}

objcopy --add-section .junk=junk small large || exit 77
"$cairn" where large "$one" >got 2>err || fail "no answer: $(cat err)"
await_cache 'after the answer'
"$cairn" where large "$one" >again 2>err
cmp got again || fail 'the cache answers otherwise'
mkdir apart # beside the program it would be found
mv cache/cairn/*.gsym apart/kept
"$cairn" where large one >again # a name takes a conversion
cmp got again || fail 'a conversion answers otherwise'
cmp apart/kept cache/cairn/*.gsym || fail 'the background made another file than a conversion'
[ "$(ls cache/cairn | wc -l)" = 1 ] || fail "other files than one are left: $(ls cache/cairn)"
rm -rf cache

# answers come as lines do, more than an index takes, and nothing is converted meanwhile
mkfifo questions answers || exit 2
"$cairn" where large <questions >answers &
where=$!
exec 3>questions 4<answers
head -40 addresses | while read -r address; do
	echo "$address" >&3
	while read -r line <&4; do
		case $line in
		"$address: "*) break ;;
		esac
	done
	[ "${line%%: *}" = "$address" ] || echo "no answer to $address" >>late
done
[ ! -e late ] || fail "$(head -1 late)"
[ ! -e cache ] || fail 'a conversion comes before the end of the questions'
exec 3>&-
while read -r line <&4; do :; done
wait $where || fail "where of lines: $?"
await_cache 'after lines'

# without its split half a unit has no inlined calls: that is said, and the cache keeps no such answer
cat >halves.c <<'END'
volatile int out;
static inline __attribute__((always_inline)) int inner(int n) { out = n * 3; return out + 1; }
int outer(int n) { return inner(n) * 2; }
int main(int argc, char **argv) { return argv ? outer(argc) : 0; }
END
"$@" -O2 -g -gsplit-dwarf -c halves.c -o halves.o && "$@" halves.o -Wl,--build-id=sha1 -o halves && [ -e halves.dwo ] || {
	echo 'this compiler makes no split DWARF: left out'
	exit $failed
}
mv halves.dwo apart/
"$cairn" where halves outer+6 >got 2>err || fail "without the split half: $(cat err)"
grep -qF 'the split DWARF files (.dwo, .dwp) of 1 units were not found, so inlined calls are missing and lines may be imprecise; add directories with --directory' err ||
	fail "no word of a split half that is missing: $(cat err)"
! grep -q inlined got || fail "inlined calls without the split half: $(cat got)"
"$cairn" where --directory apart halves outer+6 >got 2>err || fail "with the split half: $(cat err)"
grep -q '^  inlined into outer' got || fail "no inlined call with the split half: $(cat got)"
[ ! -s err ] || fail "complaints with the split half: $(cat err)"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Addresses as people have them, and names that they can read: addresses_of_people.sh CAIRN CC...
# A stripped program with its GSYM beside it; `cairn where`, `gsym lookup` and `gsym find` by number, function, offset in
# the program, and lines of `cairn bt`, GDB and LLDB; several at once, and from standard input.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export XDG_CACHE_HOME="$work/cache"
command -v strip >/dev/null || skip 'no strip on this machine'

# a function whose name is hexadecimal digits, and one with a mangled name
cat >srv.c <<'C'
__attribute__((noinline, noclone)) int area(int n) __asm__("_ZNK6shapes3box4areaEi");
int area(int n) { return n * 3; }
__attribute__((noinline, noclone)) int beef(int n) { return area(n) + 1; }
int main(int argc, char **argv) { return argv ? beef(argc) - 4 : 0; }
C
"$@" -g -O1 -pie -fPIE -Wl,--build-id=sha1 srv.c -o srv 2>/dev/null || skip 'no program can be linked'
"$cairn" gsym create --quiet srv || fail 'no GSYM file'

# starts_at NAME: its address, which --lines has
starts_at() {
	"$cairn" gsym find --lines srv.gsym "$1" | cut -d ' ' -f 1
}
area=$(starts_at _ZNK6shapes3box4areaEi) beef=$(starts_at beef) main=$(starts_at main)
hex=${beef#0x}
case $hex in
*[a-f]*) ;;
*) hex= ;; # decimal digits alone mean another address
esac
strip srv

# answers WANTED COMMAND...: the first line that cairn prints begins with that
answers() {
	wanted=$1
	shift
	"$cairn" "$@" </dev/null >said 2>errors
	case $(head -n 1 said) in
	"$wanted"*) ;;
	*) fail "cairn $*: not '$wanted' but '$(head -n 1 said)' $(cat errors)" ;;
	esac
}
plus() {
	printf '0x%x' $(($1 + $2))
}
[ -n "$area" ] && [ -n "$beef" ] && [ -n "$main" ] || fail 'functions are missing'
for verb in 'where srv' 'gsym lookup srv' 'gsym lookup srv.gsym'; do
	# shellcheck disable=SC2086 # two or three words
	{
		answers "$beef: beef at $work/srv.c:3" $verb "$beef"
		[ -z "$hex" ] || answers "$beef: beef at" $verb "$hex"
		answers "$beef: beef at" $verb "$(printf '%d' "$beef")"
		answers "$main: main at $work/srv.c:4" $verb main
		answers "$(plus "$main" 4): main+0x4 at" $verb main+4
		answers "$(plus "$main" 4): main+0x4 at" $verb 'main + 0x4'
		answers "$beef: beef at" $verb beef
		answers "0xbeef00: no function covers it" $verb beef00
		answers "$beef: beef at" $verb "srv+$beef"
		answers "$beef: beef at" $verb "/opt/any/srv+$beef"
		answers "$area: shapes::box::area(int) const at" $verb _ZNK6shapes3box4areaEi
		answers "$area: shapes::box::area(int) const at" $verb 'shapes::box::area(int) const'
		answers "$area: shapes::box::area(int) const at" $verb shapes::box::area
		answers "$area: _ZNK6shapes3box4areaEi at" $verb --linkage-names "$area"
		answers "$area ok - _ZNK6shapes3box4areaEi $area" $verb --lines "$area"
		answers "{\"address\":\"$area\",\"outcome\":\"ok\",\"frames\":[{\"function\":\"_ZNK6shapes3box4areaEi\"," $verb --json "$area"
		grep -q ',"readable":"shapes::box::area(int) const"}' said || fail "$verb: no readable name at the end of JSON"

		# lines of stacks: of all but the innermost frame the call is looked up, which ends before the return address
		answers "$(plus "$beef" 1): beef+0x1 at" $verb "#1  0x0000555555555162 in ?? () from /opt/srv$(printf '+0x%x' $(($beef + 2)))"
		answers "$beef: beef at" $verb "#0  0x0000555555555162 in ?? () from srv+$beef"
		answers "$(plus "$main" 3): main+0x3 at" $verb "#6  $(plus "$main" 0x555555554004) in main (argc=<optimized out>) at a.cpp:5"
		answers "$(plus "$main" 3): main+0x3 at" $verb "#6   $(plus "$main" 0x555555554004) in main + 4 at a.cpp:5"
		answers "$(plus "$main" 3): main+0x3 at" $verb "  * frame #6: $(plus "$main" 0x555555554004) srv\`main(argc=1) + 4 at a.cpp:5:3"
		answers "$(plus "$area" 3): shapes::box::area(int) const+0x3 at" $verb "#2  $(plus "$area" 0x555555554004) in shapes::box::area(int) const ()"

		# several at once, and from standard input, an answer for each line
		"$cairn" $verb "$beef" main "srv+$area" >said || fail "$verb: several: exit status $?"
		[ "$(cut -d : -f 1 said)" = "$(printf '%s\n' "$beef" "$main" "$area")" ] || fail "$verb: several: $(cat said)"
		printf '%s\nmain\nnosuch\nsrv+%s\n' "$beef" "$area" | "$cairn" $verb >said 2>errors
		[ $? = 2 ] || fail "$verb: a name of nothing is accepted"
		[ "$(cut -d : -f 1 said)" = "$(printf '%s\n' "$beef" "$main" nosuch "$area")" ] || fail "$verb: input: $(cat said)"
		grep -q 'expected an address (decimal, or hexadecimal with 0x) or the name of a function' errors ||
			fail "$verb: the message: $(cat errors)"
	}
done
# nothing was converted for any of that
[ ! -e cache/cairn ] || fail "the cache was used: $(ls cache/cairn)"

answers "$area..$beef shapes::box::area(int) const" gsym find srv.gsym shapes::box::area
answers "$area..$beef shapes::box::area(int) const" gsym find --contains srv.gsym box::area
answers "$area..$beef _ZNK6shapes3box4areaEi" gsym find --linkage-names srv.gsym _ZNK6shapes3box4areaEi
answers "$area $beef _ZNK6shapes3box4areaEi" gsym find --lines srv.gsym 'shapes::box::area(int) const'
grep -q readable said && fail 'a column more in --lines'
answers '{"function":"_ZNK6shapes3box4areaEi",' gsym find --json srv.gsym shapes::box::area
grep -q ',"readable":"shapes::box::area(int) const"}' said || fail 'find: no readable name in JSON'

# a program that is not position-independent begins elsewhere
if "$@" -g -O1 -no-pie -Wl,--build-id=sha1 srv.c -o fixed 2>/dev/null; then
	"$cairn" gsym create --quiet fixed
	main=$("$cairn" gsym find --lines fixed.gsym main | cut -d ' ' -f 1)
	low=$(readelf -lW fixed | awk '$1 == "LOAD" { print $3; exit }')
	strip fixed
	answers "$main: main at" where fixed "fixed+$(printf '0x%x' $((main - low)))"
	answers "$(plus "$main" 1): main+0x1 at" where fixed "#1 $(plus "$main" 2) in main ()"
fi
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbols follow modules: libraries that come and go by dlopen(), a new run at another address, a
# core; and the machine interface shows them as records.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

# make NAME FLAGS...: complete at first, then its GSYM beside it and no symbols in it
make() {
	out=$tmp/$1
	shift
	"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 "$@" -o "$out"
	"$CAIRN" gsym create --quiet "$out" -o "$out.gsym" || fail "no GSYM of $out"
	strip -s "$out"
}

mkdir "$tmp/lib"
make plugs "$programs/plugs.c" -ldl
make lib/first.so -shared -fPIC -DNAME=first "$programs/plug.c"
make lib/second.so -shared -fPIC -DNAME=second "$programs/plug.c"

cat >"$tmp/script" <<END
source $CAIRN_GDB
set cairn auto-symbols on
set args $tmp/lib/first.so first $tmp/lib/second.so second
run
bt -1
continue
echo first library\n
bt -4
continue
echo second library\n
bt -4
info line second
break second
info breakpoints
delete
set disable-randomization off
run
continue
echo another run\n
bt -4
generate-core-file $tmp/core
kill
set cairn auto-symbols off
file
file $tmp/plugs
core-file $tmp/core
cairn symbols load
bt -4
END
within 200 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-iex 'set confirm off' -iex 'set width 0' -x "$tmp/script" "$tmp/plugs" </dev/null >"$tmp/out" 2>&1 || :

# lines NUMBER REGEX
lines() {
	found=$(grep -c -- "$2" "$tmp/out" || :)
	[ "$found" = "$1" ] || {
		cat "$tmp/out"
		fail "$found times \"$2\", not $1"
	}
}
lines 1 "^$tmp/lib/second.so: [0-9]* functions from $tmp/lib/second.so.gsym$"
lines 5 '^#[0-9]* .* main () at .*plugs.c:2[0-9]$'
lines 4 '^#[0-9]* .* use () at .*plugs.c:1[0-9]$'
lines 3 '^#[0-9]* .* first () at .*plug.c:1[0-9]$'
lines 1 '^#[0-9]* .* second () at .*plug.c:1[0-9]$'
lines 4 '^#[0-9]* .* deeper () at .*plug.c:9$'
lines 1 '^Line 1[0-9] of ".*plug.c" starts at address 0x[0-9a-f]* <second'
lines 1 ' in second at .*plug.c:1[0-9]$'

# the machine interface, with and without JSON
{
	echo '1-gdb-set mi-async off'
	echo "2-interpreter-exec console \"source $CAIRN_GDB\""
	echo '3-gdb-set inferior-tty /dev/null'
	echo '4-exec-run'
	await_stops 1 "$tmp/out"
	echo '5-interpreter-exec console "cairn symbols load"'
	echo '6-interpreter-exec console "cairn symbols unload"'
	echo 'cairn symbols load -json'
	echo '7-interpreter-exec console "cairn symbols load nosuch"'
	echo '8-data-evaluate-expression $cairn_ok'
	echo '9-gdb-exit'
} | within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	"$tmp/plugs" >"$tmp/out" 2>&1
records "$tmp/out"
lines 1 "^~\"$tmp/plugs: [0-9]* functions from $tmp/plugs.gsym"
lines 1 '^~"{.*loaded.*plugs.gsym'
lines 1 '^~"cairn: no readable module nosuch'
lines 1 '^8^done,value="0"'
echo 'symbols follow libraries, runs and cores'

#!/bin/sh
# SPDX-License-Identifier: MIT
# Ten thousand commands in one session: GDB has no more descriptors after the last than after the
# first thousand, and little more memory.  GDB 13 itself loses 1 to 2 kB a command, in `with` and
# `source`; more than that would be ours.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
cat >"$tmp/look" <<'END'
#!/bin/sh
echo "descriptors $(ls "/proc/$1/fd" | wc -l)"
sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/resident \1/p' "/proc/$1/status"
END
cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
define round
set \$i = 0
while \$i < \$arg0
cairn bt 3
cairn where \$pc
cairn bt -json 8
cairn where nosuch
cairn status
set \$i = \$i + 1
end
end
round 200
shell sh $tmp/look \$PPID
round 1800
shell sh $tmp/look \$PPID
print \$cairn_ok
END
timeout 580 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-ex 'set exec-wrapper env -i' -x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || {
	tail "$tmp/out"
	fail 'GDB ended badly'
}
[ "$(grep -c '^#2 ' "$tmp/out")" = 2000 ] || fail "not all commands answered"
[ "$(grep -c '^cairn: No symbol' "$tmp/out")" = 2000 ] || fail "not all errors said"
awk '/^descriptors / { d[++n] = $2 } /^resident / { r[n] = $2 }
     END { printf "descriptors %d and %d, resident %d and %d kB\n", d[1], d[2], r[1], r[2]
	   exit !(n == 2 && d[1] > 3 && d[1] == d[2] && r[1] > 0 && r[2] - r[1] < 9000 * 2.5) }' \
	"$tmp/out" || fail 'something grows'

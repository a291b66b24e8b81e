#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile and narrow circumstances: values may have 16 bytes; GSYM files whose records share their
# bytes; names that would drive a terminal.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}" "${SHARED_GSYM:?path of shared_gsym}"
need "$GDB" "$CC_TARGET"

"$CC_TARGET" -g -O0 -Wl,--build-id=0xca1f00112233445566778899aabbccddeeff0011 \
	"$programs/ring.c" -o "$tmp/ring"

# commands say the same however small values have to be
cat >"$tmp/script" <<'END'
cairn status
cairn bt
cairn where main
cairn where $pc + 1
cairn where nosuch
p $cairn_ok
cairn markup -string ring
cairn markup ring ring_size
cairn cbf -json ring
p $cairn_frames
cairn modules
END
for limit in unlimited 16; do
	set --
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$tmp/script"
	debug without "$tmp/ring" -ex "source $CAIRN_GDB" -ex "set max-value-size $limit" \
		-ex 'break stop_here' -ex run -ex 'echo begin\n' "$@" >"$tmp/values.$limit"
done
diff "$tmp/values.unlimited" "$tmp/values.16" || fail 'values of 16 bytes'
[ "$(grep -c '^#' "$tmp/values.16")" -ge 2 ] || fail 'values of 16 bytes: no stack'

# Files of a megabyte that have gigabytes to read: the command ends, and GDB grows by no more than
# 64 MB and ten times the file.
bare=$tmp/bare
"$CC_TARGET" -O0 -Wl,--build-id=0xca1f00112233445566778899aabbccddeeff0011 "$programs/ring.c" \
	-o "$bare"
size=1000000
for kind in rows inlines nested overlap calls merged name tails paths; do
	"$SHARED_GSYM" "$kind" "$size" ca1f00112233445566778899aabbccddeeff0011 >"$tmp/$kind.gsym"
	(
		ulimit -t 20
		debug without "$bare" -ex "source $CAIRN_GDB" -ex 'break stop_here' -ex run \
			-ex "shell grep VmHWM /proc/\$PPID/status" \
			-ex "cairn add-gsym $tmp/$kind.gsym" \
			-ex "shell grep VmHWM /proc/\$PPID/status" -ex 'echo alive\n'
	) >"$tmp/out" || :
	grep -q '^alive$' "$tmp/out" || {
		tail -5 "$tmp/out"
		fail "GSYM, $kind: GDB does not live"
	}
	grew=$(awk '/^VmHWM/ { grew = $2 - before; before = $2 } END { print grew }' "$tmp/out")
	[ "$grew" -lt $((64 * 1024 + 10 * size / 1024)) ] || [ -n "${NO_DEBUGINFOD:-}" ] ||
		fail "GSYM, $kind: GDB grew by $grew KiB"
done

# the terminal gets no byte of a name that would drive it, or turn text around
printf 'MODULE Linux x86_64 0011 ring\nFUNC %s 8 0 ev\033[31mil\342\200\256name\303\251\n' \
	"$(nm "$bare" | awk '$3 == "stop_here" { print $1 }')" >"$tmp/evil.sym"
"$CAIRN" gsym create --quiet -o "$tmp/evil.gsym" "$tmp/evil.sym" || fail 'no GSYM of evil names'
debug without "$bare" -ex "source $CAIRN_GDB" -ex 'break stop_here' -ex run \
	-ex "cairn add-gsym -force -module bare $tmp/evil.gsym" -ex 'echo begin\n' -ex 'bt 1' |
	sed '1,/^begin$/d' >"$tmp/out"
grep -q '^#0 .*ev\\x1b\[31mil\\xe2\\x80\\xaename' "$tmp/out" || {
	cat "$tmp/out"
	fail 'a name that drives the terminal'
}
# no directory for temporary files can be written to but one; none, and the message tells
"$CC_TARGET" -g -O0 -Wl,--build-id=0xca1f00112233445566778899aabbccddeeff0011 "$programs/ring.c" \
	-o "$tmp/whole"
"$CAIRN" gsym create --quiet -o "$tmp/whole.gsym" "$tmp/whole"
cat >"$tmp/closed" <<END
mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && mount -t tmpfs -o ro none /run || exit 77
[ "\$1" = one ] || { mount -t tmpfs -o ro none /dev/shm && mount -t tmpfs -o ro none /var/tmp; } || exit 77
unset TMPDIR XDG_RUNTIME_DIR
exec "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-ex "source $CAIRN_GDB" -ex "cairn add-gsym $tmp/whole.gsym" -ex 'info line step' "$bare" </dev/null
END
if unshare -m sh "$tmp/closed" one >"$tmp/out" 2>&1; then
	grep -q '^Line [0-9]* of ".*ring\.c"' "$tmp/out" || {
		cat "$tmp/out"
		fail '/tmp and /run cannot be written to'
	}
	unshare -m sh "$tmp/closed" none >"$tmp/out" 2>&1 || :
	grep -q 'cannot create a directory in .*; start GDB with TMPDIR set' "$tmp/out" || {
		cat "$tmp/out"
		fail 'no folder can be written to, and nothing is told'
	}
else
	echo 'not tried here: folders that cannot be written to (unshare, mount)'
fi
echo 'narrow circumstances are borne'

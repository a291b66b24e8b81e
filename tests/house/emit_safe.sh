#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Is what writes markup safe in a signal handler, whatever was interrupted, and bounded, however many
# modules there are?
#
#	emit_safe.sh EMIT_CRASH MODULE LIBRARY CAIRN
crash=$1
module=$2
library=$3
cairn=$4
. "$(dirname "$0")/../lib/test.sh"
ulimit -c 0
for tool in nm objcopy readelf; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

# what the object that writes refers to: async-signal-safe functions, by POSIX, and no other
nm -A -u "$library" | sed -n 's/^.*:[^:]*emit\.c\.o: *U //p' >"$work/symbols"
[ -s "$work/symbols" ] || fail "no emit.c.o in $library: $(nm -A -u "$library" | head -3)"
grep -v -x -e write -e memcpy -e memset -e strlen -e __errno_location -e __stack_chk_fail \
	-e '__\(memcpy\|strlen\)_chk' -e _GLOBAL_OFFSET_TABLE_ "$work/symbols" &&
	fail 'that is not known to be safe in a handler'

# stripped, its debug information elsewhere
id=$(readelf -n "$crash" 2>/dev/null | awk '/Build ID/ { print $3 }')
rest=${id#??}
mkdir -p "$work/debug/.build-id/${id%"$rest"}" "$work/copies"
objcopy --only-keep-debug "$crash" "$work/debug/.build-id/${id%"$rest"}/$rest.debug"
objcopy --strip-all "$crash" "$work/crash"

# $1: libraries to load; $2: modules that must be told of, or more with a "+"
check() {
	count=$1
	want=$2
	set --
	for i in $(seq "$count"); do
		cp "$module" "$work/copies/lib with:odd}name $i.so"
		set -- "$@" "$work/copies/lib with:odd}name $i.so"
	done
	"$work/crash" "$@" >"$work/log" 2>&1
	[ $? -eq 139 ] || fail "$count libraries: no SIGSEGV: $(tail -2 "$work/log")"
	grep -q '^errno is kept$' "$work/log" || fail "$count libraries: errno is not kept"
	grep -q 'malloc in the handler\|closed descriptor' "$work/log" && fail "$(tail -1 "$work/log")"
	told=$(grep -c '^{{{module:[0-9]*:[^:}]*:elf:[0-9a-f]*}}}$' "$work/log")
	case $want in
	*+) [ "$told" -ge "${want%+}" ] ;;
	*) [ "$told" -eq "$want" ] ;;
	esac || fail "$count libraries: $told modules are told of, not $want"
	[ "$told" = "$(grep -c '^{{{module' "$work/log")" ] || fail "$count libraries: an odd module"
	awk 'length > 512 { exit 1 }' "$work/log" || fail "$count libraries: a long line"
	"$cairn" markup --debug-file-directory="$work/debug" "$work/log" >"$work/out" 2>"$work/errors"
	grep -q '^    #0  .* malloc .*emit_crash\.c:[1-9]' "$work/out" &&
		grep -q '^    #1  .* work .*emit_crash\.c:[1-9]' "$work/out" ||
		fail "$count libraries: no names: $(grep '#[01]' "$work/out") $(head -2 "$work/errors")"
	grep -q 'error: ' "$work/errors" && fail "$count libraries: $(grep 'error: ' "$work/errors" | head -2)"
	grep -q '{{{' "$work/out" && fail "$count libraries: not understood: $(grep '{{{' "$work/out")"
}
check 0 2+
check 20 22+
check 300 256
exit $failed

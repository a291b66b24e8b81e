#!/bin/sh
# SPDX-License-Identifier: MIT
# Addresses of a stripped program: cairn where has its debug file from debuginfod, when asked.
. "$(dirname "$0")/net.sh"
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
"$ldconfig" -p | grep -q 'libdebuginfod\.so\.1' || {
	echo "skipped: no libdebuginfod"
	exit 77
}
export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS DEBUGINFOD_PROGRESS= XDG_CACHE_HOME
caches=0
# No file from before; the server is asked for what follows.
fresh() {
	caches=$((caches + 1))
	DEBUGINFOD_CACHE_PATH=$work/cache$caches XDG_CACHE_HOME=$work/own$caches
	[ $# = 0 ] || odd "$@"
	DEBUGINFOD_URLS=${1:+$url}
}
requests() {
	asked=$(sed -n 's/^GET .*\/\([a-z]*\) HTTP.*/\1/p' "$work/requests" | tr '\n' ' ')
	[ "$asked" = "$2" ] || fail "$1: asked for '$asked', not '$2'"
}

printf 'int work(int a)\n{\n\treturn a + 1;\n}\nint main(int c, char **v)\n{\n\t(void)v;\n\treturn work(c) - 2;\n}\n' >"$work/prog.c"
(cd "$work" && ${CC_TARGET:-cc} -O0 -g -Wl,--build-id -o prog prog.c) || {
	echo 'skipped: no program can be linked here'
	exit 77
}
va=0x$(nm "$work/prog" | sed -n 's/ T work$//p')
objcopy --only-keep-debug "$work/prog" "$work/prog.debug" || exit 2
objcopy --strip-all "$work/prog" "$work/stripped" || exit 2

# nobody is asked unasked
fresh "200:$work/prog.debug"
"$CAIRN" where "$work/stripped" "$va" >"$work/out" 2>"$work/err"
requests 'without --debuginfod' ''
grep -q 'prog.c' "$work/out" && fail "lines out of nothing: $(cat "$work/out")"

# the debug file; then from the caches: that of all clients, and cairn's own
expect 0 "$CAIRN" where --debuginfod "$work/stripped" "$va"
says "$work/out" 'work at '
says "$work/out" 'prog.c:2'
requests 'with --debuginfod' 'debuginfo '
DEBUGINFOD_URLS=
expect 0 "$CAIRN" where --debuginfod "$work/stripped" "$va"
says "$work/out" 'prog.c:2'
expect 0 "$CAIRN" where --debuginfod --no-cache "$work/stripped" "$va"
says "$work/out" 'prog.c:2'
requests 'the cache' 'debuginfo '
# nor for a program that has DWARF
expect 0 "$CAIRN" where --debuginfod "$work/prog" "$va"
[ -s "$work/err" ] && fail "a complete program: $(cat "$work/err")"
end TERM "$odd"

# a file of another build
fresh "200:$CAIRN"
"$CAIRN" where --debuginfod "$work/stripped" "$va" >"$work/out" 2>"$work/err"
says "$work/err" 'ignored: unreadable or from another build'
grep -q 'prog.c' "$work/out" && fail "lines of another build: $(cat "$work/out")"
end TERM "$odd"

# a server that never answers, and none
fresh silent
"$CAIRN" where --debuginfod --debuginfod-deadline 1 "$work/stripped" "$va" >"$work/out" 2>"$work/err"
says "$work/err" 'debuginfod did not answer in time; skipping further requests'
end TERM "$odd"
fresh
"$CAIRN" where --debuginfod "$work/stripped" "$va" >"$work/out" 2>"$work/err"
says "$work/err" 'DEBUGINFOD_URLS names no server'
exit $failed

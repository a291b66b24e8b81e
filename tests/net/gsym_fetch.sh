#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn gsym fetch: GSYM of builds whose debug files a debuginfod server has, in the cache, where they are found.
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
	kept=$XDG_CACHE_HOME/cairn/$build.debuginfod.gsym
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
build=$(readelf -n "$work/prog" | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug "$work/prog" "$work/prog.debug" || exit 2
objcopy --strip-all "$work/prog" "$work/stripped" || exit 2

fresh "200:$work/prog.debug"
expect 1 "$CAIRN" gsym lookup "$work/stripped" "$va"
objcopy --strip-debug "$work/prog" "$work/poor" || exit 2
expect 0 "$CAIRN" where "$work/poor" "$va"
[ -s "${kept%.debuginfod.gsym}.gsym" ] || fail 'cairn where kept nothing'
expect 0 "$CAIRN" gsym fetch "$build"
[ "$(cat "$work/out")" = "$kept" ] || fail "its path: $(cat "$work/out")"
requests 'gsym fetch' 'debuginfo '
# what reads files of the cache finds it, even where a poorer one is beside it
expect 0 "$CAIRN" where "$work/poor" "$va"
says "$work/out" 'prog.c:2'
expect 0 "$CAIRN" gsym lookup "$work/stripped" "$va"
says "$work/out" 'work at '
says "$work/out" 'prog.c:2'
# it has the rows that breakpoints need
"$CAIRN" gsym create --quiet --statements -o "$work/prog.gsym" "$work/prog.debug"
cmp -s "$work/prog.gsym" "$kept" || fail 'it is not what gsym create --statements makes of the debug file'

# from the cache; again with --force, and then from that of all clients
expect 0 "$CAIRN" gsym fetch "$build"
echo damage >"$kept"
expect 0 "$CAIRN" gsym fetch "$build"
cmp -s "$work/prog.gsym" "$kept" || fail 'a damaged file stays'
rm "$kept"
expect 0 "$CAIRN" gsym fetch "$build"
touch -d 2000-01-01T00:00:00 "$kept"
touch -d 2010-01-01T00:00:00 "$work/stamp"
expect 0 "$CAIRN" gsym fetch "$build"
[ "$work/stamp" -nt "$kept" ] || fail 'a whole file is made again without --force'
expect 0 "$CAIRN" gsym fetch --force "$(echo "$build" | tr a-f A-F)"
[ "$kept" -nt "$work/stamp" ] || fail '--force makes nothing'
requests 'the caches' 'debuginfo '

# it is listed and removed with the others
expect 0 "$CAIRN" cache list
says "$work/out" "$build.debuginfod.gsym"
expect 0 "$CAIRN" cache clear
[ ! -e "$kept" ] || fail 'it is still there'
end TERM "$odd"

# nobody has it
fresh 404
expect 1 "$CAIRN" gsym fetch "$build"
says "$work/err" 'debuginfod found no debug file'
end TERM "$odd"

# a file of another build, and one that is no program
fresh "200:$CAIRN"
expect 3 "$CAIRN" gsym fetch "$build"
says "$work/err" 'ignored: from another build'
[ ! -e "$kept" ] || fail 'symbols of another build'
end TERM "$odd"
fresh "200:$work/prog.c"
expect 3 "$CAIRN" gsym fetch "$build"
[ ! -e "$kept" ] || fail 'symbols of a text'
end TERM "$odd"

# a server that never answers is asked once
fresh silent
expect 1 "$CAIRN" gsym fetch --debuginfod-deadline 1 "$build" 0123456789abcdef
[ "$(cat "$work/err")" = 'cairn: debuginfod did not answer in time; skipping further requests' ] ||
	fail "a silent server: $(cat "$work/err")"
end TERM "$odd"
fresh
expect 1 "$CAIRN" gsym fetch "$build" 0123456789abcdef
[ "$(cat "$work/err")" = 'cairn: DEBUGINFOD_URLS names no server' ] || fail "no server: $(cat "$work/err")"

# what is not a build ID
for word in xyz 012 "$build$build$build$build" 01 ''; do
	expect 3 "$CAIRN" gsym fetch "$word"
	says "$work/err" 'not a build ID'
done
exit $failed

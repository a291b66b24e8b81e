#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbols of a log from debuginfod: its own server, and one that answers oddly.
. "$(dirname "$0")/net.sh"
mkdir "$work/none" # nothing is found there
fixtures=$(cd "$(dirname "$0")/../fixtures/markup" && pwd)
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
"$ldconfig" -p | grep -q 'libdebuginfod\.so\.1' || {
	echo "skipped: no libdebuginfod"
	exit 77
}
good=$fixtures/debug/.build-id/ca/1f0123456789ab.debug
id=ca1f0123456789ab
log=$work/log
cat >"$log" <<END
{{{module:0:larder:elf:$id}}}
{{{mmap:0x7f0000001000:0x1000:load:0:rx:0x1000}}}
{{{bt:0:0x7f0000001064:ra}}}
{{{bt:1:0x7f0000001035:pc}}}
{{{reset}}}
{{{module:3:again:elf:$id}}}
{{{mmap:0x7f0000001000:0x1000:load:3:rx:0x1000}}}
{{{bt:2:0x7f0000001064:ra}}}
END
export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS DEBUGINFOD_PROGRESS=
caches=0
fresh() {
	caches=$((caches + 1))
	DEBUGINFOD_CACHE_PATH=$work/cache$caches
}
filter() {
	expect 0 "$CAIRN" markup --debug-file-directory="$work/none" "$@" "$log"
}
# The answer names functions, or says why not.
named() {
	grep -q '#0  .* cook \./larder\.c:33:9 (larder+0x1063)$' "$work/out" &&
		grep -q '#2  .* cook \./larder\.c:33:9 (again+0x1063)$' "$work/out" ||
		fail "$1: $(cat "$work/out" "$work/err")"
}
unnamed() {
	grep -q '#0  .* (larder+0x1063)$' "$work/out" && ! grep -q cook "$work/out" &&
		grep -q "$2" "$work/err" || fail "$1: $(cat "$work/out" "$work/err")"
	[ "$(grep -c 'build ID' "$work/err")" = 1 ] || fail "$1 is not told once: $(cat "$work/err")"
}
requests() {
	[ "$(grep -c '^GET ' "$work/requests")" = "$2" ] ||
		fail "$1: $(grep -c '^GET ' "$work/requests") requests, not $2"
}

# nobody is asked unasked
fresh
odd "200:$good"
DEBUGINFOD_URLS=$url
filter
unnamed 'without --debuginfod' 'no file with symbols was found$'
requests 'without --debuginfod' 0

# a hit, which serves the next run from the cache
filter --debuginfod
named 'a hit'
requests 'a hit' 1
DEBUGINFOD_URLS=
filter --debuginfod
named 'the cache'
requests 'the cache' 1
end TERM "$odd"

# a miss is asked for once in a run, and not again in the next
fresh
odd
DEBUGINFOD_URLS=$url
filter --debuginfod
unnamed 'a miss' 'no file with symbols was found; debuginfod does not have it$'
requests 'a miss' 1
filter --debuginfod
unnamed 'a miss that was remembered' 'debuginfod does not have it'
requests 'a miss that was remembered' 1
end TERM "$odd"

# a file of another build is refused
fresh
odd "200:$CAIRN"
DEBUGINFOD_URLS=$url
filter --debuginfod
unnamed 'another build' 'a file from another build was found'
end TERM "$odd"

# a server that is not there any more does not say that there is no file
fresh
filter --debuginfod
unnamed 'no server there' 'no file with symbols was found; a debuginfod server cannot be reached$'

# a server that never answers: the deadline, after which it is not asked again
fresh
odd silent silent
DEBUGINFOD_URLS=$url
sed 's/^{{{reset}}}$/{{{module:1:other:elf:0badcafe}}}\n{{{mmap:0x1000:0x1000:load:1:rx:0}}}\n{{{bt:9:0x1010:pc}}}\n&/' \
	"$log" >"$work/two.log"
expect 0 "$CAIRN" markup --debug-file-directory="$work/none" --debuginfod --debuginfod-deadline=1 \
	"$work/two.log"
grep -q "'larder'.*debuginfod did not answer in time$" "$work/err" &&
	grep -q "'other'.*debuginfod did not answer in time earlier$" "$work/err" ||
	fail "the deadline: $(cat "$work/err")"
requests 'the deadline' 1
end TERM "$odd"

# the server of elfutils; it takes no port 0
if command -v debuginfod >/dev/null; then
	port=$((20000 + $$ % 20000))
	mkdir "$work/tree"
	cp "$good" "$work/tree"
	debuginfod -F -p $port -d "$work/base" -t 0 -g 0 "$work/tree" >"$work/debuginfod" 2>&1 &
	servers="$servers $!"
	DEBUGINFOD_URLS=http://127.0.0.1:$port
	for _ in $(seq 600); do
		fresh
		filter --debuginfod
		grep -q cook "$work/out" && break
		sleep 0.1
	done
	named 'the server of elfutils'
else
	echo 'no debuginfod to ask'
fi
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes that share a cache of debuginfod: one fetches a file, all have it; what servers do not have is remembered, what they could not
# say is not; the cache has a bound, and a full disk is a reason to try again.
. "$(dirname "$0")/net.sh"
fixtures=$(cd "$(dirname "$0")/../fixtures/markup" && pwd)
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
"$ldconfig" -p | grep -q 'libdebuginfod\.so\.1' || skip 'no libdebuginfod'
good=$fixtures/debug/.build-id/ca/1f0123456789ab.debug
id=ca1f0123456789ab
echo "{\"frames\":[{\"build_id\":\"$id\",\"address\":\"0x1063\"}]}" >"$work/request"
export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS DEBUGINFOD_PROGRESS=
caches=0
fresh() {
	caches=$((caches + 1))
	DEBUGINFOD_CACHE_PATH=$work/cache$caches
}

# names STATUS WHAT TEXT [OPTION...]: the answer has the text.
names() {
	status=$1 what=$2 text=$3
	shift 3
	expect "$status" "$CAIRN" symbolize --debuginfod "$@" <"$work/request"
	grep -qF -e "$text" "$work/out" || fail "$what: $(cat "$work/out" "$work/err")"
}
requests() {
	[ "$(grep -c '^GET ' "$work/requests")" = "$2" ] || fail "$1: $(grep -c '^GET ' "$work/requests") requests, not $2"
}
later='"result":"try_again","reason":"a debuginfod server cannot be reached"'
none="\"result\":\"not_yet\",\"missing_build_ids\":[\"$id\"]"

# what is not an answer is not remembered, and the next one may be
for answer in 503 500 429 408 close half; do
	fresh
	odd $answer $answer "200:$good"
	DEBUGINFOD_URLS=$url
	names 75 $answer "$later"
	[ -z "$(find "$DEBUGINFOD_CACHE_PATH/$id" -type f)" ] || fail "$answer: $(find "$DEBUGINFOD_CACHE_PATH" -type f) is left"
	names 0 "after $answer" '"function":"cook"'
	end TERM $odd
done
# of two servers the one that says nothing may have it
fresh
odd 503 404 404 404
DEBUGINFOD_URLS="$url $url"
names 75 'two servers' "$later"
names 1 'two servers later' "$none"
end TERM $odd

# absent: for a while, for these servers
fresh
odd
DEBUGINFOD_URLS=$url
names 1 absent "$none"
requests absent 2
names 1 'absent again' "$none"
requests 'absent again' 2
DEBUGINFOD_URLS=$url/
names 1 'absent elsewhere' "$none"
requests 'absent elsewhere' 4
echo 0 >"$DEBUGINFOD_CACHE_PATH/cache_miss_s"
names 1 'forgotten' "$none"
requests 'forgotten' 6
end TERM $odd
fresh
odd 403 403 403 403
DEBUGINFOD_URLS=$url
names 1 refused "$none"
names 1 'refused again' "$none"
requests 'refused again' 4
end TERM $odd

# one line of many
fresh
odd 503 503 "200:$good"
DEBUGINFOD_URLS=$url
expect 0 "$CAIRN" symbolize --each --debuginfod <"$work/request"
grep -q "$later" "$work/out" || fail "one of many: $(cat "$work/out")"
expect 0 "$CAIRN" symbolize --each --debuginfod <"$work/request"
grep -q '"function":"cook"' "$work/out" || fail "one of many, later: $(cat "$work/out")"
end TERM $odd

# eight at once: one request
fresh
odd "200:$good"
DEBUGINFOD_URLS=$url
for i in 1 2 3 4 5 6 7 8; do
	"$CAIRN" symbolize --debuginfod --debuginfod-deadline 30 <"$work/request" >"$work/out.$i" 2>&1 &
	eval "process$i=\$!"
done
for i in 1 2 3 4 5 6 7 8; do
	eval "wait \$process$i" || fail "process $i: $(cat "$work/out.$i")"
	cmp -s "$work/out.1" "$work/out.$i" || fail "process $i has another answer"
done
requests 'eight at once' 1
end TERM $odd

# one that is killed while it fetches: another takes its turn at once
fresh
odd silent "200:$good"
DEBUGINFOD_URLS=$url
"$CAIRN" symbolize --debuginfod --debuginfod-deadline 60 <"$work/request" >"$work/out.1" 2>&1 &
killed=$!
for _ in $(seq 100); do
	grep -q '^GET ' "$work/requests" && break
	sleep 0.1
done
"$CAIRN" symbolize --debuginfod --debuginfod-deadline 60 <"$work/request" >"$work/out.2" 2>&1 &
waits=$!
sleep 0.5
requests 'one waits' 1
kill -9 $killed
wait $killed 2>/dev/null
wait $waits || fail "after the other was killed: $(cat "$work/out.2")"
grep -q '"function":"cook"' "$work/out.2" || fail "after the other was killed: $(cat "$work/out.2")"
requests 'its turn' 2
end TERM $odd
# and one that has waited as long as it may
fresh
odd silent silent
DEBUGINFOD_URLS=$url
"$CAIRN" symbolize --debuginfod --debuginfod-deadline 20 <"$work/request" >"$work/out.1" 2>&1 &
slow=$!
for _ in $(seq 100); do
	grep -q '^GET ' "$work/requests" && break
	sleep 0.1
done
names 75 'a wait that is too long' '"reason":"debuginfod did not answer in time"' --debuginfod-deadline 1
requests 'a wait that is too long' 1
kill -9 $slow
wait $slow 2>/dev/null
end TERM $odd

# the bound: what was not used for longest goes
fresh
mkdir -p "$DEBUGINFOD_CACHE_PATH/0a" "$DEBUGINFOD_CACHE_PATH/0b"
head -c 100000 /dev/zero >"$DEBUGINFOD_CACHE_PATH/0a/debuginfo"
head -c 100000 /dev/zero >"$DEBUGINFOD_CACHE_PATH/0b/executable"
touch -d '2 days ago' "$DEBUGINFOD_CACHE_PATH/0a/debuginfo"
touch -d '3 days ago' "$DEBUGINFOD_CACHE_PATH/0b/executable"
odd "200:$good" "200:$good"
DEBUGINFOD_URLS=$url
CAIRN_DEBUGINFOD_CACHE_MAX=150000 names 0 'a bound' '"function":"cook"'
[ -e "$DEBUGINFOD_CACHE_PATH/0a/debuginfo" ] || fail 'what was used later is gone'
[ ! -e "$DEBUGINFOD_CACHE_PATH/0b" ] || fail 'what was not used is there'
# a hit is a use
touch -a -d '3 days ago' "$DEBUGINFOD_CACHE_PATH/$id/executable"
names 0 'a hit' '"function":"cook"'
[ -n "$(find "$DEBUGINFOD_CACHE_PATH/$id/executable" -amin -5)" ] || fail 'a hit is no use'
end TERM $odd

# a full disk: try again, nothing half-made; with room again there are names; and old files make room
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=256k tmpfs "$work/small" 2>/dev/null; then
	mounted_at=$work/small
	DEBUGINFOD_CACHE_PATH=$work/small
	cp "$good" "$work/padded"
	head -c 150000 /dev/urandom >"$work/padding"
	objcopy --add-section .padding="$work/padding" "$work/padded" || exit 2
	odd "200:$work/padded" "200:$work/padded" "200:$work/padded" "200:$work/padded"
	DEBUGINFOD_URLS=$url
	head -c 200000 /dev/zero >"$work/small/filler"
	names 75 'a full disk' '"result":"try_again","reason":"the answer of debuginfod cannot be written to its cache: the disk may be full"'
	[ -z "$(find "$work/small/$id" -type f -size +0 2>/dev/null)" ] || fail "a full disk: $(find "$work/small" -type f -size +0)"
	rm "$work/small/filler"
	mkdir "$work/small/0a"
	head -c 180000 /dev/zero >"$work/small/0a/debuginfo"
	touch -d '2 days ago' "$work/small/0a/debuginfo"
	names 0 'old files make room' '"function":"cook"'
	[ ! -e "$work/small/0a" ] || fail 'the old file is there'
	end TERM $odd
else
	echo 'no file system can be mounted: a full disk was not tried'
fi
# the same for a limit of the size of files
fresh
head -c 150000 /dev/urandom >"$work/padding"
objcopy --add-section .padding="$work/padding" "$good" "$work/padded" || exit 2
odd "200:$work/padded" "200:$work/padded" "200:$work/padded"
DEBUGINFOD_URLS=$url
(
	trap '' XFSZ
	ulimit -f 64
	"$CAIRN" symbolize --debuginfod <"$work/request" >"$work/out" 2>"$work/err"
)
grep -q '"result":"try_again"' "$work/out" || fail "a limit of files: $(cat "$work/out" "$work/err")"
[ -z "$(find "$DEBUGINFOD_CACHE_PATH/$id" -type f 2>/dev/null)" ] || fail "a limit of files: $(find "$DEBUGINFOD_CACHE_PATH" -type f)"
names 0 'without the limit' '"function":"cook"'
end TERM $odd
exit $failed

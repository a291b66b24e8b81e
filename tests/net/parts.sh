#!/bin/sh
# SPDX-License-Identifier: MIT
# Parts: whole symbfiles and slices, out of order, repeated, replaced; a restart keeps them.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 300 >"$work/a"
"$MAKE_SYMBFILE" 20 >"$work/b"
"$MAKE_SYMBFILE" 300 pads >"$work/pads"
serve

# one part, and again
send 0 1 "$work/a"
same "$work/a"
send 0 1 "$work/b"
same "$work/b"

# slices, the last one first; nothing changes before all are there
size=$(wc -c <"$work/a")
head -c 5 "$work/a" >"$work/slice0"
tail -c +6 "$work/a" | head -c 4000 >"$work/slice1"
tail -c +4006 "$work/a" >"$work/slice2"
send 2 3 "$work/slice2"
send 0 3 "$work/slice0"
same "$work/b"

# a server that ends in between has what it was given
end TERM "$server" || fail "SIGTERM: the server exits with $?"
serve
send 1 3 "$work/slice1"
same "$work/a"

# others of the same number, in their place: what is published stays until all fit
"$MAKE_SYMBFILE" 250 >"$work/c"
head -c 3000 "$work/c" >"$work/other0"
tail -c +3001 "$work/c" | head -c 300 >"$work/other1"
tail -c +3301 "$work/c" >"$work/other2"
send 1 3 "$work/other1"
send 0 3 "$work/other0"
same "$work/a"
send 2 3 "$work/other2"
same "$work/c"

# some that never were one: told when all are there, and all are to be sent again
send 2 4 "$work/slice2"
send 0 4 "$work/slice0"
send 1 4 "$work/slice1"
request /api/symbols-ranges "$id" 3 4 - "$work/slice1" >"$work/request"
[ "$(status "$work/request")" = 400 ] || fail "joined to nonsense: $(cat "$work/answer")"
same "$work/c"
send 2 4 "$work/slice2"
send 0 4 "$work/slice0"
send 1 4 "$work/slice1"
: >"$work/empty"
send 3 4 "$work/empty"
same "$work/a"

# parts as the client makes them; ranges and return pads beside each other
expect 0 "$CAIRN" symbfile push --url "$url" --part-size 2000 --file-id $id "$work/a" "$work/pads"
says "$work/out" "ranges of $id sent, $size bytes in"
says "$work/out" "returnpads of $id sent"
same "$work/a"
if command -v script >/dev/null; then
	script -qec "'$CAIRN' symbfile push --url $url --part-size 2000 --file-id $id $work/a" /dev/null </dev/null >"$work/out" 2>&1
	says "$work/out" 'ranges 1/'
	script -qec "'$CAIRN' symbfile push --url $url --part-size 2000 --file-id $id --quiet $work/a" /dev/null </dev/null >"$work/out" 2>&1
	! grep -q 'ranges 1/' "$work/out" || fail "a bar in spite of --quiet"
fi
expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id --json "$work/pads"
says "$work/out" '"kind":"returnpads","file_id":"'$id'","part":0,"parts":1,'
same "$work/a"

# what no part, or no server, can hold
"$MAKE_SYMBFILE" 33000 >"$work/many"
expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id --part-size 1 --dry-run "$work/many"
says "$work/err" 'more parts than the protocol can number at byte '
says "$work/err" '; use a larger --part-size'
"$MAKE_SYMBFILE" 3 both >"$work/both"
expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/both"
says "$work/err" "$work/both: contains both ranges and return pads; servers accept only one kind per file"

# a damaged one among whole ones
send 0 2 "$work/slice0"
printf 'symbfile\0\1\3\2' >"$work/bad"
request /api/symbols-ranges "$id" 1 2 - "$work/bad" >"$work/request"
[ "$(status "$work/request")" = 400 ] || fail "damaged part: $(cat "$work/answer")"
says "$work/answer" "the file ends inside a message at byte 10"
same "$work/a"

end TERM "$server" || fail "SIGTERM: the server exits with $?"
[ -z "$(ls -A "$work/store/new")" ] || fail "left behind: $(ls -A "$work/store/new")"
exit $failed

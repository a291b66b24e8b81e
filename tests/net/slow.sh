#!/bin/sh
# SPDX-License-Identifier: MIT
# Clients that are too slow are sent away; others are served meanwhile.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 300 >"$work/a"
serve --timeout 1

# silent; bytes of a header now and then; bytes of a body now and then
(sleep 60 & echo $! >"$work/sleep"; wait) | "$EXCHANGE" "$address" >"$work/silent" 2>&1 &
request /api/symbols-ranges $id 0 1 - "$work/a" >"$work/request"
(cat "$work/request" && echo) >"$work/slow-request"
"$EXCHANGE" "$address" --pause 100 <"$work/slow-request" >"$work/headers" 2>&1 &
headers=$!
{
	printf 'POST /api/symbols-ranges HTTP/1.1\r\nHost: x\r\nFileID: %s\r\n' $id
	printf 'Content-Length: %d\r\n\r\n' "$(wc -c <"$work/a")"
	cat "$work/a"
} >"$work/request2"
"$EXCHANGE" "$address" --at-once 120 --pause 20 <"$work/request2" >"$work/body" 2>&1 &
body=$!
servers="$servers $headers $body"
printf 'POST /api' | "$EXCHANGE" "$address" >"$work/half" 2>&1
[ $? -eq 1 ] || fail "half a request line was answered: $(cat "$work/half")"

# others do not wait for them
expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/a"
same "$work/a"

wait "$headers"
[ $? -eq 1 ] || fail "slow headers were answered: $(cat "$work/headers")"
wait "$body"
[ $? -eq 1 ] || fail "a slow body was answered: $(cat "$work/body")"
says "$work/serve.log" " lost POST /api/symbols-ranges"
kill "$(cat "$work/sleep")" 2>/dev/null
same "$work/a"
[ -z "$(ls -A "$work/store/new")" ] || fail "left behind: $(ls -A "$work/store/new")"
end TERM "$server" || fail "SIGTERM: the server exits with $?"

# one that is fast enough for its rate, but takes too long for the whole
serve --timeout 30 --deadline 1
{ cat "$work/request2"; } | "$EXCHANGE" "$address" --at-once 120 --pause 20 >"$work/long" 2>&1
[ $? -eq 1 ] || fail "a body past the deadline was answered: $(cat "$work/long")"
end TERM "$server" || fail "SIGTERM: the server exits with $?"

# more connections of one address than it may have, all of which send a body
serve --timeout 600 --client-connections 2
# hold N: keep a connection, which the server closes if another one comes before its header
hold() {
	"$EXCHANGE" "$address" --at-once 120 --pause 500 <"$work/request2" >/dev/null 2>&1 &
	eval "held$1=$!"
	servers="$servers $!"
}
hold 1
hold 2
# until the server has both
tries=0
while timeout 60 "$EXCHANGE" "$address" --done 1 <"$work/request2" >"$work/third" 2>&1; do
	kill -0 "$held1" 2>/dev/null || hold 1
	kill -0 "$held2" 2>/dev/null || hold 2
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || {
		fail "a third connection was answered: $(cat "$work/third")"
		break
	}
	sleep 0.1
done
kill "$held1" "$held2"
expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/a"
end TERM "$server" || fail "SIGTERM: the server exits with $?"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# A server that is killed in the middle of a part, and started again.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 300 >"$work/a"
"$MAKE_SYMBFILE" 20 >"$work/old"
head -c 4000 "$work/a" >"$work/slice0"
tail -c +4001 "$work/a" >"$work/slice1"
serve
send 0 1 "$work/old"
send 0 2 "$work/slice0"

# a part that does not end: three bytes in a second
request /api/symbols-ranges "$id" 1 2 - "$work/slice1" >"$work/request"
"$EXCHANGE" "$address" --pause 1 <"$work/request" >/dev/null 2>&1 &
client=$!
servers="$servers $client"
tries=0
while [ -z "$(find "$work/store/new" -type f -size +0)" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 1000 ] || { fail "the part does not begin"; break; }
	sleep 0.01
done
end KILL "$server"
[ -n "$(ls -A "$work/store/new")" ] || fail "the server was not killed in a part"

serve
[ -z "$(ls -A "$work/store/new")" ] || fail "half a part was kept: $(ls -A "$work/store/new")"
same "$work/old"
send 1 2 "$work/slice1"
same "$work/a"

# a client that leaves in the middle of a part
request /api/symbols-ranges "$id" 0 1 - "$work/old" >"$work/request"
"$EXCHANGE" "$address" --cut 300 <"$work/request"
same "$work/a"

# a client goes on when its server comes back: the part was lost, the command was not
cp -r "$work/store" "$work/before"
port=${address##*:}
end KILL "$server"
"$CAIRN" symbfile push --url "$url" --retries 9 --backoff 50 --file-id $id "$work/old" \
	>"$work/push" 2>&1 &
push=$!
tries=0
while ! grep -q 'attempt 2 of 10' "$work/push"; do
	tries=$((tries + 1))
	[ "$tries" -lt 1000 ] || { fail "no second attempt: $(cat "$work/push")"; break; }
	sleep 0.01
done
"$CAIRN" symbfile serve --listen "127.0.0.1:$port" --store "$work/store" >"$work/serve" \
	2>>"$work/serve.log" &
server=$!
servers="$servers $server"
wait "$push"
status=$?
if grep -q 'in use' "$work/serve.log"; then
	echo "the port was taken by somebody else meanwhile; not checked"
else
	[ $status -eq 0 ] || fail "the push ends with $status: $(cat "$work/push")"
	await "$work/serve"
	same "$work/old"
fi
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Clients at once: several executables, and one executable cut in different ways.  How uploads of one
# file keep out of each other's way is for tests/unit/test_store.c, which makes them meet.
. "$(dirname "$0")/net.sh"

serve
pushes=
for i in 1 2 3 4; do
	"$MAKE_SYMBFILE" $((2000 + i)) >"$work/file$i"
	"$CAIRN" symbfile push --url "$url" --part-size $((8000 * i)) \
		--file-id "0000000000000000000000000000000$i" "$work/file$i" \
		>"$work/push$i" 2>&1 &
	pushes="$pushes $!"
	"$CAIRN" symbfile push --url "$url" --part-size $((9000 * i)) --file-id "$id" \
		"$work/file1" >"$work/again$i" 2>&1 &
	pushes="$pushes $!"
done
for push in $pushes; do
	wait "$push" || fail "a push failed: $(cat "$work"/push? "$work"/again?)"
done
for i in 1 2 3 4; do
	same "$work/file$i" "0000000000000000000000000000000$i"
done
same "$work/file1"

# while one is at it, the store is nobody else's
expect 3 "$CAIRN" symbfile serve --listen 127.0.0.1:0 --store "$work/store"
says "$work/err" "another server uses this store"
end TERM "$server" || fail "SIGTERM: the server exits with $?"
[ -z "$(ls -A "$work/store/new")" ] || fail "left behind: $(ls -A "$work/store/new")"
exit $failed

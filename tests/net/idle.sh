#!/bin/sh
# SPDX-License-Identifier: MIT
# Connections that do nothing, of one address or of several, keep nobody out: they make room for others.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/a"

# crowd FROM COUNT KIND
crowd() {
	: >"$work/crowd"
	"$CROWD" "${address%:*}" "${address##*:}" "$@" >"$work/crowd" 2>&1 &
	servers="$servers $!"
	crowds="${crowds:-} $!"
	until grep -q . "$work/crowd"; do
		sleep 0.02
	done
	grep -q ready "$work/crowd" || fail "no crowd: $(cat "$work/crowd")"
}

leave() {
	# shellcheck disable=SC2086 # numbers of processes
	kill -KILL $crowds
	crowds=
	end TERM "$server" || fail "SIGTERM: the server exits with $?"
}

for kind in silent closed headers; do
	serve --timeout 600
	crowd 127.0.0.1 64 $kind
	expect 0 "$CAIRN" symbfile push --retries 0 --url "$url" --file-id $id "$work/a"
	leave

	serve --timeout 600
	for last in 2 3 4 5 6; do
		crowd 127.0.0.$last 64 $kind
	done
	expect 0 "$CAIRN" symbfile push --retries 0 --url "$url" --file-id $id "$work/a"
	leave
done

# bodies that have stopped, after a tenth of the timeout; by then the timeout itself has ended none
serve --timeout 20
for last in 2 3 4 5 6; do
	crowd 127.0.0.$last 64 body
done
sleep 4
expect 0 "$CAIRN" symbfile push --retries 0 --url "$url" --file-id $id "$work/a"
same "$work/a"
leave
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# The API key: where it comes from, and that it goes nowhere else.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/a"
printf 'ZXhhbXBsZS1pZDpleGFtcGxlLWtleQ==\n' >"$work/key"
chmod 600 "$work/key"
serve --api-key-file "$work/key"
push="$CAIRN symbfile push --url $url --file-id $id"

expect 3 $push "$work/a"
says "$work/err" "the server answers 401, code 1003: a valid API key is required (uuid "
expect 0 $push --api-key-file "$work/key" "$work/a"
[ ! -s "$work/err" ] || fail "a word too many: $(cat "$work/err")"
CAIRN_API_KEY=example-id:example-key expect 0 $push "$work/a"
expect 0 $push --api-key example-id:example-key "$work/a"
says "$work/err" "warning: other users can see --api-key"
expect 3 $push --api-key wrong:key "$work/a"
expect 2 $push --api-key a --api-key-file "$work/key" "$work/a"
printf 'two words' >"$work/words"
expect 3 $push --api-key-file "$work/words" "$work/a"
says "$work/err" "invalid API key (expected printable ASCII characters without spaces)"
chmod 644 "$work/key"
expect 0 $push --api-key-file "$work/key" "$work/a"
says "$work/err" "warning: other users can read this key"
# to what is not called local, where this machine refuses the connection
expect 3 "$CAIRN" symbfile push --url http://0.0.0.0:1 --file-id $id --api-key-file "$work/key" --retries 0 "$work/a"
says "$work/err" "http://0.0.0.0:1: warning: the API key is sent over http, so others may be able to read it"
expect 0 $push --api-key secret-id:secret --dry-run "$work/a"
says "$work/out" "Authorization: APIKey (hidden)"
! grep -q 'secret\|c2VjcmV0' "$work/out" "$work/err" || fail "the key is printed"

# gone from the list of processes while it is in use, and not sent to where a redirect points
odd close '302>http://127.0.0.1:1/'
if [ -r /proc/self/cmdline ]; then
	"$CAIRN" symbfile push --url "$url" --file-id $id --api-key secret-id:secret --retries 1 \
		--backoff 3000 "$work/a" >"$work/out" 2>"$work/err" &
	client=$!
	servers="$servers $client"
	tries=0
	while ! grep -q 'attempt 2' "$work/err"; do
		tries=$((tries + 1))
		[ "$tries" -lt 1000 ] || { fail "no second attempt: $(cat "$work/err")"; break; }
		sleep 0.01
	done
	tr '\0' ' ' <"/proc/$client/cmdline" >"$work/cmdline"
	says "$work/cmdline" "--api-key xxxxxxxxxxxxxxxx --retries"
	wait "$client"
	[ $? -eq 3 ] || fail "a redirect was taken for success"
	says "$work/err" "the server answers 302"
fi
! grep -rqE 'secret|c2VjcmV0' "$work/out" "$work/err" "$work/serve.log" || fail "the key is printed"
# the command of the unit for systemd, with a key as docs/symbol-store.md makes it
top=$(cd "$(dirname "$0")/../.." && pwd)
make_key=$(sed -n 's|^    (umask 077 && \(.*\) > /etc/cairn/key)$|\1|p' "$top/docs/symbol-store.md")
[ -n "$make_key" ] && (umask 077 && sh -c "$make_key" >"$work/made-key")
words=$(sed -n 's|^ExecStart=/usr/bin/cairn ||p' "$top/docs/examples/cairn-symbols.service" |
	sed -e 's/:8240 /:0 /' -e "s|/var/lib/cairn-symbols|$work/unit|" -e "s|\${CREDENTIALS_DIRECTORY}/key|$work/made-key|")
: >"$work/serve"
# shellcheck disable=SC2086 # words
"$CAIRN" $words >"$work/serve" 2>>"$work/serve.log" &
servers="$servers $!"
await "$work/serve"
expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/a"
says "$work/err" 'the server answers 401'
expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id --api-key-file "$work/made-key" "$work/a"
[ -d "$work/unit" ] || fail "the unit's server has another store"

# a key for reading: who fetches needs it or the other one, for whatever path; it does not let anybody write
end TERM "$server"
printf 'read-id:read-key\n' >"$work/read"
chmod 600 "$work/read"
serve --api-key-file "$work/key" --read-key-file "$work/read"
fetch="$CAIRN symbfile fetch --url $url --output $work/fetched --retries 0"
rm -f "$work/fetched"
expect 3 $fetch $id
says "$work/err" "the server answers 401: a valid API key is required"
expect 3 $fetch --api-key wrong:key $id
expect 2 $fetch --api-key a --api-key-file "$work/read" $id
says "$work/err" "--api-key and --api-key-file are mutually exclusive"
[ ! -e "$work/fetched" ] || fail "something was fetched without the key"
for path in NH/b9/$id/ranges NH/b9/$id/metadata.json AA/AA/AAAAAAAAAAAAAAAAAAAAAA/ranges NH/b8/$id/ranges else; do
	printf 'GET /%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$path" >"$work/request"
	[ "$(status "$work/request")" = 401 ] || fail "$path without a key: $(cat "$work/answer")"
	says "$work/answer" 'WWW-Authenticate: APIKey'
done
expect 0 $fetch --api-key-file "$work/read" $id
[ ! -s "$work/err" ] || fail "a word too many: $(cat "$work/err")"
expect 0 $fetch --api-key-file "$work/key" $id
CAIRN_API_KEY=read-id:read-key expect 0 $fetch $id
CAIRN_API_KEY=read-id:read-key expect 3 "$CAIRN" symbfile push --url "$url" --retries 0 --file-id $id "$work/a"
says "$work/err" "the server answers 401"
end TERM "$server"
serve --read-key-file "$work/read"
expect 3 "$CAIRN" symbfile fetch --url "$url" --output "$work/fetched" --retries 0 $id
expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/a"
# with a key a redirect is not followed: it is for one server
odd '302>http://127.0.0.1:1/'
expect 3 "$CAIRN" symbfile fetch --url "$url" --api-key-file "$work/read" --output "$work/fetched" --retries 0 $id
says "$work/err" "the server answers 302"
! grep -rqE 'read-key|cmVhZC1' "$work/out" "$work/err" "$work/serve.log" || fail "the key for reading is printed"

# without a key: a word about it when others reach the server
end TERM "$server"
serve --listen 0.0.0.0:0
says "$work/serve.log" "warning: without --api-key-file, anyone who can reach $address can write to the store"
end TERM "$server"
serve --listen 0.0.0.0:0 --api-key-file "$work/key"
says "$work/serve.log" " over http, so others may be able to read them; listen on a local address behind a TLS proxy"
expect 2 "$CAIRN" symbfile serve --listen 127.0.0.1:0 --store "$work/other" --deadline 0
says "$work/err" '--deadline must be greater than 0 and --client-connections from 1 to 256'
exit $failed

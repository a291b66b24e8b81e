#!/bin/sh
# SPDX-License-Identifier: MIT
# Requests that a server refuses: by path, method, header, key, size, body.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/a"
"$MAKE_SYMBFILE" 20 pads >"$work/pads"
printf 'example-id:example-key\n' >"$work/key"
chmod 600 "$work/key"
key='APIKey ZXhhbXBsZS1pZDpleGFtcGxlLWtleQ=='
serve --api-key-file "$work/key" --max-part 5000

# refused STATUS CODE PATH FILEID PART PARTS AUTHORIZATION BODY
refused() {
	want=$1
	code=$2
	shift 2
	request "$@" >"$work/request"
	got=$(status "$work/request")
	[ "$got" = "$want" ] || fail "$*: $(cat "$work/answer")"
	says "$work/answer" '"Code": "'"$code"'"'
	grep -Eq '"uuid": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"' \
		"$work/answer" || fail "no uuid: $(cat "$work/answer")"
	uuid=$(sed -n 's/.*"uuid": "\([^"]*\)".*/\1/p' "$work/answer")
	says "$work/serve.log" "$uuid"
}

ranges=/api/symbols-ranges
refused 404 1001 /api/symbols-other $id 0 1 "$key" "$work/a"
refused 404 1001 /api/symbols-ranges/ $id 0 1 "$key" "$work/a"
refused 404 1001 /else $id 0 1 "$key" "$work/a"
refused 405 1002 /NH/b9/$id/ranges $id 0 1 "$key" "$work/a"
refused 401 1003 $ranges $id 0 1 - "$work/a"
refused 401 1003 $ranges $id 0 1 'Basic abc' "$work/a"
refused 401 1003 $ranges $id 0 1 'APIKey wrong' "$work/a"
refused 401 1003 $ranges $id 0 1 "${key}x" "$work/a"
refused 400 1004 $ranges - 0 1 "$key" "$work/a"
refused 400 1004 $ranges NHb9aTyjzuGRQxEH02ygW 0 1 "$key" "$work/a"
refused 400 1004 $ranges ../../../../etc/passwd 0 1 "$key" "$work/a"
refused 400 1005 $ranges $id 5 5 "$key" "$work/a"
refused 400 1005 $ranges $id 0 - "$key" "$work/a"
refused 400 1005 $ranges $id 0 32768 "$key" "$work/a"
refused 400 1011 $ranges $id 0 1 "$key" "$work/pads"
printf 'nothing of the kind' >"$work/text"
refused 400 1008 $ranges $id 0 1 "$key" "$work/text"

# too large: told before the body, after a small one, and to our own client
"$MAKE_SYMBFILE" 1000 >"$work/large"
refused 413 1007 $ranges $id 0 1 "$key" "$work/large"
"$MAKE_SYMBFILE" 40000 >"$work/huge"
expect 3 "$CAIRN" symbfile push --url "$url" --api-key-file "$work/key" --file-id $id "$work/huge"
says "$work/err" "huge: part 1 of 1 was not sent"
says "$work/err" "the server answers 413, code 1007: the part is too large: at most 5000 bytes (uuid"
expect 0 "$CAIRN" symbfile push --url "$url" --api-key-file "$work/key" --file-id $id \
	--part-size 4000 "$work/large"
same "$work/large"

# two lengths, of an upload and of a download; both the same is no better
for second in 10 "$(wc -c <"$work/a")"; do
	request $ranges $id 0 1 "$key" "$work/a" | sed "s/^Host: test/&\r\nContent-Length: $second/" \
		>"$work/request"
	[ "$(status "$work/request")" = 400 ] || fail "two lengths: $(cat "$work/answer")"
done
printf 'GET /NH/b9/%s/ranges HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 3\r\n\r\n' $id \
	>"$work/request"
[ "$(status "$work/request")" = 400 ] || fail "two lengths of a GET: $(cat "$work/answer")"

# another server on the way may read the other one of two headers
for header in "FileID: $id" 'FilePart: 1' 'FileParts: 2' "Authorization: $key" 'Authorization: APIKey other'; do
	request $ranges $id 0 1 "$key" "$work/a" | sed "/^Authorization/s!.*!&\r\n$header\r!;s/\r\r$/\r/" >"$work/request"
	[ "$(status "$work/request")" = 400 ] || fail "a second $header: $(cat "$work/answer")"
	says "$work/answer" '"Code": "1014", "Text": "FileID, FilePart, FileParts, UploadID or Authorization is given more than once"'
done
refused 400 1004 $ranges $id%00 0 1 "$key" "$work/a"

# a NUL does not end a path
for path in "NH/b9/$id/ranges%00.txt" "NH/b9/$id/%00ranges" "NH/b9/$id/ranges%00" "NH/b9/$id/r%61nges%00"; do
	printf 'GET /%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$path" >"$work/request"
	[ "$(status "$work/request")" = 404 ] || fail "$path: $(cat "$work/answer")"
done
printf 'GET /NH/b9/%s/r%%61nges HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' $id >"$work/request"
[ "$(status "$work/request")" = 200 ] || fail "an escaped letter: $(head -n 1 "$work/answer")"
# a target may be a whole URL (RFC 9112, 3.2.2)
printf 'GET http://store.example:8240/NH/b9/%s/ranges?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' $id >"$work/request"
[ "$(status "$work/request")" = 200 ] || fail "a target with a host: $(head -n 1 "$work/answer")"
# which does not stand for the header Host (RFC 9112, 3.2)
for target in "/NH/b9/$id/ranges" "http://x/NH/b9/$id/ranges"; do
	for headers in '' 'Host: x\r\nHost: x\r\n'; do
		printf 'GET %s HTTP/1.1\r\n%bConnection: close\r\n\r\n' "$target" "$headers" >"$work/request"
		[ "$(status "$work/request")" = 400 ] || fail "$target with '$headers': $(cat "$work/answer")"
	done
	printf 'GET %s HTTP/1.0\r\n\r\n' "$target" >"$work/request"
	[ "$(status "$work/request")" = 200 ] || fail "$target in HTTP/1.0: $(cat "$work/answer")"
done
# what the server as a whole can (RFC 9110, 9.3.7)
printf 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >"$work/request"
[ "$(status "$work/request")" = 204 ] || fail "OPTIONS *: $(cat "$work/answer")"
grep -q '^Allow: GET, HEAD, POST, PUT, OPTIONS' "$work/answer" || fail "OPTIONS *: $(cat "$work/answer")"

# the name of an upload becomes that of a directory
{
	request $ranges $id 0 2 "$key" "$work/a" | sed 's/^Host: test/&\r\nUploadID: ..\/..\/..\/..\/..\/..\/..\/..\/..\/..\/xx/'
} >"$work/request"
[ "$(status "$work/request")" = 400 ] || fail "a path in UploadID: $(cat "$work/answer")"
says "$work/answer" '"Code": "1012"'

# no length
printf 'POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nFileID: %s\r\nAuthorization: %s\r\n\r\n' \
	$ranges $id "$key" >"$work/request"
[ "$(status "$work/request")" = 411 ] || fail "without a length: $(cat "$work/answer")"
printf 'POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nFileID: %s\r\nAuthorization: %s\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n' \
	$ranges $id "$key" >"$work/request"
[ "$(status "$work/request")" = 411 ] || fail "chunked: $(cat "$work/answer")"

# where the body ends has to be clear: a proxy may see another request behind it
for length in 'Content-Length : 63' 'Transfer-Encoding: gzip, chunked'; do
	printf 'POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\nGET /NH/b9/%s/ranges HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' \
		$ranges "$length" $id >"$work/request"
	[ "$(status "$work/request")" = 400 ] || fail "$length: $(cat "$work/answer")"
	says "$work/answer" '"Code": "1015"'
	[ "$(grep -c '^HTTP/1.1 ' "$work/answer")" = 1 ] || fail "$length: what follows is another request"
done

# the library cannot read these; one answer all the same
for length in -1 +2 '2, 2' 0x2; do
	request $ranges $id 0 1 "$key" "$work/a" | sed "s/^Content-Length: .*/Content-Length: $length\r/" >"$work/request"
	[ "$(status "$work/request")" = 400 ] || fail "a length of $length: $(cat "$work/answer")"
	[ "$(grep -c '^HTTP/1.1 ' "$work/answer")" = 1 ] || fail "a length of $length is answered twice: $(cat "$work/answer")"
done

# downloads
for path in /NH/b9/$id/range /NH/b8/$id/ranges /../../etc/passwd /%2e%2e/etc/passwd / \
	/AA/AA/AAAAAAAAAAAAAAAAAAAAAA/ranges /NH/b9/$id/../lock /lock /new; do
	printf 'GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$path" >"$work/request"
	case $(status "$work/request") in
	404 | 400) ;;
	*) fail "GET $path: $(cat "$work/answer")" ;;
	esac
done

# a log line cannot be forged, nor drive a terminal
printf 'GET /\033[31m%%0a2026-01-01T00:00:00Z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' \
	>"$work/request"
"$EXCHANGE" "$address" <"$work/request" >/dev/null
if grep -q "$(printf '\033')" "$work/serve.log" || grep -q '^2026-01-01' "$work/serve.log"; then
	fail "the log is not escaped"
fi
! grep -q 'ZXhhbXBs\|example-key' "$work/serve.log" || fail "the key is in the log"
same "$work/large"
exit $failed

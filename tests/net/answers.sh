#!/bin/sh
# SPDX-License-Identifier: MIT
# What a client makes of answers: which are tried again, and what is shown.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/a"
printf '{"success": true, "status": 200}' >"$work/ok"
printf '{"success": false, "error": {"Code": 7, "Text": "no \\u001b[31m"}, "uuid": "u-1"}' >"$work/no"
printf '{"status":500,"uuid":"f1ada52e-d705-423f-a1b0-fc054eb8900e","success":false,"error":{"Text":"overloaded","Code":"2001"}}' \
	>"$work/busy"
printf '<html>Service Unavailable</html>' >"$work/html"
head -c 100000 /dev/zero | tr '\0' ' ' >"$work/long"
push="symbfile push --file-id $id --backoff 5"

# everything that may pass, then success; Retry-After is honoured
odd close 500:"$work/busy" 503:"$work/html" 429 half 503@1 200:"$work/ok"
expect 0 "$CAIRN" $push --url "$url" --retries 6 "$work/a"
says "$work/err" "attempt 7 of 7 follows in 1.0 s"
says "$work/err" "the server answers 500; attempt 3 of 7 follows"
[ "$(grep -c '^POST /api/symbols-ranges HTTP' "$work/requests")" = 7 ] ||
	fail "not 7 requests: $(cat "$work/requests")"
for header in "FileID: $id" "FilePart: 0" "FileParts: 1" \
	"Content-Length: $(wc -c <"$work/a")"; do
	[ "$(grep -c "^$header" "$work/requests")" = 7 ] || fail "$header is not sent each time"
done
! grep -q '^Authorization' "$work/requests" || fail "a key out of nowhere"

# no body, no JSON: still a success
odd 200 200:"$work/html"
expect 0 "$CAIRN" $push --url "$url/" "$work/a"
expect 0 "$CAIRN" $push --url "$url" "$work/a"

# the end of patience: the server's words and its uuid
odd 500:"$work/busy" 500:"$work/busy"
expect 3 "$CAIRN" $push --url "$url" --retries 1 "$work/a"
says "$work/err" "the server answers 500, code 2001: overloaded (uuid f1ada52e-d705-423f-a1b0-fc054eb8900e)"

# never again: other statuses, a refusal with 200, an answer without end
odd 400:"$work/no" 404 200:"$work/no" 201 301 early 200:"$work/long"
for words in '400, code 7: no \x1b[31m (uuid u-1)' 404 '200, code 7: no \x1b' 201 301 400; do
	expect 3 "$CAIRN" $push --url "$url" "$work/a"
	says "$work/err" "the server answers $words"
	! grep -q attempt "$work/err" || fail "tried again after $words"
done
expect 3 "$CAIRN" $push --url "$url" "$work/a"
says "$work/err" "the server's answer is too large"

# nobody there; and URLs that are none
expect 3 "$CAIRN" $push --url http://127.0.0.1:1 --retries 1 "$work/a"
says "$work/err" "attempt 2 of 2 follows"
for bad in ftp://127.0.0.1/ file:///etc/passwd 'http://user:word@127.0.0.1/' \
	'http://127.0.0.1/?a' 'http://' ''; do
	expect 3 "$CAIRN" $push --url "$bad" "$work/a"
done

# what is no symbfile is not sent; nor are two of a kind, or without a FileID
odd 200
head -c 30 "$work/a" >"$work/cut"
expect 3 "$CAIRN" $push --url "$url" "$work/cut"
says "$work/err" "the file ends inside a message at byte"
expect 3 "$CAIRN" $push --url "$url" "$work/a" "$work/a"
says "$work/err" "a second file with ranges"
expect 3 "$CAIRN" symbfile push --url "$url" "$work/a"
says "$work/err" "cannot tell which executable the symbols belong to"
expect 3 "$CAIRN" symbfile push --url "$url" "$work/ok"
says "$work/err" "neither an ELF file, nor Breakpad symbols, nor GSYM, nor a symbfile"
expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/ok"
says "$work/err" "not a symbfile, and --file-id already identifies the executable"
expect 2 "$CAIRN" symbfile push --url "$url" --file-id short "$work/a"
[ ! -s "$work/requests" ] || fail "something was sent: $(cat "$work/requests")"
exit $failed

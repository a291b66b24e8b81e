#!/bin/sh
# SPDX-License-Identifier: MIT
# References by URL: what is below --origin is fetched, of the size and hash that the reference says; nothing else is, and what may be there
# later is tried again.
. "$(dirname "$0")/net.sh"
fixtures=$(cd "$(dirname "$0")/../fixtures" && pwd)
dump=$fixtures/minidump/amd64.dmp
symbols=$fixtures/minidump/amd64-symbols

# reference URL FILE [SIZE [KIND]]
reference() {
	printf '{"hash":"%s","size":%s,"url":"%s","kind":"%s"}\n' "$(sha256sum <"$2" | cut -c 1-64)" "${3:-$(wc -c <"$2")}" "$1" "${4:-minidump}"
}
# asks STATUS WHAT TEXT [OPTION...]: the answer to $work/request has the text
asks() {
	status=$1 what=$2 text=$3
	shift 3
	expect "$status" "$CAIRN" symbolize --directory "$symbols" "$@" <"$work/request"
	grep -qF -e "$text" "$work/out" || fail "$what: $(head -c 600 "$work/out") $(cat "$work/err")"
}
rejected() {
	asks 3 "$1" "\"result\":\"rejected\",\"reason\":\"$2\"" --origin "$url/cores"
}
later() {
	asks 75 "$1" "\"result\":\"try_again\",\"reason\":\"$2\"" --origin "$url/cores" --origin-deadline "${3:-30}"
}
requests() {
	[ "$(grep -c '^GET ' "$work/requests")" = "$2" ] || fail "$1: $(grep -c '^GET ' "$work/requests") requests, not $2"
}

# what a path has, a URL has; the answers differ in the hash of the request and in where it was alone
odd "200:$dump" "200:$dump"
reference "$url/cores/a/b%20c.dmp" "$dump" >"$work/request"
asks 0 'a reference' '"result":"done"' --origin "$url/cores"
grep -q '^GET /cores/a/b%20c.dmp HTTP' "$work/requests" || fail "another file: $(head -n 1 "$work/requests")"
cp "$work/out" "$work/by-url"
asks 0 'a reference again' '"result":"done"' --origin "$url/cores/"
cmp -s "$work/out" "$work/by-url" || fail 'the same reference has another answer'
sed "s|\"url\":\"[^\"]*\"|\"path\":\"amd64.dmp\"|" "$work/request" >"$work/path"
"$CAIRN" symbolize --directory "$symbols" --bodies "$fixtures/minidump" <"$work/path" >"$work/by-path"
for answer in by-url by-path; do
	sed 's/"request":"[^"]*",//; s/"\(url\|path\)":"[^"]*",//; s/"core":"[^"]*",//' "$work/$answer" >"$work/$answer.plain"
done
cmp -s "$work/by-url.plain" "$work/by-path.plain" || fail 'a path has another answer than a URL'
end TERM $odd

# what is not below the origin is not asked for
odd
for place in cores/../other cores/%2e%2E/x cores/.%2e/x cores/./x cores//x 'cores/a?b' 'cores/a#b' cores/a%2fb cores/a%5Cb cores/a%00b cores/a%0ab \
	cores/a%2 'cores/a b' 'cores/a\\\\b' cores cores/ coresx/a other/a; do
	reference "$url/$place" "$dump" >"$work/request"
	rejected "$place" 'the url is not below --origin'
done
reference "http://user@$address/cores/x" "$dump" >"$work/request"
rejected 'a user' 'the url is not below --origin'
reference "file://$dump" "$dump" >"$work/request"
rejected 'a file' 'the url is not below --origin'
requests 'outside' 0
end TERM $odd

# redirects, sizes and hashes that lie
head -c 1000 "$dump" >"$work/short"
cat "$dump" "$work/short" >"$work/long"
odd "302>$url/cores/x" '301>http://127.0.0.1:9/cores/x' "200:$work/short" "200:$work/long" "200:$dump"
reference "$url/cores/x" "$dump" >"$work/request"
rejected 'a redirect' 'the origin redirects to another place, which is not asked'
rejected 'a redirect elsewhere' 'the origin redirects to another place, which is not asked'
requests 'redirects' 2
rejected 'a short file' 'the file of the reference has another size'
rejected 'a long file' 'the file of the reference has another size'
reference "$url/cores/x" "$work/short" "$(wc -c <"$dump")" >"$work/request"
rejected 'another hash' 'the file of the reference has another hash'
end TERM $odd

# what may come later
odd 404 403 503 503 half half close close silent silent "200:$dump"
reference "$url/cores/x" "$dump" >"$work/request"
later absent 'the file of the reference is not there'
later refused 'the origin refuses the file of the reference'
later 503 'the origin did not answer'
later half 'the origin did not answer'
later close 'the origin did not answer'
later silent 'the origin did not answer' 1
end TERM $odd
later 'no server' 'the origin did not answer'

# no room for the file; with room it is there
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=64k tmpfs "$work/small" 2>/dev/null; then
	mounted_at=$work/small
	head -c 200000 /dev/zero | cat "$dump" - >"$work/large"
	odd "200:$work/large" "200:$work/large"
	reference "$url/cores/x" "$work/large" >"$work/request"
	TMPDIR=$work/small later 'a full disk' 'no room for the file of the reference'
	[ -z "$(ls "$work/small")" ] || fail "a full disk: $(ls "$work/small") is left"
	mount -o remount,size=64m "$work/small"
	TMPDIR=$work/small asks 0 'with room' '"result":"done"' --origin "$url/cores"
	[ -z "$(ls "$work/small")" ] || fail "with room: $(ls "$work/small") is left"
	end TERM $odd
else
	echo 'no file system can be mounted: a full disk was not tried'
fi
(
	ulimit -f 16
	"$CAIRN" symbolize --origin http://127.0.0.1:9 <"$work/request" >"$work/out" 2>&1
	[ $? = 3 ] || fail "another origin: $(cat "$work/out")"
)

# the process that fetches is killed: that is told, and the verb ends, so that whoever started it starts another
odd silent
reference "$url/cores/x" "$dump" >"$work/request"
cat "$work/request" "$work/request" >"$work/requests-twice"
"$CAIRN" symbolize --each --origin "$url/cores" <"$work/requests-twice" >"$work/out" 2>"$work/err" &
symbolizing=$!
for _ in $(seq 100); do
	grep -q '^GET ' "$work/requests" && break
	sleep 0.1
done
for child in $(cat /proc/$symbolizing/task/$symbolizing/children); do
	kill -9 "$child"
done
wait $symbolizing
[ $? = 3 ] && [ "$(wc -l <"$work/out")" = 1 ] && grep -q '"reason":"the process that fetches files has ended"' "$work/out" ||
	fail "a killed process: $(cat "$work/out" "$work/err")"
end TERM $odd

# usage
echo '{}' >"$work/request"
for origin in ftp://a/ nothing http://user@127.0.0.1/ 'http://127.0.0.1/?a'; do
	expect 2 "$CAIRN" symbolize --origin "$origin" <"$work/request"
	says "$work/err" "cairn: $origin: "
done
expect 2 "$CAIRN" symbolize --origin http://127.0.0.1 --origin-deadline 0 <"$work/request"
says "$work/err" '--origin-deadline must be from 1 to 3600'
exit $failed

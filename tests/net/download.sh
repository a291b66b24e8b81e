#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads: metadata, damaged and hostile answers, the cache.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/a"
"$MAKE_SYMBFILE" 300 >"$work/b"
HOME=$work
XDG_CACHE_HOME=$work/cache
export HOME XDG_CACHE_HOME
cached=$work/cache/cairn/3476fd693ca3cee191431107d36ca058.symbfile
refers() {
	printf '{"version":1,"symbolFileReferences":{"dwarfFileID":%s}}' "$1"
}
refers "\"$id\"" >"$work/meta"
refers null >"$work/none"
refers '"w081hfyhtXn7RY6CeFGlmQ"' >"$work/other"
refers '"../../../../../etc/passwd"' >"$work/bad"
printf '{"version":2}' >"$work/version"
head -c 100000 /dev/zero | tr '\0' ' ' >"$work/long"

# packed by a server of ours
serve
send 0 1 "$work/b"
cp "$work/store/NH/b9/$id/ranges" "$work/b.zst"
fetch="$CAIRN symbfile fetch"
expect 0 $fetch --url "$url" $id
says "$work/out" "$cached"
cmp -s "$work/b" "$cached" || fail "the cache has something else"

# from the cache, without a word to the server
end TERM "$server"
expect 0 $fetch --url "$url" $id
expect 3 $fetch --url "$url" --retries 0 --force $id
cmp -s "$work/b" "$cached" || fail "a failure harmed the cache"

# symbols of another file; plain and packed; a redirect
odd 200:"$work/other" 200:"$work/b.zst" 200:"$work/meta" 200:"$work/a" "302>/elsewhere" 200:"$work/meta" 200:"$work/b.zst"
expect 0 $fetch --url "$url" --force --json $id
says "$work/out" '"status":"ok","path":"'"$cached"'","from":"w081hfyhtXn7RY6CeFGlmQ"'
says "$work/requests" "GET /w0/81/w081hfyhtXn7RY6CeFGlmQ/ranges HTTP"
cmp -s "$work/b" "$cached" || fail "not what was sent"
expect 0 $fetch --url "$url" --force $id
cmp -s "$work/a" "$cached" || fail "plain: not what was sent"
expect 0 $fetch --url "$url" --force 0x3476FD69-3ca3cee191431107d36ca058
cmp -s "$work/b" "$cached" || fail "redirected: not what was sent"

# a terminal shows how far it is, also after a retry; a file does not, nor with --quiet
if command -v script >/dev/null; then
	long_fetch="env CAIRN_PROGRESS_AFTER=0 '$CAIRN' symbfile fetch --force"
	odd 200:"$work/meta" 503 200:"$work/b.zst"
	script -qec "$long_fetch --url $url $id" /dev/null </dev/null >"$work/out" 2>&1
	tr '\r' '\n' <"$work/out" | grep -q "^$url: [0-9]*% of [0-9]* bytes\$" || fail "no progress: $(cat "$work/out")"
	grep -qF "$(printf '\r\033[K')" "$work/out" || fail "the line stays: $(cat "$work/out")"
	odd 200:"$work/meta" 200:"$work/b.zst"
	script -qec "$long_fetch --quiet --url $url $id" /dev/null </dev/null >"$work/out" 2>&1
	! grep -q '% of' "$work/out" || fail "--quiet: shown all the same"
	odd 200:"$work/meta" 200:"$work/b.zst"
	expect 0 env CAIRN_PROGRESS_AFTER=0 $fetch --force --url "$url" $id
	! grep -q '% of' "$work/err" || fail "shown in a file"
fi

# there are none; one whose name begins like an option
odd 404 404 200:"$work/none" 200:"$work/meta" 404
expect 1 $fetch --url "$url" --output "$work/x" -udNsVCGN9uzofQczd3L3A
says "$work/err" "the server has no symbols for this FileID"
for i in 1 2 3; do
	expect 1 $fetch --url "$url" --output "$work/x" $id
	says "$work/err" "the server has no symbols for this FileID"
done

# an answer that would take days, and one that never comes: neither is waited for, nor asked for again
odd drip 200:"$work/meta" drip silent
for i in metadata ranges silence; do
	expect 3 timeout 60 $fetch --url "$url" --timeout 1 --output "$work/x" $id
	says "$work/err" "not complete after 1 seconds"
	[ ! -e "$work/x" ] || fail "$i: half an answer was kept"
done
expect 2 $fetch --url "$url" --timeout 0 $id

# what a fetch that was killed had written is removed by the next one, an hour later
odd 200:"$work/meta" drip
mkdir -p "$work/killed"
"$CAIRN" symbfile fetch --url "$url" --output "$work/killed/x" $id 2>/dev/null &
killed=$!
servers="$servers $killed"
tries=0
until [ -n "$(find "$work/killed" -name '.new-*')" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 1000 ] || { fail "the fetch does not begin"; break; }
	sleep 0.01
done
kill -KILL "$killed"
wait "$killed" 2>/dev/null
left=$(find "$work/killed" -name '.new-*')
[ -n "$left" ] || fail "the fetch was not killed while it wrote"
touch "$work/killed/.newer" "$work/killed/.new-user.txt"
touch -t 200001010000 "$work/killed/.newer" "$work/killed/.new-user.txt"
odd 200:"$work/meta" 200:"$work/a" 200:"$work/meta" 200:"$work/a"
expect 0 $fetch --url "$url" --output "$work/killed/x" $id
[ -e "$left" ] || fail "a file that may be written still was removed"
touch -t 200001010000 "$left"
expect 0 $fetch --url "$url" --output "$work/killed/x" $id
[ ! -e "$left" ] || fail "what a killed fetch wrote stays for ever"
[ -e "$work/killed/.newer" ] && [ -e "$work/killed/.new-user.txt" ] ||
	fail "a file of somebody else was removed"
rm -r "$work/killed"

# what cannot be used
# refused WORDS ANSWER...
refused() {
	words=$1
	shift
	odd "$@"
	expect 3 $fetch --url "$url" --retries 0 --output "$work/x" $id
	says "$work/err" "$words"
	[ ! -e "$work/x" ] || fail "$words: a file all the same"
	kill "$odd"
}
refused "unknown metadata version; expected 1 at byte 11" 200:"$work/version"
refused "metadata contains a malformed FileID" 200:"$work/bad"
refused "metadata.json: the text ends inside a JSON value" 200
refused "metadata.json is too large" 200:"$work/long"
refused "the server answers 403" 403
refused "the server answers 500" 500
# the words of an older libcurl, and of a newer one
refused "closed
missing" half
head -c 200 "$work/b.zst" >"$work/cut.zst"
refused "damaged zstd" 200:"$work/meta" 200:"$work/cut.zst"
(cat "$work/b.zst" && printf garbage) >"$work/more.zst"
refused "damaged zstd" 200:"$work/meta" 200:"$work/more.zst"
refused "not a symbfile at byte 0" 200:"$work/meta" 200:"$work/version"
head -c 300 "$work/b" >"$work/cut"
refused "the file ends inside a message" 200:"$work/meta" 200:"$work/cut"
refused "the file is too short" 200:"$work/meta" 200
if [ "$(grep -c '^GET' "$work/requests")" != 2 ]; then
	fail "the ranges were not asked for: $(cat "$work/requests")"
fi

# a bomb: 64 MiB from a few KB, against the bound
if command -v zstd >/dev/null 2>&1; then
	"$MAKE_SYMBFILE" 67108864 zeros | zstd -q -c >"$work/bomb"
	odd 200:"$work/meta" 200:"$work/bomb" 200:"$work/meta" 200:"$work/bomb"
	expect 3 $fetch --url "$url" --max-size 1000000 --output "$work/x" $id
	says "$work/err" "larger than 1000000 bytes; --max-size allows more"
	expect 3 $fetch --url "$url" --output "$work/x" $id
	says "$work/err" "the server sent damaged data"
	[ ! -e "$work/x" ] || fail "a bomb was kept"
else
	echo "no zstd: no bomb"
fi

# whose?
expect 3 $fetch --url "$url" ../../etc/nothing
says "$work/err" "neither a FileID nor a readable file"
left=$(find "$work" -name '.new-*')
[ -z "$left" ] || fail "left behind: $left"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# A quota of the store: what is within it is kept, what is past it is refused, and downloads go on.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/small"
"$MAKE_SYMBFILE" 40000 >"$work/large"
other=AAAAAAAAAAAAAAAAAAAAAA
push() { "$CAIRN" symbfile push --url "$url" --retries 0 "$@"; }

# at rest a file of one part takes: NH, b9, its directory, parts (directories), metadata.json, ranges; beside it new/ and lock
serve --quota 65536
expect 0 push --file-id $id "$work/small"
same "$work/small"
expect 3 push --file-id $other "$work/large"
says "$work/err" "the server answers 507, code 2001: the store is full (uuid "
says "$work/serve.log" "Disk quota exceeded"
[ -z "$(ls -A "$work/store/new")" ] || fail "left behind: $(ls -A "$work/store/new")"
same "$work/small"

# again and again: replacing a file leaves nothing that counts
for _ in 1 2 3 4 5 6 7 8; do
	expect 0 push --file-id $id "$work/small"
done
end TERM "$server" || fail "SIGTERM: the server exits with $?"

# many small files, until no more is taken; the directory is within the quota, and what was taken is there
serve --quota 262144
taken=0
for name in B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h; do
	file=${name}AAAAAAAAAAAAAAAAAAAAA
	if push --file-id $file "$work/small" >"$work/out" 2>"$work/err"; then
		taken=$((taken + 1))
		last=$file
	else
		says "$work/err" "507"
	fi
done
[ $taken -gt 3 ] && [ $taken -lt 20 ] || fail "$taken uploads were taken"
blocks=$(find "$work/store" -mindepth 1 -type d | wc -l)
for size in $(find "$work/store" -type f -exec wc -c {} \; | sed 's/^ *\([0-9]*\).*/\1/'); do
	blocks=$((blocks + size / 4096 + 1))
done
[ $blocks -le 64 ] || fail "$blocks blocks are stored"
same "$work/small" "$last"
end TERM "$server" || fail "SIGTERM: the server exits with $?"

# a server with less than there is: a word, no uploads, downloads
serve --quota 8192
says "$work/serve.log" "bytes and has reached the --quota of 8192; uploads are refused until you remove files and restart the server"
expect 3 push --file-id $id "$work/small"
same "$work/small"
end TERM "$server" || fail "SIGTERM: the server exits with $?"
rm -r "$work/store/BA"

# parts wait for others, and count; what is joined counts before it replaces them
serve --quota 1000000
expect 3 push --part-size 150000 --file-id $id "$work/large"
says "$work/err" "507"
same "$work/small"
end TERM "$server" || fail "SIGTERM: the server exits with $?"
serve --quota 16000000
expect 0 push --part-size 150000 --file-id $id "$work/large"
same "$work/large"
exit $failed

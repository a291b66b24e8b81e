#!/bin/sh
# SPDX-License-Identifier: MIT
# An executable alone: its symbfiles are made, sent, and are those that `create` writes.
. "$(dirname "$0")/net.sh"

serve
# cairn itself is one, with functions and calls
cp "$CAIRN" "$work/program"
expect 0 "$CAIRN" symbfile create --quiet -o "$work/made" "$work/program"
expect 0 "$CAIRN" symbfile push --url "$url" --dry-run "$work/program"
says "$work/out" "POST $url/api/symbols-ranges FileID: "
says "$work/out" "POST $url/api/symbols-returnpads FileID: "
expect 0 "$CAIRN" symbfile push --url "$url" "$work/program"
says "$work/out" "program: ranges of "
says "$work/out" "program: returnpads of "
program=$("$CAIRN" symbfile id "$work/program" | awk '{ print $2 }')
same "$work/made.ranges" "$program"

# stripped, it has another FileID, and says its functions only with --debug
if strip -o "$work/stripped" "$work/program" 2>/dev/null; then
	expect 3 "$CAIRN" symbfile push --url "$url" "$work/stripped"
	says "$work/err" "contains no functions"
	stripped=$("$CAIRN" symbfile id "$work/stripped" | awk '{ print $2 }')
	expect 0 "$CAIRN" symbfile push --url "$url" --debug "$work/program" "$work/stripped"
	same "$work/made.ranges" "$stripped"
else
	echo "no strip: --debug is not checked"
fi

# a packed symbfile is sent as what is in it
if gzip -c "$work/made.ranges" >"$work/made.gz" 2>/dev/null; then
	expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/made.gz"
	same "$work/made.ranges"
	head -c 1000 "$work/made.gz" >"$work/cut.gz"
	expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/cut.gz"
	says "$work/err" "the compressed data is truncated at byte 1000"
	gzip -c "$work/program" >"$work/program.gz"
	expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/program.gz"
	says "$work/err" "the gzip file contains no symbfile"
fi

expect 3 "$CAIRN" symbfile push --url "$url" --debug "$work/program" "$work/made.ranges"
says "$work/err" "--debug requires an executable to create symbfiles from"
end TERM "$server" || fail "SIGTERM: the server exits with $?"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# What the server acknowledged is on the disk when it answers: with a list of what it asks of the disk
# (record_disk.c), in order, a disk is simulated that keeps nothing but what it was told to, and the power goes at each answer.
. "$(dirname "$0")/net.sh"

work=$(cd "$work" && pwd -P)
"$MAKE_SYMBFILE" 300 >"$work/a"
"$MAKE_SYMBFILE" 20 >"$work/b"
"$MAKE_SYMBFILE" 20 pads >"$work/pads"

: >"$work/serve"
RECORD_DISK=$work/record LD_PRELOAD=$RECORD "$CAIRN" symbfile serve --listen 127.0.0.1:0 --store "$work/deep/store" \
	>"$work/serve" 2>>"$work/serve.log" &
server=$!
servers="$servers $server"
await "$work/serve"
[ -s "$work/record" ] || {
	echo "nothing is recorded"
	exit 1
}
push() { expect 0 "$CAIRN" symbfile push --url "$url" "$@"; }
push --file-id $id "$work/b"
push --file-id $id "$work/a" # in place of the other
push --file-id $id --part-size 4000 "$work/a"
push --file-id AAAAAAAAAAAAAAAAAAAAAA "$work/pads"
same "$work/a"
end TERM "$server" || fail "SIGTERM: the server exits with $?"

# lost RECORD: what would be lost at an answer
lost() {
	awk -F '\t' -v root="$work/deep" '
	function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
	$1 == "write" { unwritten[$2] = 1 }
	$1 == "sync" {
		delete unwritten[$2]
		for (path in unnamed)
			if (folder_of(path) == $2) delete unnamed[path]
	}
	$1 == "mkdir" { unnamed[$2] = 1; there[$2] = 1 }
	$1 == "remove" { delete unnamed[$2]; delete unwritten[$2]; delete there[$2] }
	$1 == "rename" {
		there[$3] = unnamed[$3] = 1
		if ($2 in unwritten) unwritten[$3] = 1
		else delete unwritten[$3]
		delete unwritten[$2]
	}
	$1 == "answer" && $2 == 200 {
		answers++
		for (path in there) {
			if (index(path, root) != 1 || path ~ /\/new\//) continue
			files++
			if (path in unwritten) print "answer " answers ": the bytes of " path
			if (path in unnamed) print "answer " answers ": the name of " path
		}
	}
	END {
		if (answers < 5 || files < 30) print answers + 0 " answers, " files + 0 " files were recorded"
	}' "$1"
}
lost "$work/record" >"$work/lost"
[ ! -s "$work/lost" ] || fail "lost at a power cut: $(cat "$work/lost")"

# a server that does not wait for the disk would be noticed
for kind in 'new/[^/]*' 'parts' 'NH' 'store'; do
	grep -v "^sync	.*/$kind\$" "$work/record" >"$work/less"
	[ "$(wc -l <"$work/less")" -lt "$(wc -l <"$work/record")" ] || fail "$kind is never flushed"
	[ -n "$(lost "$work/less")" ] || fail "without flushing $kind nothing is lost"
done
exit $failed

# SPDX-License-Identifier: MIT
# Part of attack.sh: a hostile peer.  Damaged answers go to `fetch` and `push`, damaged requests to `serve`, which
# then takes an upload and hands it out as before.

prepare_peer() {
	[ -x "$plain/tests/net/odd_server" ] && "$plain/core/cli/cairn" symbfile serve --help >/dev/null 2>&1 || {
		reason='no server'
		return 1
	}
	id=NHb9aTyjzuGRQxEH02ygWA
	mkdir -p "$work/peer"
	"$plain/tests/net/make_symbfile" 20 >"$work/whole.symbfile"
	printf '{"version":1,"symbolFileReferences":{"dwarfFileID":"%s"}}' $id >"$work/metadata"
	printf '{"success": false, "error": {"Code": 7, "Text": "no"}, "uuid": "u-1"}' >"$work/refusal"
	find "$top/tests/fuzz/corpus/symbfile" "$top/tests/fuzz/corpus/unpack" "$top/tests/fuzz/corpus/store" -type f |
		sort >"$work/bodies"
	echo "$work/whole.symbfile" >>"$work/bodies"
	command -v zstd >/dev/null && zstd -q -c "$work/whole.symbfile" >"$work/whole.zst" && echo "$work/whole.zst" >>"$work/bodies"
	cat >"$work/odd_headers" <<'END'
Content-Encoding: gzip
Content-Encoding: zstd
Transfer-Encoding: chunked
Content-Length: 99999999999999999999
Content-Length: -1
Retry-After: 1
Location: file:///etc/passwd
Location: http://127.0.0.1:1/
X: y
Set-Cookie: a=b
Expect: 100-continue
Authorization: Basic eDp5
FileID: ../../../../tmp/x
FilePart: 4294967295
FileParts: 1000000
END
	printf '%s\n' 'POST /api/symbols-ranges' 'POST /api/symbols-returnpads' "GET /NH/b9/$id/ranges" \
		"GET /NH/b9/$id/metadata.json" 'GET /../../etc/passwd' "POST /NH/b9/$id/ranges" "HEAD /NH/b9/$id/ranges" >"$work/places"
	printf '%s\n' 200 200 200 200 206 302 404 429 500 >"$work/statuses"
}

# start COMMAND...: in the background, with its output in $work/started; sets $started and $address
start() {
	: >"$work/started"
	"$@" >"$work/started" 2>"$work/started.log" </dev/null &
	started=$!
	children=$started
	until grep -q '^listening on ' "$work/started"; do
		kill -0 $started 2>/dev/null || return 1
		sleep 0.05
	done
	address=$(sed -n 's/^listening on //p' "$work/started")
}

stop() {
	kill -TERM $started 2>/dev/null
	{ wait $started; } 2>/dev/null
	status=$?
	children=
}

# write_answer FILE BODY: what a server may send, with a header that does not belong there now and then
write_answer() {
	body=$2
	draw_line "$work/statuses"
	{
		printf 'HTTP/1.1 %s Attack\r\nConnection: close\r\n' "$drawn_line"
		draw 3
		[ "$drawn" != 0 ] || {
			draw_line "$work/odd_headers"
			printf '%s\r\n' "$drawn_line"
		}
		printf 'Content-Length: %d\r\n\r\n' "$(wc -c <"$body")"
		cat "$body"
	} >"$work/undamaged"
	draw 3
	[ "$drawn" = 0 ] && cp "$work/undamaged" "$1" || {
		damage "$work/undamaged" "$body"
		mv "$file" "$1"
	}
}

# attack_client PROGRAM: `fetch`, and `push` of a good file, against the answers of this round
attack_client() {
	rm -f "$work/fetched"
	for words in "fetch --output $work/fetched --force" "push --file-id"; do
		start "$plain/tests/net/odd_server" "$work/requests" "raw:$work/answer.1" "raw:$work/answer.2" "raw:$work/answer.3" || {
			keep 'no server of answers' odd_server
			return
		}
		set -- "$1" symbfile
		# shellcheck disable=SC2086 # words
		case $words in
		fetch*) set -- "$@" $words --url "http://$address" --timeout 10 --retries 0 $id ;;
		*) set -- "$@" push --url "http://$address" --retries 0 --file-id $id "$work/whole.symbfile" ;;
		esac
		case $1 in
		"$san"/*) run_sanitized "cairn symbfile $words" "$@" ;;
		*) run_plain "cairn symbfile $words" "$@" ;;
		esac
		last_status=$status
		stop
		[ ! -f "$work/fetched" ] || [ $last_status = 0 ] || keep "status $last_status, and a file" "cairn symbfile $words"
	done
	[ ! -f "$work/fetched" ] || "$plain/core/cli/cairn" symbfile verify "$work/fetched" >/dev/null 2>"$work/err" ||
		keep 'a file that is malformed was kept' 'cairn symbfile fetch'
	rm -f "$work/fetched"
}

# write_request FILE
write_request() {
	draw_line "$work/bodies"
	body=$drawn_line
	draw_line "$work/places"
	{
		printf '%s HTTP/1.1\r\nHost: test\r\nConnection: close\r\nFileID: %s\r\n' "$drawn_line" $id
		draw 3
		printf 'FilePart: %d\r\nFileParts: %d\r\n' $((drawn / 2)) $((drawn + 1))
		draw 3
		[ "$drawn" != 0 ] || {
			draw_line "$work/odd_headers"
			printf '%s\r\n' "$drawn_line"
		}
		printf 'Content-Length: %d\r\n\r\n' "$(wc -c <"$body")"
		cat "$body"
	} >"$work/undamaged"
	damage "$work/undamaged" "$body"
	mv "$file" "$1"
}

# attack_server: damaged requests, then a good one
attack_server() {
	rm -rf "$work/peer"
	mkdir -p "$work/peer/a/b"
	start "$san/core/cli/cairn" symbfile serve --listen 127.0.0.1:0 --store "$work/peer/a/b/store" --timeout 20 || {
		cp "$work/started.log" "$work/err"
		keep 'the server does not start' 'cairn symbfile serve'
		return
	}
	for again in 1 2 3 4 5 6 7 8; do
		write_request "$work/request"
		draw 4
		[ "$drawn" != 0 ] || draw "$(($(wc -c <"$work/request") + 1))"
		"$plain/tests/net/exchange" "$address" --done 1 --cut $((drawn > 3 ? drawn : 1048576)) \
			<"$work/request" >"$work/text" 2>/dev/null
		cp "$work/request" "$work/peer/request.$again"
		runs=$((runs + 1))
	done
	good=$("$plain/core/cli/cairn" symbfile push --url "http://$address" --retries 3 --file-id w081hfyhtXn7RY6CeFGlmQ \
		"$work/whole.symbfile" 2>"$work/err") || keep "a good upload after these is refused: $good" 'cairn symbfile serve'
	"$plain/core/cli/cairn" symbfile fetch --url "http://$address" --output "$work/fetched" w081hfyhtXn7RY6CeFGlmQ \
		>/dev/null 2>"$work/err" || keep 'what was acknowledged is not there' 'cairn symbfile serve'
	stop
	cp "$work/started.log" "$work/err"
	[ $status = 0 ] || keep "the server ends with $status" 'cairn symbfile serve'
	! has_report "$work/err" || keep 'sanitizer' 'cairn symbfile serve'
	! has_control "$work/err" || keep 'a control character in the log of the server' 'cairn symbfile serve'
	find "$work/peer" -type f ! -path "$work/peer/a/b/store/*" ! -name 'request.*' >"$work/outside"
	[ ! -s "$work/outside" ] || keep "files outside the store: $(head -n 1 "$work/outside")" 'cairn symbfile serve'
	rm -f "$work/fetched"
}

attack_peer() {
	bytes=200000 # all answers of a round are smaller
	for again in 1 2; do
		draw_line "$work/bodies"
		third=$drawn_line
		write_answer "$work/answer.1" "$work/metadata"
		write_answer "$work/answer.2" "$third"
		write_answer "$work/answer.3" "$work/refusal"
		cat "$work"/answer.? >"$file"
		attack_client "$plain/core/cli/cairn"
		attack_client "$san/core/cli/cairn"
	done
	attack_server
}

# SPDX-License-Identifier: MIT
# The part of symbfile.sh that needs a network: directories rest and download, over loopback, with
# `cairn symbfile serve` on one side or a server that says what it is told (tests/net).
#
# What counts as one case: a row of requests.tsv, responses.tsv, metadata.tsv or paths.tsv; the raw
# request; each way to upload the one file; the download of ranges.zst.  Without its test programs
# nothing is counted.
exchange=$CAIRN_BUILD/tests/net/exchange
odd_server=$CAIRN_BUILD/tests/net/odd_server
no_proxy=127.0.0.1
export no_proxy
unset CAIRN_API_KEY http_proxy all_proxy ALL_PROXY
net_id=NHb9aTyjzuGRQxEH02ygWA
net_key='APIKey ZXhhbXBsZS1pZDpleGFtcGxlLWtleQ=='

. "$TESTS/net/wire.sh"

# net_await FILE: sets $net_address to what a server says it listens at.
net_await() {
	net_address=$(address_in "$1")
	[ -n "$net_address" ] || echo "symbfile: no server: $(head -c 200 "$1")"
}

# net_serve DIR: a server of ours.
net_serve() {
	printf 'example-id:example-key' >"$WORK/key"
	chmod 600 "$WORK/key"
	: >"$WORK/server"
	"$CAIRN" symbfile serve --listen 127.0.0.1:0 --store "$WORK/$1" --api-key-file "$WORK/key" \
		>"$WORK/server" 2>/dev/null &
	net_server=$!
	net_await "$WORK/server"
}

# net_odd WORD...: a server that answers this.
net_odd() {
	: >"$WORK/server"
	"$odd_server" "$WORK/requests" "$@" >"$WORK/server" 2>&1 &
	net_server=$!
	net_await "$WORK/server"
}

net_end() {
	kill "$net_server" 2>/dev/null
	wait "$net_server" 2>/dev/null
}

# net_verdict NAME WANT GOT
net_verdict() {
	if [ "$2" = "$3" ]; then
		echo "PASS 1"
	else
		echo "symbfile: $1: expected $2, got $3"
	fi
}

net_status() {
	"$exchange" "$net_address" --done 1 <"$WORK/request" | status_of
}

check_requests() {
	[ -f "$folder/rest/requests.tsv" ] || return
	net_serve store-requests
	meant "$folder/rest/requests.tsv" |
		while IFS=$tab read -r path file_id part parts authorization status note; do
			request "$path" "$file_id" "$part" "$parts" "$authorization" \
				"$folder/rest/whole.symbfile" >"$WORK/request"
			net_verdict "rest/requests.tsv: $note" "$status" "$(net_status)"
		done
	net_end
}

# What is handed out for the one FileID, against whole.expect.
net_compare_download() {
	"$CAIRN" symbfile fetch --url "http://$net_address" --output "$WORK/fetched" "$net_id" \
		>/dev/null 2>&1
	"$CAIRN" symbfile dump --lines "$WORK/fetched" >"$WORK/got" 2>/dev/null
	meant "$folder/rest/whole.expect" >"$WORK/want"
	compare "rest: $1" "$WORK/want" "$WORK/got"
	rm -f "$WORK/fetched"
}

# net_upload NAME PART...: parts "number:file", each of which must be taken.
net_upload() {
	name=$1
	shift
	for part in "$@"; do
		request /api/symbols-ranges "$net_id" "${part%%:*}" $# "$net_key" \
			"$folder/rest/${part#*:}" >"$WORK/request"
		got=$(net_status)
		[ "$got" = 200 ] || echo "symbfile: rest: $name, part $part: expected 200, got $got"
	done
	net_compare_download "$name"
}

check_uploads() {
	[ -f "$folder/rest/whole.expect" ] || return
	net_serve store-raw
	cp "$folder/rest/upload.request.http" "$WORK/request"
	net_verdict "rest/upload.request.http" 200 "$(net_status)"
	for part in 2 1; do
		request /api/symbols-ranges "$net_id" $part 3 "$net_key" \
			"$folder/rest/standalone-$part.symbfile" >"$WORK/request"
		net_status >/dev/null
	done
	net_compare_download "upload.request.http and the other parts"
	net_end
	net_serve store-whole
	net_upload "whole" 0:whole.symbfile
	net_end
	net_serve store-standalone
	net_upload "standalone parts" 1:standalone-1.symbfile 0:standalone-0.symbfile \
		2:standalone-2.symbfile
	net_upload "slices in place of them" 2:slice-2.bin 1:slice-1.bin 0:slice-0.bin
	net_end
	net_serve store-slices
	net_upload "slices" 0:slice-0.bin 1:slice-1.bin 2:slice-2.bin
	net_upload "standalone parts in place of them" 2:standalone-2.symbfile \
		1:standalone-1.symbfile 0:standalone-0.symbfile
	net_end
	net_serve store-pushed
	CAIRN_API_KEY=example-id:example-key "$CAIRN" symbfile push --url "http://$net_address" \
		--file-id "$net_id" --part-size 250 "$folder/rest/whole.symbfile" >/dev/null 2>&1
	net_compare_download "whole.symbfile, pushed in parts"
	net_end
}

# What a client says: "ok", or its words about the answer, with "again" when it tried again.
net_push_outcome() {
	if "$CAIRN" symbfile push --url "http://$net_address" --file-id "$net_id" --retries 1 \
		--backoff 1 "$folder/rest/whole.symbfile" >/dev/null 2>"$WORK/errors"; then
		echo ok
	else
		sed -n '/; attempt /d; s/.*: the server answers \(.*\)/\1/p' "$WORK/errors"
	fi
	! grep -q 'attempt 2 of 2' "$WORK/errors" || echo again
}

check_responses() {
	[ -f "$folder/rest/responses.tsv" ] || return
	meant "$folder/rest/responses.tsv" |
		while IFS=$tab read -r status body outcome code text uuid; do
			word=$status
			[ "$body" = - ] || word=$status:$folder/rest/$body
			net_odd "$word" "$word"
			{
				if [ "$outcome" = ok ]; then
					echo ok
				else
					printf '%s' "$status"
					[ "$code" = - ] || printf ', code %s' "$code"
					[ "$text" = - ] || printf ': %s' "$text"
					[ "$uuid" = - ] || printf ' (uuid %s)' "$uuid"
					echo
				fi
				[ "$outcome" != fail-retry ] || echo again
			} >"$WORK/want"
			net_push_outcome >"$WORK/got"
			compare "rest/responses.tsv: $status $body" "$WORK/want" "$WORK/got"
			net_end
		done
}

check_metadata() {
	[ -f "$folder/download/metadata.tsv" ] || return
	meant "$folder/download/metadata.tsv" | while IFS=$tab read -r file outcome; do
		net_odd "200:$folder/download/$file" "200:$folder/download/ranges.zst"
		"$CAIRN" symbfile fetch --json --url "http://$net_address" --retries 0 \
			--output "$WORK/fetched" "$net_id" >"$WORK/got" 2>/dev/null
		case $? in
		0) got="ranges of $(sed -n 's/.*"from":"\([^"]*\)".*/\1/p' "$WORK/got")" ;;
		1) got=none ;;
		3) got=error ;;
		*) got="something else" ;;
		esac
		net_verdict "download/metadata.tsv: $file" "$outcome" "$got"
		net_end
		rm -f "$WORK/fetched"
	done
}

check_paths() {
	[ -f "$folder/download/paths.tsv" ] || return
	meant "$folder/download/paths.tsv" | while IFS=$tab read -r file_id metadata ranges; do
		printf '{"version":1,"symbolFileReferences":{"dwarfFileID":"%s"}}' "$file_id" \
			>"$WORK/metadata"
		net_odd "200:$WORK/metadata" "200:$folder/download/ranges.zst"
		"$CAIRN" symbfile fetch --url "http://$net_address" --output "$WORK/fetched" \
			-- "$file_id" >/dev/null 2>&1
		net_verdict "download/paths.tsv: $file_id" "/$metadata /$ranges" \
			"$(sed -n 's/^GET \([^ ]*\) .*/\1/p' "$WORK/requests" | paste -sd' ')"
		net_end
	done
}

check_ranges() {
	[ -f "$folder/download/ranges.zst" ] || return
	printf '{"version":1,"symbolFileReferences":{"dwarfFileID":"%s"}}' "$net_id" >"$WORK/metadata"
	net_odd "200:$WORK/metadata" "200:$folder/download/ranges.zst"
	net_compare_download "download/ranges.zst"
	net_end
}

if [ -x "$exchange" ] && [ -x "$odd_server" ]; then
	check_requests
	check_uploads
	check_responses
	check_metadata
	check_paths
	check_ranges
else
	echo "symbfile: rest and download skipped, built without the network" | sed 's/^symbfile: //'
fi

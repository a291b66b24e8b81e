# SPDX-License-Identifier: MIT
# What the tests of this directory share; to be read by "." with these in the environment:
#
#	CAIRN EXCHANGE ODD_SERVER MAKE_SYMBFILE
#
# It has all of tests/lib/test.sh.  Servers that were started end with the test.
set -u
. "$(dirname "$0")/../lib/test.sh"
[ "${NET:-yes}" = yes ] || skip 'cairn was configured without libcurl, libmicrohttpd or libzstd'
. "$(dirname "$0")/wire.sh"
LC_ALL=C
no_proxy=127.0.0.1
export LC_ALL no_proxy
unset CAIRN_API_KEY http_proxy HTTP_PROXY all_proxy ALL_PROXY

servers=
mounted_at= # a file system of the test's own
finish() {
	status=$?
	for server in $servers; do
		kill -9 "$server" 2>/dev/null
	done
	wait 2>/dev/null
	[ -z "$mounted_at" ] || umount "$mounted_at"
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 2' HUP INT TERM

# await FILE: until it says where a server listens; sets $address and $url.
await() {
	address=$(address_in "$1")
	[ -n "$address" ] || {
		echo "no server: $(cat "$1" "$1.log" 2>/dev/null)"
		exit 1
	}
	url=http://$address
}

# serve [OPTION...]: a server over $work/store; sets $server, $address and $url.  With SERVICE=yes the store is part of the service.
serve() {
	: >"$work/serve"
	[ -z "${SERVICE:-}" ] || set -- --host x --host test "$@"
	# shellcheck disable=SC2046 # two words, or one
	"$CAIRN" $([ -n "${SERVICE:-}" ] || echo symbfile) serve --listen 127.0.0.1:0 --store "$work/store" "$@" \
		>"$work/serve" 2>>"$work/serve.log" &
	server=$!
	servers="$servers $server"
	await "$work/serve"
}

# odd WORD...: a server that answers just that; sets $odd, $address and $url.
odd() {
	: >"$work/odd"
	"$ODD_SERVER" "$work/requests" "$@" >"$work/odd" 2>&1 &
	odd=$!
	servers="$servers $odd"
	await "$work/odd"
}

# end SIGNAL PROCESS: and waits for it; its exit status.
end() {
	kill "-$1" "$2"
	wait "$2"
}

# expect STATUS COMMAND...: what it prints goes to $work/out and $work/err.
expect() {
	want=$1
	shift
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	if [ "$got" -ne "$want" ]; then
		fail "$* exits with $got, not $want: $(cat "$work/out" "$work/err")"
	fi
}

# says FILE TEXT: is it in there?
says() {
	grep -qF -e "$2" "$1" || fail "$1 does not say '$2' but: $(cat "$1")"
}

# status REQUEST-FILE: the status of the answer, which is in $work/answer.
status() {
	"$EXCHANGE" "$address" <"$1" >"$work/answer"
	status_of <"$work/answer"
}

id=NHb9aTyjzuGRQxEH02ygWA

# send PART PARTS FILE: one part of $id, which must be taken.
send() {
	request /api/symbols-ranges "$id" "$1" "$2" - "$3" >"$work/request"
	got=$(status "$work/request")
	[ "$got" = 200 ] || fail "part $1 of $2: $(cat "$work/answer")"
}

# same FILE [FILEID]: does the server hand out what FILE says?
same() {
	expect 0 "$CAIRN" symbfile fetch --url "$url" --output "$work/fetched" -- "${2:-$id}"
	"$CAIRN" symbfile dump --lines "$1" >"$work/want"
	"$CAIRN" symbfile dump --lines "$work/fetched" >"$work/have"
	cmp -s "$work/want" "$work/have" || fail "what is fetched differs from $1"
}

# SPDX-License-Identifier: MIT
# To be read by ".": a server's address, a raw request, the status of an answer.  Shared by the tests
# of this directory and the conformance of symbol servers.

# address_in FILE: where a server listens that writes to FILE; nothing if it does not in ten seconds.
address_in() {
	tries=0
	until grep -q '^listening on ' "$1" 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -le 500 ] || return
		sleep 0.02
	done
	sed -n 's/^listening on //p' "$1"
}

# request PATH FILEID PART PARTS AUTHORIZATION BODY: a raw request; "-" leaves a header out.
request() {
	printf 'POST %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\n' "$1"
	[ "$2" = - ] || printf 'FileID: %s\r\n' "$2"
	[ "$3" = - ] || printf 'FilePart: %s\r\n' "$3"
	[ "$4" = - ] || printf 'FileParts: %s\r\n' "$4"
	[ "$5" = - ] || printf 'Authorization: %s\r\n' "$5"
	printf 'Content-Length: %d\r\n\r\n' "$(wc -c <"$6")"
	cat "$6"
}

# Of an answer on standard input.
status_of() {
	sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p'
}

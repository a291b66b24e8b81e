#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn serve` with the clients that people have: curl, debuginfod-find and GDB. Names, files of builds, profiles that are passed on,
# what is refused with which status, workers that are killed, and files that change.
. "$(dirname "$0")/net.sh"
. "$(dirname "$0")/serving.sh"

# a socket of the local kind, for its owner alone
begin --unix "$work/socket" --file "$work/a"
[ "$(stat -c %A "$work/socket")" = srw------- ] || fail "the socket is $(stat -c %A "$work/socket")"
host=localhost
ask /health --unix-socket "$work/socket"
answers 200 ok 'health'
ask /symbolize --unix-socket "$work/socket" -d "$frames"
answers 200 '"function":"outer"' 'a name'
answers 200 'a.c","line":' 'a line'
end TERM "$service" || fail "SIGTERM: the service exits with $?"
[ ! -e "$work/socket" ] || fail 'the socket is left behind'
# one that is left behind is replaced, and nothing else is
: >"$work/file"
expect 3 "$CAIRN" serve --unix "$work/file"
says "$work/err" 'cannot listen'
begin --unix "$work/socket" --file "$work/a"
kill -9 "$service"
wait "$service" 2>/dev/null
begin --unix "$work/socket" --file "$work/a"
end TERM "$service"

# others than this machine may ask
begin --listen 0.0.0.0:0
says "$work/service.log" 'can send requests; use a proxy to authenticate them'
end TERM "$service"

# split DWARF, in a package beside the file that is named
if (cd "$work" && ${COMPILER:-cc} -gdwarf-4 -gsplit-dwarf -O1 -Wl,--build-id=sha1 -o parted a.c &&
	{ dwp -e parted -o parted.dwp || llvm-dwp -e parted -o parted.dwp; } && rm -f ./*.dwo) 2>>"$work/log"; then
	begin --unix "$work/socket" --file "$work/parted"
	parted=$(readelf -n "$work/parted" | awk '/Build ID/ { print $3 }')
	va=$(readelf -sW "$work/parted" | awk '$8 == "outer" { print $2 }')
	ask /symbolize --unix-socket "$work/socket" -d "{\"frames\":[{\"build_id\":\"$parted\",\"address\":\"0x$va\",\"kind\":\"va\"}]}"
	answers 200 '"function":"inner"' 'an inlined call by a package'
	end TERM "$service"
else
	echo 'not checked: no dwp, or the compiler does not split DWARF'
fi

# a tree of build IDs, over TCP
rest=${build#??}
mkdir -p "$work/tree/.build-id/${build%"$rest"}"
cp "$work/whole" "$work/tree/.build-id/${build%"$rest"}/$rest.debug"
cp "$work/whole" "$work/tree/.build-id/${build%"$rest"}/$rest"
begin --listen 127.0.0.1:0 --directory "$work/tree" --host symbols.example
host=$at
ask /symbolize -d "$frames"
answers 200 '"function":"outer"' 'a name by the tree'
debug=$(echo "$build" | sed -E 's/^(..)(..)(..)(..)(..)(..)(..)(..)(.{16}).*/\4\3\2\1\6\5\8\7\9/' | tr a-f A-F)0
job="{\"jobs\":[{\"memoryMap\":[[\"whole\",\"$debug\"]],\"stacks\":[[[0,$((0x$outer))]]]}],\"version\":5}"
ask /symbolicate/v5 -H 'Origin: https://profiler.example' -d "$job" -D "$work/headers"
answers 200 "\"found_modules\":{\"whole/$debug\":true}" 'symbolicate'
answers 200 '"function":"outer"' 'symbolicate'
says "$work/headers" 'Access-Control-Allow-Origin: *'
ask /symbolicate/v5 -X OPTIONS -H 'Origin: https://profiler.example' -H 'Access-Control-Request-Private-Network: true' -D "$work/headers"
[ "$status" = 204 ] || fail "a preflight is answered $status"
says "$work/headers" 'Access-Control-Allow-Methods: POST'
says "$work/headers" 'Access-Control-Allow-Headers: Content-Type'
says "$work/headers" 'Access-Control-Allow-Private-Network: true'

end TERM "$service"

# the same by a store, and by a file that is named by its build ID
for layout in buildid/$build/debuginfo "$build.gsym"; do
	rm -rf "$work/folder"
	mkdir -p "$(dirname "$work/folder/$layout")"
	case $layout in
	*.gsym) "$CAIRN" gsym create --quiet "$work/whole" -o "$work/folder/$layout" || fail 'no GSYM file' ;;
	*) cp "$work/whole" "$work/folder/$layout" ;;
	esac
	begin --unix "$work/socket" --directory "$work/folder"
	ask /symbolicate/v5 --unix-socket "$work/socket" -d "$job"
	answers 200 '"function":"outer"' "symbolicate by $layout"
	end TERM "$service"
done

# a tree of Breakpad's files, by debug ID and name
mkdir -p "$work/breakpad/lib.so/$debug"
printf 'MODULE Linux x86_64 %s lib.so\nFUNC 1000 20 0 from_breakpad\n' "$debug" >"$work/breakpad/lib.so/$debug/lib.so.sym"
begin --unix "$work/socket" --directory "$work/breakpad"
ask /symbolicate/v5 --unix-socket "$work/socket" -d "{\"memoryMap\":[[\"lib.so\",\"$debug\"]],\"stacks\":[[[0,4100]]]}"
answers 200 '"function":"from_breakpad","function_offset":"0x4","function_size":"0x20"' 'a Breakpad file of a tree'
end TERM "$service"
begin --listen 127.0.0.1:0 --directory "$work/tree" --host symbols.example
host=$at

# what is refused
while read -r want path more; do
	# shellcheck disable=SC2086 # words
	ask "$path" $more
	[ "$status" = "$want" ] || fail "$path $more is answered $status, not $want: $(cat "$work/answer")"
	grep -q '[a-z]' "$work/answer" || [ "$more" = -I ] || fail "$path $more: no words"
done <<'END'
404 /
404 /symbolize/
404 /v1/profiles
405 /symbolize
405 /symbolize -X PUT
405 /symbolicate/v5
405 /symbolicate/v5 -X DELETE
405 /metrics -d x
405 /health -X DELETE
405 /buildid/00/debuginfo -d x
400 /symbolize -d {
400 /symbolicate/v5 -d {}
400 /buildid/xyz/debuginfo
400 /buildid//debuginfo
400 /buildid/00/source
400 /buildid/00
404 /buildid/00ff/debuginfo
404 /v1development/profiles -d x
403 /health -H Host:evil.example
403 /health -H Host:127.evil.example
403 /health -H Host:127.0.0.1.evil.example
403 /health -H Host:localhost:x
403 /health -H Host:[::1
200 /health -H Host:symbols.example
200 /health -H Host:SYMBOLS.example:80
200 /health -H Host:localhost
200 /health -H Host:[::1]:8250
END
# targets with a host, headers that clients leave out or send twice, a body of which nobody knows the end, and one that is packed
while IFS='|' read -r code line headers; do
	printf '%s\r\n%b\r\n' "$line" "$headers" | timeout 10 "$EXCHANGE" "$at" >"$work/answer"
	grep -q "^HTTP/1.1 $code " "$work/answer" || fail "$line $headers is answered $(head -n 1 "$work/answer"), not $code"
done <<'END'
200|GET /health HTTP/1.0|
200|GET /health HTTP/1.0|Host: localhost\r\n
403|GET /health HTTP/1.0|Host: evil.example\r\n
400|GET /health HTTP/1.1|Connection: close\r\n
400|GET /health HTTP/1.1|Host: localhost\r\nHost: localhost\r\nConnection: close\r\n
400|POST /symbolize HTTP/1.1|Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n
400|POST /symbolize HTTP/1.1|Host: localhost\r\nTransfer-Encoding: identity\r\n
400|POST /symbolize HTTP/1.1|Host: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n
400|GET /health HTTP/1.0|Content-Length : 0\r\n
400|GET /health HTTP/1.0|X\t: 0\r\n
415|POST /symbolize HTTP/1.0|Content-Encoding: gzip\r\nContent-Length: 0\r\n
415|POST /symbolicate/v5 HTTP/1.0|Content-Encoding: gzip\r\nContent-Length: 0\r\n
400|POST /symbolize HTTP/1.0|Content-Encoding: identity\r\nContent-Length: 0\r\n
200|GET http://localhost/health HTTP/1.1|Host: localhost\r\nConnection: close\r\n
200|GET HTTP://symbols.example:8250/health?x=/ HTTP/1.1|Host: evil.example\r\nConnection: close\r\n
200|GET https://127.0.0.1/%68ealth HTTP/1.0|
404|GET http://localhost HTTP/1.0|
403|GET http://evil.example/health HTTP/1.1|Host: localhost\r\nConnection: close\r\n
403|GET http://evil.example/health HTTP/1.0|
403|GET http:///health HTTP/1.0|
403|GET http://localhost@evil.example/health HTTP/1.0|
400|GET http://localhost/health HTTP/1.1|Connection: close\r\n
400|GET /health HTTP/1.0|Host: localhost\r\nHost: localhost\r\n
404|GET ftp://localhost/health HTTP/1.0|
204|OPTIONS * HTTP/1.1|Host: localhost\r\nConnection: close\r\n
405|GET * HTTP/1.1|Host: localhost\r\nConnection: close\r\n
403|OPTIONS * HTTP/1.1|Host: evil.example\r\nConnection: close\r\n
END
# what two servers on the way may take for another request is none
for length in 'Content-Length : 63' 'Transfer-Encoding : chunked'; do
	printf 'POST /symbolize HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$length" |
		timeout 10 "$EXCHANGE" "$at" >"$work/answer"
	grep -q '^HTTP/1.1 400 ' "$work/answer" || fail "$length is answered $(head -n 1 "$work/answer")"
	! grep -q '^HTTP/1.1 200 ' "$work/answer" || fail "$length: what follows is another request"
done
head -c 17000000 /dev/zero >"$work/large"
ask /symbolize --data-binary "@$work/large"
[ "$status" = 413 ] || fail "a body of 17 MB is answered $status"
ask /symbolize --data-binary "@$work/large" -H 'Transfer-Encoding: chunked' -H Expect:
[ "$status" = 413 ] || fail "a body of 17 MB in chunks is answered $status"
ask /symbolize -H Expect: -H 'Transfer-Encoding: chunked' -d "$frames"
answers 200 '"function":"outer"' 'a body in chunks'

# files, for curl, debuginfod-find and GDB
ask "/buildid/$build/executable"
cmp -s "$work/answer" "$work/whole" || fail 'the program that is handed out is another one'
if command -v debuginfod-find >/dev/null; then
	DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_URLS=http://$at debuginfod-find debuginfo "$build" >"$work/path" 2>"$work/err" ||
		fail "debuginfod-find: $(cat "$work/err")"
	cmp -s "$(cat "$work/path")" "$work/whole" || fail 'debuginfod-find has another file'
else
	fail 'debuginfod-find is missing: scripts/setup.sh --tests installs it'
fi
if command -v gdb >/dev/null && command -v strip >/dev/null; then
	strip -o "$work/stripped" "$work/whole"
	DEBUGINFOD_CACHE_PATH=$work/cache-gdb DEBUGINFOD_URLS=http://$at gdb -nx -batch -ex 'set debuginfod enabled on' \
		-ex "file $work/stripped" -ex 'info line outer' >"$work/gdb" 2>&1
	grep -q 'a\.c' "$work/gdb" || fail "GDB has no lines: $(cat "$work/gdb")"
fi

# more idle clients than there is room for, and some that have begun a request, keep nobody out
for kind in silent headers; do
	: >"$work/crowd"
	"$CROWD" "${host%:*}" "${host##*:}" 127.0.0.1 300 $kind >"$work/crowd" 2>&1 &
	crowd=$!
	servers="$servers $crowd"
	until grep -q . "$work/crowd"; do
		sleep 0.02
	done
	grep -q ready "$work/crowd" || fail "no crowd: $(cat "$work/crowd")"
	ask /symbolize -d "$frames" -m 10
	answers 200 '"function":"outer"' "beside a crowd of $kind clients"
	kill -KILL "$crowd"
done

# workers that are killed: the next answer is right
spawner=$(pgrep -P "$service")
: >"$work/killed"
(
	while [ "$(wc -l <"$work/killed")" -lt 200 ] && kill -0 "$service" 2>/dev/null; do
		sleep "0.00$((RANDOM_SEED = (${RANDOM_SEED:-7} * 31 + 11) % 97))"
		for worker in $(pgrep -P "$spawner"); do
			kill -9 "$worker" 2>/dev/null && echo "$worker" >>"$work/killed"
		done
	done
) &
killer=$!
while kill -0 "$killer" 2>/dev/null; do
	ask /symbolize -d "$frames"
	answers 200 '"function":"outer"' "after $(wc -l <"$work/killed") killed workers"
	[ $failed = 0 ] || break
done
wait "$killer"
ask /metrics
grep -q '^cairn_workers_replaced_total [1-9]' "$work/answer" || fail 'no worker was replaced'
for name in cairn_requests_total cairn_request_seconds_bucket cairn_store_requests_total cairn_store_bytes_total \
	cairn_cache_bytes process_resident_memory_bytes process_cpu_seconds_total cairn_build_info; do
	grep -q "^$name" "$work/answer" || fail "no $name among the metrics"
done

# files that are cut, replaced by garbage, or gone: no name is wrong, and the service goes on
file=$work/tree/.build-id/${build%"$rest"}/$rest
for change in 'truncate -s 100' 'truncate -s 0' 'cp /etc/passwd' 'rm -f'; do
	case $change in
	cp*) cp /etc/passwd "$file.debug" && cp /etc/passwd "$file" ;;
	*) $change "$file" "$file.debug" ;;
	esac
	ask /symbolize -d "$frames"
	answers 200 '{"results":[{"frames":[]}]' "after $change"
done
end TERM "$service" || fail "SIGTERM: the service exits with $?"

# a debuginfod that hangs costs those who wait for it
odd silent silent
begin_with_server() {
	mkdir -p "$work/fetched"
	chmod 777 "$work/fetched"
	DEBUGINFOD_CACHE_PATH=$work/fetched DEBUGINFOD_URLS=$url begin --listen 127.0.0.1:0 --file "$work/a" --debuginfod \
		--debuginfod-deadline 2 --deadline 20
}
begin_with_server
host=$at
curl -s -o "$work/slow-answer" -w '%{http_code}' "http://$host/symbolize" \
	-d '{"frames":[{"build_id":"0011223344","address":"0x1"}]}' >"$work/slow-status" &
waiting=$!
sleep 0.3
ask /symbolize -d "$frames" -m 2
answers 200 '"function":"outer"' 'while debuginfod hangs'
wait "$waiting"
[ "$(cat "$work/slow-status")" = 200 ] || fail "a build that debuginfod has not: $(cat "$work/slow-status")"

# who is being answered when the service is told to end gets the answer
curl -s -o "$work/slow-answer" -w '%{http_code}' "http://$host/symbolize" \
	-d '{"frames":[{"build_id":"0011223355","address":"0x1"}]}' >"$work/slow-status" &
waiting=$!
sleep 0.3
end TERM "$service" || fail "SIGTERM during a request: the service exits with $?"
wait "$waiting"
[ "$(cat "$work/slow-status")" = 200 ] || fail "SIGTERM during a request: $(cat "$work/slow-status")"

# profiles are passed on: the next collector is told of names
if [ -f "$(dirname "$0")/../fuzz/corpus/otlp/1.10" ]; then
	odd 200 200
	profile=$(dirname "$0")/../fuzz/corpus/otlp/1.10
	begin --listen 127.0.0.1:0 --file "$work/a" --forward "$url"
	host=$at
	gzip -c "$profile" >"$work/packed"
	ask /v1development/profiles -H 'Content-Type: application/x-protobuf' -H 'Content-Encoding: gzip' --data-binary "@$work/packed"
	[ "$status" = 200 ] || fail "a profile is answered $status: $(cat "$work/answer")"
	ask /v1development/profiles -H 'Content-Type: application/x-protobuf' --data-binary garbage
	[ "$status" = 400 ] || fail "garbage is answered $status"
	end TERM "$service"
fi

# and has them: a location of the program, in JSON and as a message, packed, is named when it arrives
write_profile "$work/profile.json"
"$CAIRN" profile convert --quiet --no-symbolize --to otlp -o "$work/profile.otlp" "$work/profile.json" || fail 'no message'
gzip -c "$work/profile.otlp" >"$work/packed"
ODD_BODY=$work/forwarded
export ODD_BODY
odd 200 200 200
unset ODD_BODY
begin --listen 127.0.0.1:0 --file "$work/a" --forward "$url"
host=$at
# named FILE TYPE [HEADER]
named() {
	rm -f "$work/forwarded"
	ask /v1development/profiles -H "Content-Type: application/$2" ${3:+-H "$3"} --data-binary "@$1"
	[ "$status" = 200 ] || fail "$1: answered $status: $(cat "$work/answer")"
	"$CAIRN" profile convert --quiet --no-symbolize --to folded "$work/forwarded" >"$work/folded" || fail "$1: nothing that is read was passed on"
	grep -q '^outer;inner 7$\|^outer 7$' "$work/folded" || fail "$1: passed on is $(cat "$work/folded")"
}
named "$work/profile.json" json
named "$work/profile.otlp" x-protobuf
named "$work/packed" x-protobuf 'Content-Encoding: gzip'
end TERM "$service"
says "$work/service.log" '200 POST /symbolize'
exit $failed

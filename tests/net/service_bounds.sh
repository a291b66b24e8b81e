#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn serve` with clients that do not read their answers, with few descriptors, with helpers that are killed, and with headers that
# do not say where a request ends: what it holds is bounded, it does not spin, and it says what is wrong with it.
. "$(dirname "$0")/net.sh"
. "$(dirname "$0")/serving.sh"

# seconds PID: of the processor
seconds() {
	sed 's/.*) //' "/proc/$1/stat" | awk -v tick="$(getconf CLK_TCK)" '{ print int(($12 + $13) / tick) }'
}

# memory NAME PID: megabytes
memory() {
	awk -v name="$1:" '$1 == name { print int($2 / 1024) }' "/proc/$2/status"
}

# an answer that is a hundred times its request: two calls with names of 3 kB for each address
long=$(printf '%3000s' '' | tr ' ' n)
sed "s/inner/inner_$long/; s/outer/outer_$long/" "$work/a.c" | sed "s/return inner(/return inner_$long(/; s/return outer(/return outer_$long(/" >"$work/long.c"
${COMPILER:-cc} -g -O1 -Wl,--build-id=sha1 -o "$work/long" "$work/long.c" || fail 'the compiler refuses long names'
long_build=$(readelf -n "$work/long" | awk '/Build ID/ { print $3 }')
long_outer=$(readelf -sW "$work/long" | awk '$8 ~ /^outer_n/ { print $2 }')
awk -v build="$long_build" -v address="0x$long_outer" 'BEGIN {
	printf "{\"frames\":["
	for (i = 0; i < 8300; i++)
		printf "%s{\"build_id\":\"%s\",\"address\":\"%s\"}", i ? "," : "", build, address
	printf "]}"
}' >"$work/many"
# shellcheck disable=SC2046 # three numbers
{
	printf 'POST /symbolize HTTP/1.1\r\nHost: localhost\r\nContent-Length: %s\r\n\r\n' $(stat -c %s "$work/many")
	cat "$work/many"
} >"$work/request"

begin --listen 127.0.0.1:0 --file "$work/a" --file "$work/long"
host=$at
ask /symbolize --data-binary "@$work/many"
[ "$status" = 200 ] && [ "$(stat -c %s "$work/answer")" -gt 40000000 ] || fail "a long answer has status $status, $(stat -c %s "$work/answer") bytes"
# it comes whole to a client that is not fast, and its memory has been released on the way
curl -s --limit-rate 20M -o "$work/slow-answer" "http://$host/symbolize" --data-binary "@$work/many" || fail 'no slow answer'
cmp -s "$work/answer" "$work/slow-answer" || fail 'a slow client has another answer'
crowd_of() {
	: >"$work/crowd"
	"$CROWD" 127.0.0.1 "${host##*:}" "$1" 40 unread <"$work/request" >"$work/crowd" 2>&1 &
	crowd=$!
	servers="$servers $crowd"
	until grep -q . "$work/crowd"; do sleep 0.1; done
	grep -q ready "$work/crowd" || fail "no crowd: $(cat "$work/crowd")"
}
crowd_of 127.0.0.2
sleep 3
ask /symbolize --data-binary "@$work/many"
[ "$status" = 200 ] || fail "beside 40 answers that another address does not read: $status, $(head -c 300 "$work/answer")"
first=$crowd
crowd_of 127.0.0.3
sleep 3
ask /symbolize -d "$frames"
answers 200 '"function":"outer"' 'beside 80 answers that are not read'
[ "$(memory VmHWM "$service")" -lt 600 ] || fail "unread answers take $(memory VmHWM "$service") MB"
kill "$first" "$crowd"
# whoever does not read is sent away when others want the memory
crowd_of 127.0.0.2
sleep 4
for again in $(seq 60); do # as long as a busy machine needs
	ask /symbolize --data-binary "@$work/many" --interface 127.0.0.2
	[ "$status" != 200 ] || break
	sleep 1
done
[ "$status" = 200 ] || fail "the memory of answers that nobody reads is not given to others: $status"
kill "$crowd"
tries=0
until [ "$(memory VmRSS "$service")" -lt 100 ] || [ $tries = 200 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
[ $tries -lt 200 ] || fail "$(memory VmRSS "$service") MB are still held when all clients are gone"

# headers: one answer, and the end
while IFS='|' read -r headers; do
	printf 'POST /symbolize HTTP/1.1\r\nHost: localhost\r\n%b\r\n\r\n{}GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$headers" |
		timeout 10 "$EXCHANGE" "$at" >"$work/answer"
	grep -aq '^HTTP/1.1 400 ' "$work/answer" || fail "$headers is answered $(head -n 1 "$work/answer")"
	[ "$(grep -ac 'HTTP/1.1' "$work/answer")" = 1 ] || fail "$headers is answered twice: $(cat "$work/answer")"
done <<'END'
Content-Length: -1
Content-Length: +2
Content-Length: 2, 2
Content-Length: 0x2
Content-Length: 2 2
Content-Length:
Content-Length: 2\r\nX: a\0b
Content-Length: 2\r\nX\0: a
END
printf 'GET /health HTTP/1.0\r\nHost: localhost\0.evil.example\r\n\r\n' | timeout 10 "$EXCHANGE" "$at" >"$work/answer"
grep -aq '^HTTP/1.1 400 ' "$work/answer" || fail "a host with a NUL is answered $(head -n 1 "$work/answer")"

# the process that starts workers is killed: the service says so, and ends with a status for which it is started again
kill -9 "$(pgrep -P "$service")"
ask /health
[ "$status" = 503 ] || [ "$status" = 000 ] || fail "without its helper the service is healthy: $status"
wait "$service"
got=$?
[ $got = 3 ] || fail "without its helper the service exits with $got"
says "$work/service.log" 'the process that starts workers was killed; restart the service'
# one that is frozen is noticed by the next question that needs it
begin --listen 127.0.0.1:0 --file "$work/a" --deadline 3
host=$at
helper=$(pgrep -P "$service")
kill -STOP "$helper"
ask /symbolize -d "$frames" -m 60
[ "$status" = 503 ] || fail "with a frozen helper: $status"
wait "$service"
got=$?
[ $got = 3 ] || fail "with a frozen helper the service exits with $got"
tries=0
while grep -qs '^State:[[:space:]]*[^Z]' "/proc/$helper/status" && [ $tries -lt 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
[ $tries -lt 100 ] || fail 'the frozen helper is left'

# 100 clients and few descriptors: no spinning, and an answer when there is room
printf '#!/bin/sh\nulimit -n ${FEW:-32}\nexec "%s" "$@"\n' "$CAIRN" >"$work/limited"
chmod 755 "$work/limited"
unlimited=$CAIRN
for verb in serve 'symbfile serve'; do
	CAIRN=$work/limited
	if [ "$verb" = serve ]; then
		begin --listen 127.0.0.1:0 --file "$work/a"
		host=$at
	else
		mkdir -p "$work/store"
		: >"$work/serve"
		FEW=64 "$CAIRN" symbfile serve --listen 127.0.0.1:0 --store "$work/store" >"$work/serve" 2>>"$work/serve.log" &
		service=$!
		servers="$servers $service"
		await "$work/serve"
		host=$address
	fi
	CAIRN=$unlimited
	: >"$work/crowd"
	"$CROWD" 127.0.0.1 "${host##*:}" 127.0.0.1 100 silent >"$work/crowd" 2>&1 &
	crowd=$!
	servers="$servers $crowd"
	until grep -q . "$work/crowd"; do sleep 0.1; done
	before=$(seconds "$service")
	sleep 5
	spent=$(($(seconds "$service") - before))
	[ $spent -lt 2 ] || fail "$verb spends $spent of 5 s while descriptors are short"
	ask /health -m 5
	[ "$status" = 200 ] || [ "$verb" != serve ] || fail "with few descriptors: $status"
	kill "$crowd"
	end TERM "$service" || fail "$verb with few descriptors exits with $?"
done
CAIRN=$unlimited
FEW=12 expect 3 timeout 5 "$work/limited" serve --listen 127.0.0.1:0
says "$work/err" "too few file descriptors are allowed: see 'ulimit -n'"

# addresses that are none, and ports that end before them
for where in 127.0.0.1 localhost 127.0.0.1:65536 127.0.0.1:99999 127.0.0.1:18446744073709551617 :1 '[::1]' ::1:80 x:y; do
	expect 2 timeout 5 "$CAIRN" serve --listen "$where"
	says "$work/err" 'expected ADDRESS:PORT, such as 127.0.0.1:8240, with a port up to 65535'
	expect 2 timeout 5 "$CAIRN" symbfile serve --listen "$where" --store "$work/store"
	says "$work/err" 'expected ADDRESS:PORT'
done
exit $failed

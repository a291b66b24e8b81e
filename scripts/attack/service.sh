# SPDX-License-Identifier: MIT
# Part of attack.sh: `cairn serve` and `cairn work` under what is no damaged file. In turn: clients that do not read their answers,
# helpers that are killed or stopped, descriptors that run out, and a broker whose words are damaged.

prepare_service() {
	[ -x "$plain/tests/net/crowd" ] && [ -x "$plain/tests/net/exchange" ] &&
		"$plain/core/cli/cairn" serve --help >/dev/null 2>&1 || {
		reason='no server'
		return 1
	}
	chmod 755 "$work" # the workers of root are another user's
	long=$(printf '%3000s' '' | tr ' ' n)
	printf 'int seed;\nstatic inline __attribute__((always_inline)) int a_%s(int x) { return x * 3 + seed; }\n__attribute__((noinline)) int b_%s(int x) { return a_%s(x) + 1; }\nint main(int n, char **w) { (void)w; return b_%s(n); }\n' \
		"$long" "$long" "$long" "$long" >"$work/long.c"
	cc -g -O1 -Wl,--build-id=sha1 "$work/long.c" -o "$work/long" 2>/dev/null || {
		reason='no compiler'
		return 1
	}
	long_id=$(readelf -n "$work/long" | awk '/Build ID/ { print $3 }')
	long_at=$(readelf -sW "$work/long" | awk '$8 ~ /^b_n/ { print $2 }')
	# sanitizers report a SEGV that is sent, too
	printf '%s\n' KILL KILL STOP ABRT TERM >"$work/service_signals"
	. "$here/peer.sh" # start, stop
}

# write_many COUNT: a request for so many addresses, into $work/many
write_many() {
	awk -v count="$1" -v id="$long_id" -v at="0x$long_at" 'BEGIN {
		printf "{\"frames\":["
		for (i = 0; i < count; i++)
			printf "%s{\"build_id\":\"%s\",\"address\":\"%s\"}", i ? "," : "", id, at
		printf "]}"
	}' >"$work/many"
	{
		printf 'POST /symbolize HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n' "$(wc -c <"$work/many")"
		cat "$work/many"
	} >"$work/request"
}

# get PATH: its status by HTTP, or nothing
get() {
	printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" |
		timeout 20 "$plain/tests/net/exchange" "$address" 2>/dev/null | sed -n '1s/^HTTP.1.1 \([0-9]*\).*/\1/p'
}

# crowd COUNT KIND: clients of another address of this machine; sets $crowd
crowd() {
	: >"$work/crowd"
	"$plain/tests/net/crowd" 127.0.0.1 "${address##*:}" 127.0.0.2 "$1" "$2" <"$work/request" >"$work/crowd" 2>&1 &
	crowd=$!
	children="$children $crowd"
	until [ -s "$work/crowd" ]; do sleep 0.05; done
}

# looks_busy PID: in how many of 12 looks, over three seconds, a thread of it wants the processor; its time says little on a
# busy machine
looks_busy() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		sleep 0.25
		sed 's/.*) //' "/proc/$1/task"/*/stat 2>/dev/null | grep -m 1 '^R'
	done | wc -l
}

# end_service WHAT STATUS...: it ends in time, with one of these
end_service() {
	what=$1
	shift
	{ kill $crowd && wait $crowd; } 2>/dev/null
	(sleep 40 && kill -9 $started) 2>/dev/null &
	watcher=$!
	stop
	kill $watcher 2>/dev/null
	cp "$work/started.log" "$work/err"
	case " $* " in
	*" $status "*) ;;
	*) keep "the service ends with $status" "$what" ;;
	esac
	! has_report "$work/err" || keep sanitizer "$what"
	! has_control "$work/err" || keep 'a control character in the log of the service' "$what"
}

attack_unread() {
	draw 40
	count=$((10 + 2 * drawn))
	draw 8000
	write_many $((500 + drawn))
	what="cairn serve, $count clients that do not read an answer of $((drawn + 500)) addresses"
	start "$plain/core/cli/cairn" serve --quiet --listen 127.0.0.1:0 --file "$work/long" || {
		keep 'the service does not start' "$what"
		return
	}
	crowd $count unread
	sleep 3
	[ "$(get /health)" = 200 ] || keep 'the service does not answer' "$what"
	held=$(awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$started/status")
	[ "${held:-0}" -lt "${ATTACK_HELD:-600}" ] || keep "$held MB are held" "$what"
	end_service "$what" 0
}

attack_killed() {
	draw_line "$work/service_signals"
	signal=$drawn_line
	write_many 1
	start "$san/core/cli/cairn" serve --quiet --listen 127.0.0.1:0 --file "$work/long" --deadline 3 || {
		keep 'the service does not start' 'cairn serve'
		return
	}
	"$plain/tests/net/exchange" "$address" <"$work/request" >"$work/text" 2>/dev/null &
	reader=$!
	sleep 1
	kill $reader 2>/dev/null
	wait $reader 2>/dev/null
	helper=$(pgrep -P $started)
	draw 2
	victim=$(pgrep -P "$helper" | head -n 1)
	[ "$drawn" = 1 ] && [ -n "$victim" ] || victim=$helper
	what="cairn serve, SIG$signal to its $([ "$victim" = "$helper" ] && echo starter || echo worker)"
	kill "-$signal" "$victim" 2>/dev/null
	sed -i 's/HTTP\/1.1\r/HTTP\/1.0\r/' "$work/request"
	for again in 1 2; do
		answered=$(timeout 60 "$plain/tests/net/exchange" "$address" <"$work/request" 2>/dev/null | head -c 12)
		case $answered in
		'HTTP/1.1 200' | 'HTTP/1.1 503') ;;
		'') kill -0 $started 2>/dev/null && sleep 2 && kill -0 $started 2>/dev/null && keep 'no answer' "$what" ;;
		*) keep "the answer is $answered" "$what" ;;
		esac
	done
	# TERM is blocked in all of its processes, as the service waits for it
	if [ "$victim" = "$helper" ] && [ "$signal" != STOP ] && [ "$signal" != TERM ]; then
		sleep 2
		[ "$(get /health)" != 200 ] || keep 'the service says that it is healthy' "$what"
	fi
	crowd=
	end_service "$what" 0 3
}

attack_descriptors() {
	draw 60
	files=$((20 + drawn))
	write_many 1
	what="cairn serve with $files descriptors"
	printf '#!/bin/sh\nulimit -n %d\nexec "%s" "$@"\n' $files "$plain/core/cli/cairn" >"$work/limited"
	chmod 755 "$work/limited"
	start "$work/limited" serve --quiet --listen 127.0.0.1:0 --file "$work/long" || {
		{ wait $started; } 2>/dev/null
		[ $? = 3 ] && grep -q 'too few file descriptors' "$work/started.log" || keep 'the service does not start' "$what"
		return
	}
	crowd 100 silent
	busy=$(looks_busy $started)
	[ $busy -lt 9 ] || keep "$busy of 12 looks find it busy" "$what"
	[ "$(get /health)" = 200 ] || keep 'the service does not answer' "$what"
	end_service "$what" 0
}

attack_words() {
	[ -x "$plain/tests/fleet/odd_broker" ] || return 0
	draw 2
	[ "$drawn" = 0 ] && when=login || when=channel
	# not the words of a sanitizer in a log: they would be taken for a report
	start "$plain/tests/fleet/odd_broker" $when "$(head -c 200 "$file" | tr -d '\0' | sed 's/Sanitizer\|runtime error\|invariant/words/g')" || return
	bytes=200
	run_plain "cairn work, a broker that ends at $when" "$plain/core/cli/cairn" work --redrive --amqp "amqp://g:g@$address" --requests q --dead d
	run_sanitized "cairn work, a broker that ends at $when" "$san/core/cli/cairn" work --redrive --amqp "amqp://g:g@$address" --requests q --dead d
	stop
}

attack_service() {
	crowd=
	runs=$((runs + 1))
	case $((round % 4)) in
	1) attack_unread ;;
	2) attack_killed ;;
	3) attack_descriptors ;;
	0) attack_words ;;
	esac
	children=
}

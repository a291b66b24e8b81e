#!/bin/sh
# SPDX-License-Identifier: MIT
# A fleet on this machine, of which everything dies: scripts/fleet.sh [--short] [BUILD]
#
# A broker (RabbitMQ), a store behind nginx with a cache, and four workers, one of them in a network of its own. Requests of five kinds come
# bit by bit; meanwhile workers are killed with -9, the network of one is cut, the broker is killed with -9, and the store is away for a
# while. The answers, each once, must be those of one process that nothing happens to, byte for byte, and so must their groups. Then one worker is
# measured beside one process that does the same. Prints one table; exit status 1: answers are lost or other ones, or a worker takes more than 1.3 times
# the processor time; 77: a program is missing (scripts/setup.sh --fleet). --short takes about a minute and measures nothing.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd)
short=
[ "${1:-}" != --short ] || {
	short=yes
	shift
}
build=$(cd "${1:-$top/build}" && pwd) || exit 2
cairn=$build/core/cli/cairn LETTERS=$build/tests/fleet/letters compiler=${CC:-cc} fixtures=$top/tests/fixtures
. "$top/tests/lib/test.sh"
. "$top/tests/lib/broker.sh"
. "$top/tests/fleet/load.sh"
command -v nginx >/dev/null || skip 'there is no nginx here (scripts/setup.sh --fleet)'
"$cairn" symbolize --help | grep -q debuginfod || exit 2

if [ -n "$short" ]; then
	seconds=24 each=60 cut_for=10
else
	seconds=120 each=84 cut_for=40
fi
count=$((seconds * each)) workers=4 killed=0 restarted=0
space=cairn$$ # the network of the last worker
host=127.0.0.1
finish() {
	status=$?
	for number in 1 2 3 4 5; do
		[ ! -s "$work/worker.$number" ] || kill -9 "$(cat "$work/worker.$number")" 2>/dev/null
	done
	[ ! -s "$work/nginx/pid" ] || kill "$(cat "$work/nginx/pid")"
	broker_stop
	wait 2>/dev/null
	[ $host = 127.0.0.1 ] || {
		ip netns del "$space"
		ip link del "${space}a" 2>/dev/null
	}
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 2' HUP INT TERM

# A network for one worker: a pair of links, one end here.
if [ "$(id -u)" = 0 ] && ip netns add "$space" 2>/dev/null; then
	part=$(($$ % 250 + 1))
	if ip link add "${space}a" type veth peer name "${space}b" 2>/dev/null &&
		ip link set "${space}b" netns "$space" && ip addr add "10.203.$part.1/24" dev "${space}a" && ip link set "${space}a" up &&
		ip -n "$space" addr add "10.203.$part.2/24" dev "${space}b" && ip -n "$space" link set "${space}b" up; then
		host=10.203.$part.1
		broker_lines="listeners.tcp.2 = $host:$broker_port
loopback_users.guest = false"
	else
		ip netns del "$space"
	fi
fi
[ "$host" != 127.0.0.1 ] || echo 'skipped: no network can be made here, and none is cut'

load_store
strip -o "$work/many.stripped" "$work/many" && objcopy --only-keep-debug "$work/many" "$work/many.debug" || exit 2
"$cairn" store add --store "$work/web" "$work/many.stripped" "$work/many.debug" >/dev/null || exit 2
web_port=$((broker_port + 3))
mkdir "$work/nginx"
sed -e "s|127.0.0.1:8002|127.0.0.1:$((web_port + 3000))|; s|127.0.0.1:8003;|$host:$web_port;|; s|/srv/cairn/store|$work/web|; s|/var/cache/nginx/cairn|$work/nginx/cache|; s|min_free=5g||" \
	"$top/docs/examples/cairn-store.nginx" >"$work/nginx/store"
printf '%s\n' "pid $work/nginx/pid;" "error_log $work/nginx/errors;" 'worker_processes 1;' 'events {}' 'http {' \
	'log_format cairn "$server_port $status $bytes_sent $upstream_cache_status";' "access_log $work/nginx/log cairn;" >"$work/nginx/conf"
for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $work/nginx/$kind;"; done >>"$work/nginx/conf"
printf '%s\n' "include $work/nginx/store;" '}' >>"$work/nginx/conf"
[ "$(id -u)" != 0 ] || {
	sed -i '1i user root;' "$work/nginx/conf" # the folder is ours alone
}
web_start() { nginx -c "$work/nginx/conf" 2>"$work/nginx/said" || {
	cat "$work/nginx/said"
	exit 2
}; }
web_start
DEBUGINFOD_URLS=http://$host:$web_port
export DEBUGINFOD_URLS

# start NUMBER [OPTION...]: a worker; the last one in its own network, if there is one
start() {
	number=$1 where=127.0.0.1 inside=
	shift
	[ "$number" != $workers ] || [ "$host" = 127.0.0.1 ] || {
		where=$host
		inside="ip netns exec $space"
	}
	rm -rf "$work/cache.$number"
	DEBUGINFOD_CACHE_PATH=$work/cache.$number $inside "$cairn" work --amqp "amqp://guest:guest@$where:$broker_port" --requests fleet \
		--answers fleet.answers --dead fleet.dead --retry 1,2,4,8 --declare --debuginfod --bodies "$work/bodies" --heartbeat 10 \
		--metrics-file "$work/metrics.$number" "$@" >>"$work/said.$number" 2>&1 &
	echo $! >"$work/worker.$number"
}

count() { "$LETTERS" "$url" count "$1" 2>/dev/null || echo -1; }

load_make "$count" >"$work/requests"
DEBUGINFOD_CACHE_PATH=$work/cache.0 "$cairn" symbolize --each --debuginfod --bodies "$work/bodies" <"$work/requests" | sort >"$work/wanted" || exit 2
"$cairn" group <"$work/wanted" >"$work/wanted.groups" 2>/dev/null
[ "$(grep -c '"result":"done"' "$work/wanted")" -ge $((count * 3 / 5)) ] || fail "one process has no names: $(head -n 3 "$work/wanted" | cut -c 1-300)"
broker_start
for number in 1 2 3 4; do start $number; done
until [ "$(count fleet.dead)" = 0 ]; do sleep 0.2; done

# send FROM TO: until the broker has confirmed them
send() {
	until sed -n "$1,$2p" "$work/requests" | "$LETTERS" "$url" send fleet 2>/dev/null; do
		sent_again=$((sent_again + 1))
		sleep 0.5
	done
}

second=0 sent_again=0 cuts=0
while [ $second -lt $seconds ]; do
	send $((second * each + 1)) $((second * each + each))
	[ $((second % 3)) != 1 ] || { # one of the first three; the last one is cut
		number=$((second / 3 % 3 + 1))
		kill -9 "$(cat "$work/worker.$number")" && killed=$((killed + 1))
		wait "$(cat "$work/worker.$number")" 2>/dev/null
		start $number
	}
	if [ $second = 2 ] && [ "$host" != 127.0.0.1 ]; then
		ip link set "${space}a" down
		(
			sleep $cut_for
			ip link set "${space}a" up
		) &
		cuts=1
	fi
	case $second in
	6) kill "$(cat "$work/nginx/pid")" ;;
	9) web_start ;;
	$((seconds / 2)))
		broker_kill
		broker_start
		restarted=$((restarted + 1))
		;;
	esac
	sleep 0.3
	second=$((second + 1))
done
turns=0
until { [ "$(count fleet)" = 0 ] && [ "$(count fleet.answers)" -ge "$count" ] && [ "$(for q in 1 2 4 8; do count fleet.retry.$q; done | sort -u)" = 0 ]; } || [ $turns = 400 ]; do
	sleep 0.3
	turns=$((turns + 1))
done
for number in 1 2 3 4; do
	kill "$(cat "$work/worker.$number")"
	wait "$(cat "$work/worker.$number")" || fail "worker $number: status $?: $(tail -n 3 "$work/said.$number")"
	rm "$work/worker.$number"
done
there=$(count fleet.answers) dead=$(count fleet.dead)
"$LETTERS" "$url" take fleet.answers "$there" >"$work/answers" || fail "$there answers did not come"
sort -u "$work/answers" | cmp -s - "$work/wanted" || fail "other answers: $(sort -u "$work/answers" | diff - "$work/wanted" | head -n 4 | cut -c 1-300)"
sort -u "$work/answers" | "$cairn" group 2>/dev/null | cmp -s - "$work/wanted.groups" || fail 'other groups'
[ "$dead" = 0 ] || fail "dead letters: $("$LETTERS" "$url" look fleet.dead "$dead" | cut -c 1-200)"

row() { printf '%-58s %s\n' "$1" "$2"; }
sum() { cat "$work"/metrics.* | awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }'; }
row 'requests (of five kinds); sent again by their sender' "$count; $sent_again"
row 'answers; twice; dead letters' "$there; $((there - count)); $dead"
row 'workers killed with -9; broker; cuts of a network' "$killed; $restarted; $cuts of $cut_for s"
row 'tried again later, by workers that were not killed last' "$(sum 'cairn_requests_total{result="retried"}')"
row 'store: requests to its cache; hits; misses' "$(awk -v port="$web_port" '$1 == port { n++; h += $4 == "HIT"; m += $4 == "MISS" } END { print n + 0 "; " h + 0 "; " m + 0 }' "$work/nginx/log")"
row 'store: bytes that it sent' "$(awk -v port="$web_port" '$1 != port { n += $3 } END { print n + 0 }' "$work/nginx/log")"

# time_of PID: hundredths of a second of processor time
time_of() { awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
memory_of() { awk '/^VmHWM/ { printf "%d MB", $2 / 1024 }' "/proc/$1/status"; }

# One worker beside one process: 10,000 reports of 20 frames.
[ -n "$short" ] || {
	load_make 10000 thread >"$work/requests"
	set -- --directory "$work/store"
	alone=$(sh -c '"$@" <"$0" >/dev/null; times' "$work/requests" "$cairn" symbolize --each "$@" |
		awk 'NR == 2 { gsub(/[ms]/, " "); print ($1 * 60 + $2 + $3 * 60 + $4) * 100 }')
	unset DEBUGINFOD_URLS
	"$cairn" work --amqp "$url" --requests one --answers one.answers --declare --prefetch 16 "$@" >>"$work/said.5" 2>&1 &
	worker=$!
	echo $worker >"$work/worker.5"
	until [ "$(count one.answers)" = 0 ]; do sleep 0.2; done
	before=$(time_of "$broker_pid")
	"$LETTERS" "$url" send one <"$work/requests" &
	"$LETTERS" "$url" take one.answers 10000 >/dev/null || fail 'answers are missing in the measurement'
	child=$(cut -d' ' -f1 "/proc/$worker/task/$worker/children")
	spent=$(time_of $worker) childs=$(time_of "$child") broker=$(($(time_of "$broker_pid") - before))
	row 'one process, 10,000 reports of 20 frames' "$(echo "$alone" | awk '{ printf "%.2f s", $1 / 100 }')"
	row 'a worker; its child; together to one process' "$(echo "$spent $childs $alone" | awk '{ printf "%.2f s; %.2f s; %.2f", $1 / 100, $2 / 100, ($1 + $2) / $3 }')"
	row 'the broker, with the sender and who takes the answers' "$(echo "$broker $alone" | awk '{ printf "%.2f s, %.2f of one process", $1 / 100, $1 / $2 }')"
	row 'memory: worker; child; broker' "$(memory_of $worker); $(memory_of "$child"); $(memory_of "$broker_pid")"
	echo "$spent $childs $alone" | awk '{ exit ($1 + $2) / $3 > 1.3 }' || fail 'a worker takes more than 1.3 times the processor time of one process'
}
exit $failed

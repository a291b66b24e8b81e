#!/bin/sh
# SPDX-License-Identifier: MIT
# A fleet on this machine, of which everything dies: scripts/fleet.sh [--short] [BUILD]
#
# A broker (RabbitMQ), a store behind nginx with a cache, and four workers, each in a network of its own, that share caches of what they fetch. Requests of
# five kinds come bit by bit; meanwhile workers are killed with -9, the networks of two are cut for 10 and for 40 s, the broker is killed with -9, the store is away for a
# while, and the disk of the store, then that of all caches, is full. The answers, each once, must be those of one process that nothing happens to, byte for byte, and so must their groups. Then one worker is
# measured beside one process that does the same. Prints one table; exit status 1: answers are lost or other ones, or a worker takes more than 1.4 times
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
	seconds=24 each=60
else
	seconds=120 each=84
fi
count=$((seconds * each)) workers=4 killed=0 restarted=0
space=cairn$$ # the networks of workers are named so, and their numbers
host=127.0.0.1
disks= # file systems of our own
finish() {
	status=$?
	for number in 1 2 3 4 5; do
		[ ! -s "$work/worker.$number" ] || kill -9 "$(cat "$work/worker.$number")" 2>/dev/null
	done
	[ ! -s "$work/nginx/pid" ] || kill "$(cat "$work/nginx/pid")"
	broker_stop
	wait 2>/dev/null
	[ $host = 127.0.0.1 ] || remove_networks
	for disk in $disks; do
		umount -l "$disk"
	done
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 2' HUP INT TERM

# make_network NUMBER: a pair of links, one end here, the other in the network of a worker, which reaches this machine's address by it
make_network() {
	here=10.203.$part.$((4 * $1 + 1)) there=10.203.$part.$((4 * $1 + 2))
	ip netns add "$space-$1" && ip link add "c$$-$1" type veth peer name "d$$-$1" && ip link set "d$$-$1" netns "$space-$1" &&
		ip addr add "$here/30" dev "c$$-$1" && ip link set "c$$-$1" up && ip -n "$space-$1" addr add "$there/30" dev "d$$-$1" &&
		ip -n "$space-$1" link set "d$$-$1" up && ip -n "$space-$1" link set lo up && ip -n "$space-$1" route add "$address/32" via "$here"
}
remove_networks() {
	for number in 1 2 3 4; do
		ip netns del "$space-$number"
		ip link del "c$$-$number"
	done 2>/dev/null
	ip addr del "$address/32" dev lo 2>/dev/null
}
part=$(($$ % 250 + 1))
address=10.203.$part.1
if [ "$(id -u)" = 0 ] && ip addr add "$address/32" dev lo 2>/dev/null; then
	host=$address
	for number in 1 2 3 4; do
		make_network $number 2>/dev/null || host=127.0.0.1
	done
	[ $host != 127.0.0.1 ] || remove_networks
	broker_lines="listeners.tcp.2 = $host:$broker_port
loopback_users.guest = false"
fi
[ "$host" != 127.0.0.1 ] || echo 'skipped: no network can be made here, and none is cut'

# make_disk DIR SIZE: a file system that can be filled
make_disk() {
	mkdir -p "$1"
	[ "$(id -u)" = 0 ] && mount -t tmpfs -o "size=$2,mode=755" tmpfs "$1" 2>/dev/null && disks="$disks $1"
}
fill_disk() { cat /dev/zero >"$1/filler" 2>/dev/null; }
make_disk "$work/web" 64m && make_disk "$work/caches" 128m || echo 'skipped: no file system can be mounted here, and no disk is full'

load_store
strip -o "$work/many.stripped" "$work/many" && objcopy --only-keep-debug "$work/many" "$work/many.debug" || exit 2
"$cairn" store add --store "$work/web" "$work/many.stripped" "$work/many.debug" >/dev/null || exit 2
web_port=$((broker_port + 3))
mkdir "$work/nginx"
sed -e "s|127.0.0.1:8002|127.0.0.1:$((web_port + 3000))|; s|127.0.0.1:8003;|$host:$web_port;|; s|/srv/cairn/store|$work/web|; s|/var/cache/nginx/cairn|$work/caches/nginx|; s|min_free=5g||" \
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

# start NUMBER: a worker, in its own network, if there is one; those that are started within some seconds share a cache, which is new
start() {
	number=$1 inside=
	[ "$host" = 127.0.0.1 ] || inside="ip netns exec $space-$number"
	DEBUGINFOD_CACHE_PATH=$work/caches/$((second / 6)) $inside "$cairn" work --amqp "amqp://guest:guest@$host:$broker_port" --requests fleet \
		--answers fleet.answers --dead fleet.dead --retry 1,2,4,8 --declare --debuginfod --bodies "$work/bodies" --heartbeat 10 \
		--metrics-file "$work/metrics.$number" >>"$work/said.$number" 2>&1 &
	echo $! >"$work/worker.$number"
}

count() { "$LETTERS" "$url" count "$1" 2>/dev/null || echo -1; }

load_make "$count" >"$work/requests"
DEBUGINFOD_CACHE_PATH=$work/cache.0 "$cairn" symbolize --each --debuginfod --bodies "$work/bodies" <"$work/requests" | sort >"$work/wanted" || exit 2
"$cairn" group <"$work/wanted" >"$work/wanted.groups" 2>/dev/null
[ "$(grep -c '"result":"done"' "$work/wanted")" -ge $((count * 3 / 5)) ] || fail "one process has no names: $(head -n 3 "$work/wanted" | cut -c 1-300)"
second=0
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

# cut_link NUMBER SECONDS: the link of a worker is down so long
cut_link() {
	[ "$host" != 127.0.0.1 ] || return
	cuts="$cuts $2"
	ip link set "c$$-$1" down
	(
		sleep "$2"
		ip link set "c$$-$1" up
	) &
}
# Nothing of a file that finds no room is in the store.
fill_store() {
	[ -n "$disks" ] || return
	fill_disk "$work/web"
	"$cairn" store add --store "$work/web" "$cairn" >/dev/null 2>"$work/full" && fail 'a file is in a store without room'
	grep -q 'No space left' "$work/full" || fail "a full store: $(cat "$work/full")"
	[ "$(find "$work/web" -type f | wc -l)" = 3 ] || fail "a full store: $(find "$work/web" -type f)"
	rm "$work/web/filler"
	"$cairn" store add --store "$work/web" "$cairn" >/dev/null || fail 'a file does not get into a store with room'
	full="$full store"
}
# Who fetches meanwhile is told to come again.
fill_caches() {
	[ -n "$disks" ] || return
	fill_disk "$work/caches"
	DEBUGINFOD_CACHE_PATH=$work/caches/full "$cairn" symbolize --debuginfod <"$work/one" >"$work/full" 2>&1
	[ $? = 75 ] && grep -q '"result":"try_again","reason":"\(the answer of debuginfod cannot be written to its cache: the disk may be full\|a debuginfod server cannot be reached\)"' "$work/full" ||
		fail "a full cache: $(cat "$work/full")"
	full="$full caches"
}
sed -n 3p "$work/requests" >"$work/one"
sent_again=0 cuts= full=
while [ $second -lt $seconds ]; do
	send $((second * each + 1)) $((second * each + each))
	[ $((second % 3)) != 1 ] || { # one of the first three
		number=$((second / 3 % 3 + 1))
		kill -9 "$(cat "$work/worker.$number")" && killed=$((killed + 1))
		wait "$(cat "$work/worker.$number")" 2>/dev/null
		start $number
	}
	case $second in
	2) cut_link 4 10 ;;
	6) kill "$(cat "$work/nginx/pid")" ;;
	9) web_start ;;
	$((seconds / 2)))
		broker_kill
		broker_start
		restarted=$((restarted + 1))
		;;
	15) fill_store ;;
	18) fill_caches ;; # a new cache begins
	20) rm -f "$work/caches/filler" ;;
	30) cut_link 4 40 ;;
	35) cut_link 3 10 ;;
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
row 'workers killed with -9; broker; cuts of a network, in s' "$killed; $restarted;${cuts:- none}"
row 'disks that were full' "${full:- none}"
row 'tried again later, by workers that were not killed last' "$(sum 'cairn_requests_total{result="retried"}')"
row 'store: requests to its cache; hits; misses' "$(awk -v port="$web_port" '$1 == port { n++; h += $4 == "HIT"; m += $4 == "MISS" } END { print n + 0 "; " h + 0 "; " m + 0 }' "$work/nginx/log")"
row 'store: bytes that it sent' "$(awk -v port="$web_port" '$1 != port { n += $3 } END { print n + 0 }' "$work/nginx/log")"

fetches() { sum "cairn_store_requests_total{result=\"$1\"}"; }
row "workers' questions to it: from their cache; sent; absent; failed" "$(fetches hit); $(fetches miss); $(fetches negative); $(fetches error)"
row 'bytes that came into their caches; files that went' "$(sum cairn_store_bytes_total); $(sum cairn_cache_evictions_total)"
[ "$(fetches hit)" -gt 0 ] && [ "$(fetches miss)" -gt 0 ] && [ "$(fetches negative)" -gt 0 ] || fail 'workers count no fetches'

# Hundredths of a second of processor time: time_of PID, of its first thread, exactly; time_of_all PID, of all its threads
time_of_all() { awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
time_of() { awk '{ print $1 / 1e7 }' "/proc/$1/schedstat"; }
memory_of() { awk '/^VmHWM/ { printf "%d MB", $2 / 1024 }' "/proc/$1/status"; }

# One worker beside one process: 10,000 reports of 20 frames.
[ -n "$short" ] || {
	load_make 10000 thread >"$work/requests"
	set -- --directory "$work/store"
	# five times, because it is counted in hundredths of a second
	alone=$(sh -c 'for turn in 1 2 3 4 5; do "$@" <"$0" >"$0.answers"; done; times' "$work/requests" "$cairn" symbolize --each "$@" |
		awk 'NR == 2 { gsub(/[ms]/, " "); print ($1 * 60 + $2 + $3 * 60 + $4) * 100 / 5 }')
	unset DEBUGINFOD_URLS
	"$cairn" work --amqp "$url" --requests one --answers one.answers --declare --prefetch 16 "$@" >>"$work/said.5" 2>&1 &
	worker=$!
	echo $worker >"$work/worker.5"
	until [ "$(count one.answers)" = 0 ]; do sleep 0.2; done
	before=$(time_of_all "$broker_pid")
	"$LETTERS" "$url" send one <"$work/requests" &
	"$LETTERS" "$url" take one.answers 10000 >/dev/null || fail 'answers are missing in the measurement'
	child=$(cut -d' ' -f1 "/proc/$worker/task/$worker/children")
	spent=$(time_of $worker) childs=$(time_of "$child") broker=$(time_of_all "$broker_pid")
	row 'one process, 10,000 reports of 20 frames from a file to a file' "$(echo "$alone" | awk '{ printf "%.2f s", $1 / 100 }')"
	row 'a worker; its child; together to one process' "$(echo "$spent $childs $alone" | awk '{ printf "%.2f s; %.2f s; %.2f", $1 / 100, $2 / 100, ($1 + $2) / $3 }')"
	row 'the broker, with the sender and who takes the answers' "$(echo "$broker $before $alone" | awk '{ printf "%.2f s, %.2f of one process", ($1 - $2) / 100, ($1 - $2) / $3 }')"
	row 'memory: worker; child; broker' "$(memory_of $worker); $(memory_of "$child"); $(memory_of "$broker_pid")"
	echo "$spent $childs $alone" | awk '{ exit ($1 + $2) / $3 > 1.4 }' || fail 'a worker takes more than 1.4 times the processor time of one process'
}
exit $failed

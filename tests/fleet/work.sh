#!/bin/sh
# SPDX-License-Identifier: MIT
# Workers behind a broker: work.sh CAIRN COMPILER FIXTURES, with LETTERS and ODD_CHILD in the environment.
# What they answer is what one process answers, whatever is killed: the child, the worker, the broker. A request that kills its reader ends
# among the dead letters with a reason, and its neighbours are answered.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
compiler=$2
fixtures=$(cd "$3" && pwd)
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/broker.sh"
. "$(dirname "$0")/load.sh"
unset DEBUGINFOD_URLS
workers=
finish() {
	status=$?
	for worker in $workers; do kill -9 "$worker" 2>/dev/null; done
	broker_stop
	wait 2>/dev/null
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 2' HUP INT TERM

letters() { "$LETTERS" "$url" "$@"; }

# work NAME OPTION...: a worker on the queues NAME and NAME.answers; sets $worker.
work() {
	name=$1
	shift
	: >>"$work/$name.said"
	"$cairn" work --amqp "$url" --requests "$name" --answers "$name.answers" --dead "$name.dead" --declare --heartbeat 5 \
		--directory "$work/store" --bodies "$work/bodies" "$@" >>"$work/$name.said" 2>>"$work/$name.said" &
	worker=$!
	workers="$workers $worker"
}

# await FILE TEXT [COUNT]: until a file says it so often
await() {
	turns=0
	while [ "$(grep -c -e "$2" "$1")" -lt "${3:-1}" ]; do
		sleep 0.1
		turns=$((turns + 1))
		[ $turns -lt 600 ] || {
			fail "$1 does not say '$2': $(cat "$1")"
			return
		}
	done
}

# end: SIGTERM, and the worker's status must be 0
end() {
	kill "$worker"
	wait "$worker"
	status=$?
	[ $status = 0 ] || fail "a worker that is asked to end has status $status: $(cat "$work"/*.said)"
}

# child: the process that reads for the worker
child() { cut -d' ' -f1 "/proc/$worker/task/$worker/children" 2>/dev/null; }

# same NAME FILE: are these answers, each hash once, those of one process? Bytes, and groups.
same() {
	sort -u "$2" | cmp -s - "$work/wanted.sorted" || fail "$1: other answers: $(sort -u "$2" | diff - "$work/wanted.sorted" | head -n 4 | cut -c 1-300)"
	sort -u "$2" | "$cairn" group 2>/dev/null | cmp -s - "$work/wanted.groups" || fail "$1: other groups"
}

load_store
load_make 1000 >"$work/requests"
"$cairn" symbolize --each --directory "$work/store" --bodies "$work/bodies" <"$work/requests" >"$work/wanted" || exit 2
sort "$work/wanted" >"$work/wanted.sorted"
"$cairn" group <"$work/wanted.sorted" >"$work/wanted.groups" 2>/dev/null && fail "offsets have no stack"
[ "$(wc -l <"$work/wanted.groups")" -gt 10 ] || fail "no groups: $(cat "$work/wanted.groups")"
[ "$(cut -d'"' -f6 "$work/wanted" | sort -u | wc -l)" = 1000 ] || fail 'the requests are not all different'
[ "$(grep -c '"result":"done"' "$work/wanted")" -ge 600 ] && [ "$(grep -c '"result":"not_yet"' "$work/wanted")" -ge 200 ] ||
	fail "the requests are not as they should be: $(cut -c 1-200 "$work/wanted" | head -n 5)"
# A broker with a certificate that nobody but this test trusts.
if command -v openssl >/dev/null && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null; then
	broker_lines="listeners.ssl.1 = 127.0.0.1:$((broker_port + 3))
ssl_options.certfile = $work/certificate.pem
ssl_options.keyfile = $work/key.pem"
fi
broker_start

"$cairn" work --amqp localhost --requests a --answers b 2>"$work/error"
[ $? = 2 ] && grep -qx "cairn: --amqp: not a URL such as amqp://USER:PASSWORD@HOST:5672" "$work/error" || fail "no URL: $(cat "$work/error")"

# Without --declare nothing is declared: it says which queue is not there, and goes on when it is.
: >"$work/none.said"
"$cairn" work --amqp "$url" --requests plain --answers plain.answers --directory "$work/store" --bodies "$work/bodies" >"$work/none.said" 2>&1 &
worker=$!
workers="$workers $worker"
await "$work/none.said" "no queue 'plain': NOT_FOUND"
end

# 1,000 requests.
work plain --metrics 127.0.0.1:0 --metrics-file "$work/metrics"
await "$work/plain.said" connected
letters send plain <"$work/requests" || fail 'cannot send'
letters take plain.answers 1000 >"$work/answers" || fail "answers are missing: $(cat "$work/plain.said")"
same 'one worker' "$work/answers"
[ "$(wc -l <"$work/answers")" = 1000 ] || fail 'an answer came twice'
address=$(sed -n 's/^metrics on //p' "$work/plain.said")
sleep 1
curl -s "http://$address/metrics" >"$work/shown"
done=$(grep -c '"result":"done"' "$work/wanted")
grep -q "^cairn_requests_total{result=\"done\"} $done\$" "$work/shown" || fail "metrics: $(grep ^cairn_requests "$work/shown")"
grep -q '^cairn_request_seconds_count 1000$' "$work/shown" || fail "metrics: $(grep ^cairn_request_seconds "$work/shown")"
[ "$(curl -s -o /dev/null -w '%{http_code}' "http://$address/")" = 404 ] || fail 'the metrics have another page'
[ "$(curl -s -o /dev/null -w '%{http_code}' -d x "http://$address/metrics")" -ge 400 ] || fail 'somebody may post to the metrics'

# The child is killed, again and again.
(
	turns=0
	while [ $turns -lt 8 ]; do
		kill -9 "$(child)" 2>/dev/null
		sleep 0.1
		turns=$((turns + 1))
	done
) &
killer=$!
letters send plain <"$work/requests"
letters take plain.answers 1000 >"$work/answers" || fail "answers are missing when children are killed: $(cat "$work/plain.said")"
wait $killer
same 'killed children' "$work/answers"
end
grep -q '^cairn_workers_replaced_total [1-9]' "$work/metrics" || fail 'no child was replaced'
[ "$(letters count plain.dead)" = 0 ] || fail "the child's death made a dead letter: $(letters look plain.dead 1)"

# The same through TLS: its certificate is trusted, or it is not; and it must be that of the host.
if [ -n "$broker_lines" ]; then
	for host in localhost 127.0.0.1; do
		for trust in "--ca-file $work/certificate.pem" ''; do
			: >"$work/tls.said"
			# shellcheck disable=SC2086 # words
			"$cairn" work --amqp "amqps://guest:guest@$host:$((broker_port + 3))" --requests plain --answers plain.answers $trust \
				--directory "$work/store" --bodies "$work/bodies" >>"$work/tls.said" 2>&1 &
			worker=$!
			workers="$workers $worker"
			case $host$trust in
			localhost--*)
				await "$work/tls.said" connected
				head -n 5 "$work/requests" | letters send plain
				letters take plain.answers 5 | sort | comm -13 "$work/wanted.sorted" - >"$work/others"
				[ ! -s "$work/others" ] || fail "through TLS: other answers: $(cut -c 1-200 "$work/others")"
				;;
			*) await "$work/tls.said" "no broker: cannot connect to $host" ;;
			esac
			end
		done
	done
else
	echo 'skipped: no openssl'
fi

# What no child may see: too large, more than a line. What it rejects. What it dies of, in many ways.
work poison --child "exec '$ODD_CHILD' '$cairn' symbolize --each --directory '$work/store' --bodies '$work/bodies'" --deadline 2 --max-memory 1500000000
await "$work/poison.said" connected
kinds='segv abrt kill bus fpe ill term exit0 exit3 stop spin memory deaf long noise empty half word hash'
for kind in $kinds; do
	echo "{\"frames\":[],\"poison\":\"$kind\"}"
done >"$work/poisons"
head -c 17000000 /dev/zero | tr '\0' ' ' | letters whole poison
printf '{"frames":\n[]}' | letters whole poison
printf '' | letters whole poison
printf 'nonsense\r\n\n' | letters whole poison
head -c 1000 /dev/urandom | tr '\n' ' ' | letters whole poison
letters nested poison 20000
awk -v file="$work/poisons" '{ print } NR % 50 == 0 && (getline line <file) > 0 { print line }' "$work/requests" | letters send poison
letters take poison.answers 1001 >"$work/answers" || fail "answers are missing beside poison: $(cat "$work/poison.said")"
grep -v '"result":"done","missing_build_ids":\[\],"results":\[\]' "$work/answers" >"$work/answers.good"
same 'beside poison' "$work/answers.good"
letters look poison.dead 24 >"$work/dead" || fail "dead letters are missing: $(cut -c 1-200 "$work/dead")"
# dead WORDS BEGINNING: is there a dead letter with this reason and body?
dead() {
	grep -a -q "^$1.*	$2" "$work/dead" || fail "no dead letter '$1' of $2: $(cut -c 1-120 "$work/dead")"
}
dead 'a request of more than 16 MiB' '   '
dead 'the text ends inside a JSON value' '$'
dead 'expected a JSON value' 'nonsense$'
grep -a -q '^the request has more than one line' "$work/dead" || fail 'a request of two lines is no dead letter'
for kind in $kinds; do
	case $kind in
	segv) why='ended by signal 11' ;;
	abrt) why='ended by signal 6' ;;
	kill) why='ended by signal 9' ;;
	memory) why='\(ended by signal 9\|it takes more than 2 s\)' ;; # as it is faster to the limit of memory or of time
	bus) why='ended by signal 7' ;;
	fpe) why='ended by signal 8' ;;
	ill) why='ended by signal 4' ;;
	term) why='ended by signal 15' ;;
	exit0) why='ended with status 0' ;;
	exit3) why='ended with status 3' ;;
	stop | spin) why='it takes more than 2 s' ;;
	deaf) why='ended by signal 9' ;;
	long) why='the answer exceeds 16 MiB' ;;
	*) why='the symbolizing process wrote unexpected output instead of an answer' ;;
	esac
	dead "crashes the worker: $why		3" ".*\"poison\":\"$kind\""
done
end
sort "$work/poison.said" | uniq -c | grep -v connected | grep -q . && fail "a worker with poison says: $(cat "$work/poison.said")"

# A child that can answer nothing is no request's fault.
work broken --child false
await "$work/broken.said" 'the child does not answer: ended with status 1' 2
head -n 3 "$work/requests" | letters send broken
sleep 1
end
[ "$(letters count broken)" = 3 ] && [ "$(letters count broken.dead)" = 0 ] || fail 'a child that is broken costs requests'

# What may come later waits: a reference whose file is not there, then is; and one that never comes.
hash=$(head -c 10 /dev/zero | sha256sum | cut -d' ' -f1)
work retry --retry 1,2
await "$work/retry.said" connected
cp "$work/bodies/amd64.dmp" "$work/amd64.dmp"
rm "$work/bodies/amd64.dmp"
grep amd64.dmp "$work/requests" | head -n 1 >"$work/late"
letters send retry <"$work/late"
echo "{\"hash\":\"$hash\",\"size\":10,\"kind\":\"core\",\"path\":\"never\"}" | letters send retry
sleep 0.5
cp "$work/amd64.dmp" "$work/bodies/amd64.dmp"
letters take retry.answers 1 >"$work/answers" || fail 'a request that may be answered later is not'
"$cairn" symbolize --each --directory "$work/store" --bodies "$work/bodies" <"$work/late" | cmp - "$work/answers" || fail 'later, another answer'
letters look retry.dead 1 >"$work/dead"
grep -q '^the file of the reference is not there	3		' "$work/dead" || fail "after two times: $(cat "$work/dead")"
end

# Dead letters become requests again when what was missing is there: as many as are wanted, with what the sender gave and without what was counted.
work again
await "$work/again.said" connected
rm "$work/bodies/amd64.dmp"
grep amd64.dmp "$work/requests" | head -n 5 >"$work/late"
letters send again <"$work/late"
turns=0
until [ "$(letters count again.dead)" = 5 ] || [ $turns = 600 ]; do
	sleep 0.1
	turns=$((turns + 1))
done
end
cp "$work/amd64.dmp" "$work/bodies/amd64.dmp"
redrive() { "$cairn" work --redrive --amqp "$url" --requests again --dead again.dead "$@" >"$work/redriven" 2>&1; }
redrive --redrive-count 2 || fail "some dead letters: $(cat "$work/redriven")"
[ "$(cat "$work/redriven")" = '2 dead letters were moved back to the requests' ] || fail "some dead letters: $(cat "$work/redriven")"
[ "$(letters count again.dead) $(letters count again)" = '3 2' ] || fail "some dead letters: $(letters count again.dead) and $(letters count again) are there"
redrive || fail "all dead letters: $(cat "$work/redriven")"
[ "$(letters count again.dead) $(letters count again)" = '0 5' ] || fail "all dead letters: $(letters count again.dead) and $(letters count again) are there"
redrive && [ "$(cat "$work/redriven")" = '0 dead letters were moved back to the requests' ] || fail "no dead letters: $(cat "$work/redriven")"
letters look again 1 >"$work/dead"
grep -q '^			{"hash"' "$work/dead" || fail "a request that was dead: $(cat "$work/dead")"
cut -f 4- "$work/dead" | letters send again
work again
letters take again.answers 5 >"$work/answers" || fail 'dead letters that are requests again have no answers'
"$cairn" symbolize --each --directory "$work/store" --bodies "$work/bodies" <"$work/late" | sort >"$work/late.answers"
sort "$work/answers" | cmp - "$work/late.answers" || fail 'dead letters have other answers'
end
"$cairn" work --redrive --amqp "$url" --requests none --dead again.dead >"$work/redriven" 2>&1
[ $? = 3 ] && grep -q "no queue 'none'" "$work/redriven" || fail "no queue of requests: $(cat "$work/redriven")"
"$cairn" work --redrive --amqp "$url" --requests again >"$work/redriven" 2>&1
[ $? = 2 ] && grep -q -- '--requests and --dead are required' "$work/redriven" || fail "no queue of dead letters: $(cat "$work/redriven")"

# The queue of answers is full: what it refuses is sent again, and nothing is acknowledged meanwhile. A broker that is frozen is left, and found again.
(broker_run /usr/lib/rabbitmq/bin/rabbitmqctl set_policy full '^full.answers$' '{"max-length":50,"overflow":"reject-publish"}' --apply-to queues) >"$work/policy" 2>&1 ||
	fail "no policy: $(cat "$work/policy")"
work full --heartbeat 2
await "$work/full.said" connected
letters send full <"$work/requests"
sleep 2
there=$(letters count full.answers)
[ "$there" -ge 50 ] && [ "$there" -lt 200 ] && [ "$(letters count full)" -gt 500 ] || fail "a full queue has $there answers, and $(letters count full) requests are left"
letters take full.answers 1000 >"$work/answers" || fail 'answers are missing after their queue was full'
same 'a full queue' "$work/answers"
[ "$(wc -l <"$work/answers")" = 1000 ] || fail 'an answer came twice when the queue was full'
kill -STOP "$broker_pid"
await "$work/full.said" 'the broker is gone: .*heartbeat timeout'
kill -CONT "$broker_pid"
await "$work/full.said" connected 2
head -n 10 "$work/requests" | letters send full
letters take full.answers 10 >"$work/answers" || fail 'answers are missing after the broker was frozen'
end

# Two workers and the broker are killed in the middle; nothing that was confirmed is lost.
work storm --prefetch 64 --metrics-file "$work/one.metrics"
first=$worker
work storm --prefetch 64 --metrics-file "$work/two.metrics"
await "$work/storm.said" connected 2
for turn in 1 2 3 4 5 6 7 8; do sed "s/^{/{\"turn\":$turn,/" "$work/requests"; done >"$work/many.requests"
"$cairn" symbolize --each --directory "$work/store" --bodies "$work/bodies" <"$work/many.requests" | sort >"$work/wanted.sorted"
"$cairn" group <"$work/wanted.sorted" >"$work/wanted.groups" 2>/dev/null
letters send storm <"$work/many.requests" || fail 'cannot send'
kill -9 "$first"
broker_kill
broker_start
await "$work/storm.said" 'the broker is gone' 1
await "$work/storm.said" connected 3
turns=0
until [ "$(letters count storm)" = 0 ] || [ $turns = 600 ]; do
	sleep 0.1
	turns=$((turns + 1))
done
end
[ "$(letters count storm)" = 0 ] || fail "requests are left: $(letters count storm)"
there=$(letters count storm.answers)
[ "$there" -ge 8000 ] || fail "answers are lost: $there of 8000"
letters take storm.answers "$there" >"$work/answers" || fail "$there answers did not come"
same 'worker and broker killed' "$work/answers"
echo "worker and broker killed: $there answers to 8000 requests, $((there - 8000)) twice; $(grep -h '^cairn_duplicates' "$work/two.metrics")"
grep -q '^cairn_reconnects_total [1-9]' "$work/two.metrics" || fail 'the worker has not connected again'

# SIGTERM in the middle: what was held is finished, what was not is untouched, nothing comes twice.
work drain --prefetch 8 --child "exec '$ODD_CHILD' '$cairn' symbolize --each --directory '$work/store' --bodies '$work/bodies'"
await "$work/drain.said" connected
letters send drain <"$work/many.requests"
end
before=$(letters count drain)
there=$(letters count drain.answers)
[ $((before + there)) = 8000 ] || fail "SIGTERM: $before requests and $there answers are not 8000"
[ "$before" -gt 0 ] || echo "all were answered before SIGTERM came"
work drain --metrics-file "$work/drain.metrics"
letters take drain.answers 8000 >"$work/answers" || fail 'answers are missing after SIGTERM'
same 'after SIGTERM' "$work/answers"
end
grep -q '^cairn_duplicates_total 0$' "$work/drain.metrics" || fail "SIGTERM: $(grep duplicates "$work/drain.metrics")"

exit $failed

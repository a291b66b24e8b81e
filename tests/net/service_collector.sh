#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn serve` between two collectors of OpenTelemetry: a profile that the first one receives has names when the second one sends it on.
#
# CAIRN_COLLECTOR: the program, which scripts/unpack_collector.sh makes.
. "$(dirname "$0")/net.sh"
. "$(dirname "$0")/serving.sh"
[ -x "${CAIRN_COLLECTOR:-}" ] || skip 'CAIRN_COLLECTOR names no collector of OpenTelemetry (scripts/unpack_collector.sh makes one)'

# collect PORT URL: a collector that receives at the port and sends to the URL
collect() {
	cat >"$work/$1.yaml" <<-END
		receivers:
		  otlp:
		    protocols:
		      http:
		        endpoint: 127.0.0.1:$1
		exporters:
		  otlp_http/cairn:
		    profiles_endpoint: $2/v1development/profiles
		    compression: gzip
		service:
		  telemetry:
		    metrics:
		      level: none
		  pipelines:
		    profiles:
		      receivers: [otlp]
		      exporters: [otlp_http/cairn]
	END
	"$CAIRN_COLLECTOR" --config "$work/$1.yaml" --feature-gates=service.profilesSupport >"$work/$1.log" 2>&1 &
	servers="$servers $!"
	tries=0
	until grep -q 'Everything is ready' "$work/$1.log"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || skip "the collector does not start: $(tail -n 1 "$work/$1.log")"
		sleep 0.05
	done
}

port=$((20000 + $$ % 10000 * 2))
ODD_BODY=$work/forwarded
export ODD_BODY
odd 200
unset ODD_BODY
collect $((port + 1)) "$url"
begin --listen 127.0.0.1:0 --file "$work/a" --forward "http://127.0.0.1:$((port + 1))"
collect $port "http://$at"
write_profile "$work/profile.json"
host=127.0.0.1:$port
ask /v1development/profiles -H 'Content-Type: application/json' --data-binary "@$work/profile.json"
[ "$status" = 200 ] || fail "the collector answers $status: $(cat "$work/answer")"
tries=0
until [ -s "$work/forwarded" ] || [ $tries = 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
gzip -dc "$work/forwarded" >"$work/message" 2>/dev/null || cp "$work/forwarded" "$work/message"
"$CAIRN" profile convert --quiet --no-symbolize --to folded "$work/message" >"$work/folded" || fail 'the second collector sent nothing that is read'
grep -q '^outer;inner 7$' "$work/folded" || fail "the second collector sent on: $(cat "$work/folded")"
end TERM "$service" || fail "SIGTERM: the service exits with $?"
says "$work/service.log" '200 POST /v1development/profiles'
exit $failed

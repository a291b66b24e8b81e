# SPDX-License-Identifier: MIT
# A broker of a test's own (RabbitMQ, without systemd, on loopback), to be read by "." after test.sh; its files are below $work/broker.
#
#	broker_start              sets $url, and waits until it answers
#	broker_kill; broker_start	kill -9, and again with the same files
#	broker_stop               the end of it and of what it started

broker_script=/usr/lib/rabbitmq/bin/rabbitmq-server
[ -x "$broker_script" ] && command -v epmd >/dev/null || skip 'there is no RabbitMQ here (scripts/setup.sh --fleet)'
[ -z "${LETTERS:-}" ] || [ -x "$LETTERS" ] || skip 'cairn was configured without librabbitmq'

# Three ports that nobody has: below those that the system gives to clients.
broker_port=$((20000 + $$ % 3000 * 4))
while ss -Htln 2>/dev/null | grep -qE ":($broker_port|$((broker_port + 1))|$((broker_port + 2))) "; do
	broker_port=$((broker_port + 4))
done
url=amqp://guest:guest@127.0.0.1:$broker_port
broker_pid= broker_names=

broker_lines= # more of its configuration

# In a subshell: the environment of the broker, then the command.
broker_run() {
	folder=$work/broker
	mkdir -p "$folder/log" "$folder/mnesia"
	: >"$folder/none"
	echo '[].' >"$folder/plugins"
	printf '%s\n' "listeners.tcp.1 = 127.0.0.1:$broker_port" 'vm_memory_high_watermark.absolute = 512MB' \
		'disk_free_limit.absolute = 64MB' 'log.console = false' "$broker_lines" >"$folder/rabbitmq.conf"
	export HOME="$folder" RABBITMQ_NODENAME=cairn$$@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 \
		RABBITMQ_NODE_PORT="$broker_port" RABBITMQ_DIST_PORT="$((broker_port + 1))" ERL_EPMD_ADDRESS=127.0.0.1 \
		ERL_EPMD_PORT="$((broker_port + 2))" \
		RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1} +sbwt none' \
		RABBITMQ_MNESIA_BASE="$folder/mnesia" RABBITMQ_LOG_BASE="$folder/log" RABBITMQ_SCHEMA_DIR="$folder/schema" \
		RABBITMQ_PID_FILE="$folder/pid" RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
		RABBITMQ_CONF_ENV_FILE="$folder/none" RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" \
		RABBITMQ_GENERATED_CONFIG_DIR="$folder/gen" RABBITMQ_ADVANCED_CONFIG_FILE="$folder/advanced.config"
	exec "$@"
}

broker_answers() {
	"$LETTERS" "$url" count 'no such queue' 2>&1 | grep -q 'count: the broker refuses'
}

broker_start() {
	if [ -z "$broker_names" ]; then
		(broker_run epmd -address 127.0.0.1 -port $((broker_port + 2))) >/dev/null 2>&1 &
		broker_names=$!
	fi
	rm -f "$work/broker/pid"
	(broker_run setsid "$broker_script") >"$work/broker.out" 2>&1 &
	broker_turn=0
	until broker_answers; do
		sleep 0.3
		broker_turn=$((broker_turn + 1))
		[ $broker_turn -lt 400 ] || {
			echo "the broker does not start: $(tail -n 5 "$work/broker.out")"
			exit 2
		}
	done
	broker_pid=$(cat "$work/broker/pid")
}

broker_kill() {
	kill -9 "$broker_pid" 2>/dev/null
	while kill -0 "$broker_pid" 2>/dev/null; do sleep 0.1; done
}

broker_stop() {
	[ -z "$broker_pid" ] || broker_kill
	[ -z "$broker_names" ] || kill -9 "$broker_names" 2>/dev/null
	broker_pid= broker_names=
}

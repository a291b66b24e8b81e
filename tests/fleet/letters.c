/* SPDX-License-Identifier: MIT */
/*
 * Sends messages to a queue and takes them out again, so that a test sees bodies and headers as they are.
 *
 *	letters URL send QUEUE           each line of standard input is a message, confirmed before the program ends
 *	letters URL whole QUEUE          all of standard input is one
 *	letters URL nested QUEUE DEPTH   one with a header of so many arrays in each other
 *	letters URL take QUEUE COUNT     prints COUNT bodies, a line each; status 1 when none has come for 30 s
 *	letters URL look QUEUE COUNT     the same with what cairn says in headers: REASON<tab>ATTEMPTS<tab>CRASHES<tab>BODY
 *	letters URL count QUEUE          prints how many messages are there
 */
#define _DEFAULT_SOURCE /* struct timeval */
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { CHANNEL = 1, FRAME = 131072, WAIT = 30, UNCONFIRMED = 500 };

static amqp_connection_state_t state;

static void check(amqp_rpc_reply_t reply, const char *what)
{
	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return;
	fprintf(stderr, "letters: %s: %s\n", what,
	        reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION
	                ? amqp_error_string2(reply.library_error)
	                : "the broker refuses");
	exit(2);
}

static void connect_broker(char *url)
{
	struct amqp_connection_info info;

	state = amqp_new_connection();
	if (amqp_parse_url(url, &info) != AMQP_STATUS_OK ||
	    amqp_socket_open(amqp_tcp_socket_new(state), info.host, info.port) != AMQP_STATUS_OK) {
		fprintf(stderr, "letters: cannot connect\n");
		exit(2);
	}
	check(amqp_login(state, info.vhost, 0, FRAME, 0, AMQP_SASL_METHOD_PLAIN, info.user,
	                 info.password),
	      "log in");
	amqp_channel_open(state, CHANNEL);
	check(amqp_get_rpc_reply(state), "channel");
}

/* Waits until the broker has confirmed up to a number. */
static void await_confirmed(uint64_t *confirmed, uint64_t number)
{
	struct timeval time = { WAIT, 0 };
	amqp_frame_t frame;

	while (*confirmed < number) {
		amqp_maybe_release_buffers(state);
		if (amqp_simple_wait_frame_noblock(state, &frame, &time) != AMQP_STATUS_OK ||
		    frame.frame_type != AMQP_FRAME_METHOD ||
		    frame.payload.method.id != AMQP_BASIC_ACK_METHOD) {
			fprintf(stderr, "letters: not confirmed\n");
			exit(2);
		}
		const amqp_basic_ack_t *ack = frame.payload.method.decoded;
		/* they may come in any order, and then the count is what is known */
		*confirmed = ack->multiple ? ack->delivery_tag : *confirmed + 1;
	}
}

static void send_body(const char *queue, amqp_bytes_t body, const amqp_table_t *headers)
{
	amqp_basic_properties_t properties = { ._flags = AMQP_BASIC_DELIVERY_MODE_FLAG,
		                               .delivery_mode = AMQP_DELIVERY_PERSISTENT };

	if (headers) {
		properties._flags |= AMQP_BASIC_HEADERS_FLAG;
		properties.headers = *headers;
	}
	if (amqp_basic_publish(state, CHANNEL, amqp_empty_bytes, amqp_cstring_bytes(queue), 1, 0,
	                       &properties, body) != AMQP_STATUS_OK) {
		fprintf(stderr, "letters: cannot send\n");
		exit(2);
	}
}

static void send_lines(const char *queue)
{
	uint64_t sent = 0, confirmed = 0;
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;

	while ((size = getline(&line, &capacity, stdin)) > 0) {
		size -= line[size - 1] == '\n';
		send_body(queue, (amqp_bytes_t){ (size_t)size, line }, NULL);
		if (++sent - confirmed > UNCONFIRMED)
			await_confirmed(&confirmed, sent - UNCONFIRMED / 2);
	}
	await_confirmed(&confirmed, sent);
	free(line);
}

static void send_whole(const char *queue)
{
	uint64_t confirmed = 0;
	size_t size = 0, capacity = 0, got;
	char *body = NULL;

	do {
		if (capacity - size < FRAME) {
			capacity = capacity * 2 + FRAME;
			body = realloc(body, capacity);
			if (!body)
				exit(2);
		}
		got = fread(body + size, 1, capacity - size, stdin);
		size += got;
	} while (got > 0);
	send_body(queue, (amqp_bytes_t){ size, body }, NULL);
	await_confirmed(&confirmed, 1);
	free(body);
}

static void send_nested(const char *queue, size_t depth)
{
	amqp_field_value_t *values = calloc(depth + 1, sizeof(*values));
	amqp_table_entry_t entry = { .key = amqp_cstring_bytes("deep") };
	const amqp_table_t headers = { 1, &entry };
	uint64_t confirmed = 0;

	if (!values)
		exit(2);
	values[0].kind = AMQP_FIELD_KIND_BOOLEAN;
	for (size_t i = 1; i <= depth; i++) {
		values[i].kind = AMQP_FIELD_KIND_ARRAY;
		values[i].value.array = (amqp_array_t){ 1, &values[i - 1] };
	}
	entry.value = values[depth];
	send_body(queue, amqp_cstring_bytes("{\"frames\":[]}"), &headers);
	await_confirmed(&confirmed, 1);
	free(values);
}

static void print_header(const amqp_table_t *headers, const char *name)
{
	for (int i = 0; i < headers->num_entries; i++) {
		const amqp_table_entry_t *entry = &headers->entries[i];
		if (entry->key.len != strlen(name) ||
		    memcmp(entry->key.bytes, name, entry->key.len) != 0)
			continue;
		if (entry->value.kind == AMQP_FIELD_KIND_UTF8)
			fwrite(entry->value.value.bytes.bytes, 1, entry->value.value.bytes.len,
			       stdout);
		else if (entry->value.kind == AMQP_FIELD_KIND_I32)
			printf("%d", (int)entry->value.value.i32);
		else
			printf("(kind %d)", entry->value.kind);
	}
	putchar('\t');
}

static void print_message(const amqp_envelope_t *envelope, bool with_headers)
{
	const amqp_basic_properties_t *properties = &envelope->message.properties;
	const amqp_table_t none = { 0, NULL };
	const amqp_table_t headers =
		properties->_flags & AMQP_BASIC_HEADERS_FLAG ? properties->headers : none;

	if (with_headers) {
		print_header(&headers, "cairn-reason");
		print_header(&headers, "cairn-attempts");
		print_header(&headers, "cairn-crashes");
	}
	fwrite(envelope->message.body.bytes, 1, envelope->message.body.len, stdout);
	putchar('\n');
}

static int take_bodies(const char *queue, uint64_t count, bool with_headers)
{
	struct timeval time = { WAIT, 0 };
	amqp_envelope_t envelope;

	amqp_basic_qos(state, CHANNEL, 0, 100, 0);
	check(amqp_get_rpc_reply(state), "limit");
	amqp_basic_consume(state, CHANNEL, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0,
	                   amqp_empty_table);
	check(amqp_get_rpc_reply(state), "consume");
	for (; count > 0; count--) {
		amqp_maybe_release_buffers(state);
		if (amqp_consume_message(state, &envelope, &time, 0).reply_type !=
		    AMQP_RESPONSE_NORMAL) {
			fprintf(stderr, "letters: %llu did not come\n", (unsigned long long)count);
			return 1;
		}
		print_message(&envelope, with_headers);
		if (fflush(stdout) != 0)
			return 2;
		amqp_basic_ack(state, CHANNEL, envelope.delivery_tag, 0);
		amqp_destroy_envelope(&envelope);
	}
	return 0;
}

static void print_count(const char *queue)
{
	const amqp_queue_declare_ok_t *answer = amqp_queue_declare(
		state, CHANNEL, amqp_cstring_bytes(queue), 1, 0, 0, 0, amqp_empty_table);

	check(amqp_get_rpc_reply(state), "count");
	printf("%u\n", answer->message_count);
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 4)
		return 2;
	connect_broker(argv[1]);
	amqp_confirm_select(state, CHANNEL);
	check(amqp_get_rpc_reply(state), "confirm");
	if (strcmp(argv[2], "send") == 0)
		send_lines(argv[3]);
	else if (strcmp(argv[2], "whole") == 0)
		send_whole(argv[3]);
	else if (strcmp(argv[2], "count") == 0)
		print_count(argv[3]);
	else if (argc > 4 && strcmp(argv[2], "nested") == 0)
		send_nested(argv[3], (size_t)strtoul(argv[4], NULL, 10));
	else if (argc > 4)
		status = take_bodies(argv[3], strtoul(argv[4], NULL, 10), argv[2][0] == 'l');
	amqp_connection_close(state, AMQP_REPLY_SUCCESS);
	amqp_destroy_connection(state);
	return status;
}

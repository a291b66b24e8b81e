/* SPDX-License-Identifier: MIT */
/*
 * A client of an AMQP 0-9-1 broker such as RabbitMQ, through librabbitmq. Requests come from one
 * queue, and messages are sent to other queues. The client uses two connections, one to receive and
 * one to send, because a broker that runs out of memory blocks sending connections, and received
 * requests must still be acknowledged. Only broker_open() and broker_close() block. Memory is
 * bounded: bodies beyond BROKER_REQUEST_MAX are truncated.
 *
 *	if (!broker_open(&options, &broker, message))
 *		... wait and try again
 *	while (broker_read(broker, BROKER_TAKING | BROKER_SENDING, &events, context, message))
 *		... broker_send(), broker_acknowledge(), poll(broker_descriptor())
 *	broker_close(broker, false);
 *
 * After any failure the struct broker is unusable: its tags are invalid, and unacknowledged
 * requests are delivered again when a new broker is opened.
 */
#ifndef CAIRN_SERVER_AMQP_BROKER_H
#define CAIRN_SERVER_AMQP_BROKER_H

#include <cairn.h>

enum {
	/* maximum size of a request in bytes; a report contains up to 16 MiB of threads */
	BROKER_REQUEST_MAX = 16 << 20,
	/* number of bytes to keep from the start of a body that is too long */
	BROKER_HEAD_MAX = 64 << 10,
	BROKER_PREFETCH_MAX = 256,
	BROKER_QUEUES_MAX = 16,
	BROKER_NAME_MAX = 255, /* maximum length of a queue name in AMQP */
	/* highest count that cairn writes to a message header */
	BROKER_ATTEMPTS_MAX = 1000,
	/* maximum number of deliveries per request, if cairn declares the request queue */
	BROKER_RESEND_MAX = 20,
	BROKER_SECONDS = 10, /* time limit for each step of opening and closing */
	/* maximum size of a frame in bytes; RabbitMQ's default */
	BROKER_FRAME_MAX = 131072,
	BROKER_MESSAGE_MAX = 512,
};

/*
 * Message headers that cairn adds: the number of retries, the number of crashed child processes,
 * and the reason for a dead letter.
 */
#define BROKER_ATTEMPTS "cairn-attempts"
#define BROKER_CRASHES "cairn-crashes"
#define BROKER_REASON "cairn-reason"

struct broker_queue {
	const char *name;
	unsigned delay;   /* seconds before messages move to queue `next`; 0 disables the delay */
	const char *next; /* queue to which rejected and delayed messages move; may be NULL */
};

struct broker_options {
	const char *url;
	/* file with CA certificates for amqps; NULL selects the system's file */
	const char *ca_file;
	/*
	 * requests are received from the first queue; all queues must exist unless `declare` is set
	 */
	const struct broker_queue *queues;
	size_t queue_count;
	bool declare; /* create the queues; fails if they exist with different arguments */
	unsigned prefetch, heartbeat; /* `heartbeat` is in seconds */
};

/* the received message's properties, which are forwarded with its body */
struct broker_origin;
void broker_origin_free(struct broker_origin *origin);

struct broker_request {
	uint64_t tag;
	uint8_t *body; /* allocated with malloc(), with a newline appended; the receiver frees it */
	size_t size;   /* size of the body in bytes, not counting the newline */
	/* original size of the body, which exceeds `size` if the body was truncated */
	uint64_t whole_size;
	bool was_delivered;
	unsigned attempts, crashes;
	struct broker_origin *origin; /* properties to forward; NULL if there are none */
};

struct broker_message {
	const char *queue;
	struct cairn_bytes body;
	struct cairn_bytes id; /* message ID; if empty, the message ID in `origin` is used */
	const struct broker_origin *origin;
	unsigned attempts, crashes;
	const char *reason;
};

struct broker_events {
	/* Handle a received request. The callback takes ownership of its body and origin. */
	void (*request)(void *context, struct broker_request *request);
	/*
	 * Handle the confirmation of message number `message`, or of all messages up to it if
	 * `multiple`. `kept` is false if the queue was full and rejected the message.
	 */
	void (*confirm)(void *context, uint64_t message, bool multiple, bool kept);
};

struct broker;

bool broker_check_url(const char *url, char message[BROKER_MESSAGE_MAX]);

bool broker_open(const struct broker_options *options, struct broker **broker,
                 char message[BROKER_MESSAGE_MAX]);

/* Return the number of messages in the first queue when the broker was opened. */
uint64_t broker_waiting(const struct broker *broker);

/* Return the socket of the receiving (0) or sending (1) connection. */
int broker_descriptor(const struct broker *broker, unsigned which);

enum { BROKER_TAKING = 1 << 0, BROKER_SENDING = 1 << 1 };

/*
 * Read all data that has arrived on the given connections, and send heartbeats. Call it at least
 * once a second for each connection. Returns false and writes the reason if a connection is lost.
 */
bool broker_read(struct broker *broker, unsigned which, const struct broker_events *events,
                 void *context, char message[BROKER_MESSAGE_MAX]);

/* Return true if librabbitmq has buffered data, which poll() does not report. */
bool broker_has_more(const struct broker *broker);

/* Return true if the broker blocks senders because it has run out of memory or disk space. */
bool broker_is_blocked(const struct broker *broker);

/* Begin or end a batch. Messages in a batch share network packets. */
void broker_collect(struct broker *broker, bool collects);

/*
 * Send a message and set *number to its sequence number. The message has been stored once the
 * broker confirms this number. Returns false if the connection is lost.
 */
bool broker_send(struct broker *broker, const struct broker_message *message, uint64_t *number);

bool broker_acknowledge(struct broker *broker, uint64_t tag, bool multiple);

/* Reject a request, which the broker then moves to the dead-letter queue. */
bool broker_reject(struct broker *broker, uint64_t tag);

/* Stop receiving new requests. broker_read() still delivers requests that have already arrived. */
bool broker_cancel(struct broker *broker);

/* Close the connections. With `politely`, performs the closing handshake, which may block. */
void broker_close(struct broker *broker, bool politely);

#endif

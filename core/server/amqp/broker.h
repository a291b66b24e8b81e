/* SPDX-License-Identifier: MIT */
/*
 * A client of an AMQP 0-9-1 broker such as RabbitMQ, through librabbitmq. Requests come from one
 * queue, and messages are sent to others. It uses two connections, one to receive and one to send,
 * because a broker that is short of memory blocks connections that send, and received requests must
 * be acknowledged nevertheless. Only broker_open() and broker_close() block. Memory is bounded:
 * bodies beyond BROKER_REQUEST_MAX are truncated.
 *
 *	if (!broker_open(&options, &broker, message))
 *		... wait and try again
 *	while (broker_read(broker, BROKER_TAKING | BROKER_SENDING, &events, context, message))
 *		... broker_send(), broker_acknowledge(), poll(broker_descriptor())
 *	broker_close(broker, false);
 *
 * After any failure the broker is unusable: its tags are invalid, and unacknowledged requests are
 * delivered again by the next one.
 */
#ifndef CAIRN_SERVER_AMQP_BROKER_H
#define CAIRN_SERVER_AMQP_BROKER_H

#include <cairn.h>

enum {
	BROKER_REQUEST_MAX = 16 << 20, /* bytes of a request; a report has 16 MiB of threads */
	BROKER_HEAD_MAX = 64 << 10,    /* bytes that are kept of a longer body */
	BROKER_PREFETCH_MAX = 256,
	BROKER_QUEUES_MAX = 16,
	BROKER_NAME_MAX = 255, /* bytes of a queue name, the limit of AMQP */
	/* maximum count in a message header; cairn does not write larger values */
	BROKER_ATTEMPTS_MAX = 1000,
	BROKER_RESEND_MAX = 20,    /* delivery limit of a queue declared here */
	BROKER_SECONDS = 10,       /* limit for each step of opening and closing */
	BROKER_FRAME_MAX = 131072, /* bytes; the size that RabbitMQ offers */
	BROKER_MESSAGE_MAX = 512,
};

/*
 * Headers that cairn adds to a message: the number of retries, the number of crashed readers, and
 * the reason of a dead letter.
 */
#define BROKER_ATTEMPTS "cairn-attempts"
#define BROKER_CRASHES "cairn-crashes"
#define BROKER_REASON "cairn-reason"

struct broker_queue {
	const char *name;
	unsigned delay;   /* seconds until messages of the queue move to `next`; 0: no limit */
	const char *next; /* queue for rejected and delayed messages; may be NULL */
};

struct broker_options {
	const char *url;                   /* amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps:// */
	const char *ca_file;               /* CA certificates for amqps; NULL: the system's */
	const struct broker_queue *queues; /* the first has the requests; all must exist */
	size_t queue_count;
	bool declare;                 /* create queues; fails if they exist with other arguments */
	unsigned prefetch, heartbeat; /* `heartbeat` in seconds */
};

/* The properties of a received message, which are forwarded with its body. */
struct broker_origin;
void broker_origin_free(struct broker_origin *origin);

struct broker_request {
	uint64_t tag;
	uint8_t *body;       /* allocated with malloc(), plus a newline; freed by the receiver */
	size_t size;         /* bytes of the body without the newline */
	uint64_t whole_size; /* more than `size` if the body exceeds BROKER_REQUEST_MAX */
	bool was_delivered;
	unsigned attempts, crashes;
	struct broker_origin *origin; /* NULL: the message has no properties */
};

struct broker_message {
	const char *queue;
	struct cairn_bytes body;
	struct cairn_bytes id; /* message ID; empty: the origin's ID */
	const struct broker_origin *origin;
	unsigned attempts, crashes;
	const char *reason;
};

/* Callbacks of broker_read(), with its `context`. */
struct broker_events {
	/* Receive a request. The callback takes ownership of its body and origin. */
	void (*request)(void *context, struct broker_request *request);
	/*
	 * Receive the confirmation of a sent message; `kept` is false if its queue is full.
	 * `multiple`: all messages up to this one.
	 */
	void (*confirm)(void *context, uint64_t message, bool multiple, bool kept);
};

struct broker;

/* Return true if the string is a URL of a broker. Otherwise writes the reason to `message`. */
bool broker_check_url(const char *url, char message[BROKER_MESSAGE_MAX]);

/* Connect. Returns false, with the reason in `message`, on failure or if a queue does not exist. */
bool broker_open(const struct broker_options *options, struct broker **broker,
                 char message[BROKER_MESSAGE_MAX]);

/* Return the number of messages in the first queue when it was opened. */
uint64_t broker_waiting(const struct broker *broker);

/* Return the socket of the receiving (0) or the sending (1) connection. */
int broker_descriptor(const struct broker *broker, unsigned which);

enum { BROKER_TAKING = 1 << 0, BROKER_SENDING = 1 << 1 };

/*
 * Read everything that has arrived on the given connections, and send heartbeats. Call it at least
 * once a second for each connection. Returns false, with the reason, if the connection is lost.
 */
bool broker_read(struct broker *broker, unsigned which, const struct broker_events *events,
                 void *context, char message[BROKER_MESSAGE_MAX]);

/* Return true if librabbitmq has buffered data, which poll() does not report. */
bool broker_has_more(const struct broker *broker);

/* Return true if the broker currently blocks senders because its memory or disk is short. */
bool broker_is_blocked(const struct broker *broker);

/* Begin or end a batch: messages sent between the two calls share packets. */
void broker_collect(struct broker *broker, bool collects);

/*
 * Send a message. The broker has stored the message when it confirms *number. Returns false if the
 * connection is lost.
 */
bool broker_send(struct broker *broker, const struct broker_message *message, uint64_t *number);

bool broker_acknowledge(struct broker *broker, uint64_t tag, bool multiple);

/* Reject a request. The broker moves it to the dead-letter queue of the queue it came from. */
bool broker_reject(struct broker *broker, uint64_t tag);

/* Stop receiving new requests. Requests that have arrived are still read. */
bool broker_cancel(struct broker *broker);

/* Close the connections. `politely` performs the closing handshake, which may block. */
void broker_close(struct broker *broker, bool politely);

#endif

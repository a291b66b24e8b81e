/* SPDX-License-Identifier: MIT */
/*
 * A broker that speaks AMQP 0-9-1, such as RabbitMQ, through librabbitmq: requests come from one queue, and letters go to others. There
 * are two connections, one to take and one to send, because a broker that is short of memory stops those that send, and what is
 * taken must be acknowledged all the same. Nothing here waits but broker_open() and broker_close(). What comes is bounded: a body
 * above BROKER_REQUEST_MAX is passed over.
 *
 *	if (!broker_open(&options, &broker, message))
 *		... wait and try again
 *	while (broker_read(broker, BROKER_TAKING | BROKER_SENDING, &events, context, message))
 *		... broker_send(), broker_acknowledge(), poll(broker_descriptor())
 *	broker_close(broker, false);
 *
 * After any failure a broker is dead: its tags are void, and what was not acknowledged comes again from the next one.
 */
#ifndef CAIRN_SERVER_AMQP_BROKER_H
#define CAIRN_SERVER_AMQP_BROKER_H

#include <cairn.h>

enum {
	BROKER_REQUEST_MAX = 16 << 20, /* bytes of a request; a report has 16 MiB of threads */
	BROKER_HEAD_MAX = 64 << 10,    /* bytes that are kept of a body that is longer */
	BROKER_PREFETCH_MAX = 256,     /* requests that are held at a time */
	BROKER_QUEUES_MAX = 16,
	BROKER_NAME_MAX = 255,      /* bytes of a queue's name, as AMQP has it */
	BROKER_ATTEMPTS_MAX = 1000, /* a header that says more is of somebody else */
	BROKER_RESEND_MAX = 20,     /* deliveries of a queue that is declared here */
	BROKER_SECONDS = 10,        /* that any step of opening and closing may take */
	BROKER_FRAME_MAX = 131072,  /* bytes; what RabbitMQ offers */
	BROKER_MESSAGE_MAX = 512,
};

/* The headers that cairn gives a message: how often it was tried again, how often its reader died of it, why it is a dead letter. */
#define BROKER_ATTEMPTS "cairn-attempts"
#define BROKER_CRASHES "cairn-crashes"
#define BROKER_REASON "cairn-reason"

struct broker_queue {
	const char *name;
	unsigned delay;   /* seconds after which its messages go to `next`; 0: they stay */
	const char *next; /* where messages go that are rejected or have waited; NULL: nowhere */
};

struct broker_options {
	const char *url;                   /* amqp://USER:PASSWORD@HOST:PORT/VHOST, or amqps:// */
	const char *ca_file;               /* of amqps; NULL: the system's */
	const struct broker_queue *queues; /* the first has the requests; all must be there */
	size_t queue_count;
	bool declare; /* makes the queues, unless they are there with the same arguments */
	unsigned prefetch, heartbeat; /* seconds */
};

/* The properties of a message, which are passed on with its body. */
struct broker_origin;
void broker_origin_free(struct broker_origin *origin);

struct broker_request {
	uint64_t tag;
	uint8_t *body;       /* of malloc(), with a line end after it; whoever takes it frees it */
	size_t size;         /* of the body, without the line end */
	uint64_t whole_size; /* more than `size`: it is above BROKER_REQUEST_MAX */
	bool was_delivered;  /* once before, at least */
	unsigned attempts, crashes;
	struct broker_origin *origin; /* NULL: it has only a body */
};

struct broker_letter {
	const char *queue;
	struct cairn_bytes body;
	struct cairn_bytes id; /* of the message; empty: that of the origin */
	const struct broker_origin *origin;
	unsigned attempts, crashes;
	const char *reason; /* NULL: none */
};

/* What has come; `context` is that of broker_read(). */
struct broker_events {
	/* Takes the request with its body and origin. */
	void (*request)(void *context, struct broker_request *request);
	/* A letter is kept, or not (the queue is full); `multiple`: all up to this one. */
	void (*confirm)(void *context, uint64_t letter, bool multiple, bool kept);
};

struct broker;

/* Are these words a URL of a broker? False with words for people. */
bool broker_check_url(const char *url, char message[BROKER_MESSAGE_MAX]);

/* False with words for people, also when a queue is not there. */
bool broker_open(const struct broker_options *options, struct broker **broker,
                 char message[BROKER_MESSAGE_MAX]);

/* How many messages the first queue had before any was taken. */
uint64_t broker_waiting(const struct broker *broker);

/* 0 is the connection that takes, 1 the one that sends. */
int broker_descriptor(const struct broker *broker, unsigned which);

/* Which of the two connections. */
enum { BROKER_TAKING = 1 << 0, BROKER_SENDING = 1 << 1 };

/* Reads all that has come on some connections, and sends heartbeats; each is to be read at least once a second. False: the broker is gone. */
bool broker_read(struct broker *broker, unsigned which, const struct broker_events *events,
                 void *context, char message[BROKER_MESSAGE_MAX]);

/* Something has come that broker_read() has not seen, which poll() cannot tell. */
bool broker_has_more(const struct broker *broker);

/* The broker wants no letters now, because its memory or disk is short. */
bool broker_is_blocked(const struct broker *broker);

/* Letters between these two go out together. */
void broker_collect(struct broker *broker, bool collects);

/* Sends a letter, which is kept when a confirmation of *number has come. False: the broker is gone. */
bool broker_send(struct broker *broker, const struct broker_letter *letter, uint64_t *number);

bool broker_acknowledge(struct broker *broker, uint64_t tag, bool multiple);

/* The request goes where its queue sends what is rejected. */
bool broker_reject(struct broker *broker, uint64_t tag);

/* Takes no more; what has come already is still read. */
bool broker_cancel(struct broker *broker);

/* Politely: says good-bye, for which it may wait. */
void broker_close(struct broker *broker, bool politely);

#endif

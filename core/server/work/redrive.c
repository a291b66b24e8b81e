/* SPDX-License-Identifier: MIT */
/* Sends dead letters to the queue of requests, and acknowledges each once it is stored there. */
#include "redrive.h"

#include "os/channel.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 64, TURN = 200, IDLE = 5000 /* milliseconds without messages until the end */ };

struct redrive {
	const struct redrive_options *options;
	struct broker *broker;
	struct {
		uint64_t tag, letter;
	} held[HELD_MAX]; /* sent and not yet confirmed */
	size_t held_count;
	uint64_t wanted, taken, moved, last; /* `last`: time of the latest message */
	bool is_gone, is_full;
};

/*
 * Forward a dead letter. Surplus messages stay unacknowledged and return to their queue when the
 * connection ends.
 */
static void take_dead_letter(void *context, struct broker_request *request)
{
	struct redrive *r = context;
	struct broker_letter letter = { .queue = r->options->requests,
		                        .body = { request->body, request->size },
		                        .origin = request->origin };
	uint64_t number = 0;

	r->last = channel_clock();
	if (r->taken < r->wanted && r->held_count < HELD_MAX && !r->is_full) {
		r->taken++;
		r->is_gone = r->is_gone || !broker_send(r->broker, &letter, &number);
		r->held[r->held_count].tag = request->tag;
		r->held[r->held_count++].letter = number;
	}
	free(request->body);
	broker_origin_free(request->origin);
}

static void confirm_dead_letter(void *context, uint64_t letter, bool multiple, bool kept)
{
	struct redrive *r = context;
	size_t out = 0;

	r->last = channel_clock();
	for (size_t i = 0; i < r->held_count; i++) {
		const bool is_meant =
			r->held[i].letter == letter || (multiple && r->held[i].letter < letter);
		if (!is_meant) {
			r->held[out++] = r->held[i];
		} else if (kept) {
			r->moved++;
			r->is_gone =
				r->is_gone || !broker_acknowledge(r->broker, r->held[i].tag, false);
		} else {
			r->is_full = true;
		}
	}
	r->held_count = out;
}

static bool is_over(const struct redrive *r)
{
	const struct timespec none = { 0, 0 };

	if (r->is_gone || (r->held_count == 0 && (r->is_full || r->moved >= r->wanted)))
		return true;
	/* the missing messages may have been taken by another process */
	if (r->held_count == 0 && channel_clock() - r->last > IDLE)
		return true;
	return sigtimedwait(r->options->ends, NULL, &none) > 0;
}

static bool move_letters(struct redrive *r, char message[BROKER_MESSAGE_MAX])
{
	static const struct broker_events events = { take_dead_letter, confirm_dead_letter };

	r->wanted = broker_waiting(r->broker);
	if (r->options->most > 0 && r->options->most < r->wanted)
		r->wanted = r->options->most;
	r->last = channel_clock();
	while (!is_over(r)) {
		struct pollfd fds[2] = { { broker_descriptor(r->broker, 0), POLLIN, 0 },
			                 { broker_descriptor(r->broker, 1), POLLIN, 0 } };
		if (!broker_has_more(r->broker))
			(void)poll(fds, 2, TURN);
		if (!broker_read(r->broker, BROKER_TAKING | BROKER_SENDING, &events, r, message))
			return false;
	}
	if (r->is_gone || r->is_full)
		snprintf(message, BROKER_MESSAGE_MAX, "%s",
		         r->is_gone ? "the broker is gone" : "the queue of requests is full");
	return !r->is_gone && !r->is_full;
}

bool redrive_run(const struct redrive_options *options, uint64_t *moved,
                 char message[BROKER_MESSAGE_MAX])
{
	const struct broker_queue queues[] = { { options->dead, 0, NULL },
		                               { options->requests, 0, NULL } };
	const struct broker_options broker = { .url = options->url,
		                               .ca_file = options->ca_file,
		                               .queues = queues,
		                               .queue_count = 2,
		                               .prefetch = HELD_MAX,
		                               .heartbeat = options->heartbeat };
	struct redrive r = { .options = options };

	*moved = 0;
	if (!broker_open(&broker, &r.broker, message))
		return false;
	const bool good = move_letters(&r, message);
	*moved = r.moved;
	broker_close(r.broker, good);
	return good;
}

/* SPDX-License-Identifier: MIT */
/*
 * Decides what happens to a request after an attempt, from its result, the number of earlier
 * attempts, and the number of delay queues.
 */
#ifndef CAIRN_SERVICE_QUEUE_VERDICT_H
#define CAIRN_SERVICE_QUEUE_VERDICT_H

#include "requests/request.h"

enum {
	VERDICT_CRASHES = 3, /* crashes until a request becomes a dead letter */
	VERDICT_DELAYS_MAX = 8,
};

enum verdict_kind {
	VERDICT_ANSWER,
	VERDICT_LATER, /* put the request into delay queue number `delay` */
	VERDICT_AGAIN, /* try again soon, behind other requests */
	VERDICT_DEAD,
};

/* Earlier attempts and crashes, and the number of delay queues. */
struct verdict_past {
	unsigned attempts, crashes, delays;
};

struct verdict {
	enum verdict_kind kind;
	unsigned delay;
	struct verdict_past past; /* counts to store with the request for its next attempt */
};

struct verdict verdict_of_result(enum request_result result, struct verdict_past past);

struct verdict verdict_of_crash(struct verdict_past past);

#endif

/* SPDX-License-Identifier: MIT */
/* What is to be done with a request after it was tried: a function of what became of it, how often it was tried, and which queues there are. */
#ifndef CAIRN_SERVICE_QUEUE_VERDICT_H
#define CAIRN_SERVICE_QUEUE_VERDICT_H

#include "requests/request.h"

enum {
	VERDICT_CRASHES = 3,    /* of its reader, after which a request is a dead letter */
	VERDICT_DELAYS_MAX = 8, /* queues that delay */
};

enum verdict_kind {
	VERDICT_ANSWER, /* the answer is sent */
	VERDICT_LATER,  /* the request goes into the queue with the delay of a number */
	VERDICT_AGAIN,  /* it is tried again at once, behind others */
	VERDICT_DEAD,
};

/* How often a request was tried before, and how many queues delay. */
struct verdict_past {
	unsigned attempts, crashes, delays;
};

struct verdict {
	enum verdict_kind kind;
	unsigned delay;
	struct verdict_past past; /* as the next one who tries it has it */
};

/* After an answer. */
struct verdict verdict_of_result(enum request_result result, struct verdict_past past);

/* Its reader ended, or was ended. */
struct verdict verdict_of_crash(struct verdict_past past);

#endif

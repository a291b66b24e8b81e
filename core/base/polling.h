/* SPDX-License-Identifier: MIT */
/*
 * Asks the host now and then, in something that may take long, whether to go on.  The host may leave
 * by an exception: memory that is held at that time is marked WITH_CLEANUP (base/cleanup.h).
 *
 *	struct polling polling = { poll, context, 0 };
 *	... polling_count(&polling, 1) for each record
 */
#ifndef CAIRN_BASE_POLLING_H
#define CAIRN_BASE_POLLING_H

#include <stdint.h>

enum { POLLING_WORK = 1 << 14 }; /* records between two questions: less than 10 ms */

struct polling {
	void (*poll)(void *context); /* may be NULL */
	void *context;
	uint64_t work; /* since the host was asked */
};

/* `polling` may be NULL. */
static inline void polling_count(struct polling *polling, uint64_t work)
{
	if (!polling || !polling->poll)
		return;
	polling->work += work;
	if (polling->work < POLLING_WORK)
		return;
	polling->work = 0;
	polling->poll(polling->context);
}

#endif

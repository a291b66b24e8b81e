/* SPDX-License-Identifier: MIT */
/*
 * Calls the host periodically during long operations. The host may leave by an exception, so memory
 * held during the call is marked WITH_CLEANUP (base/cleanup.h).
 *
 *	struct polling polling = { poll, context, 0 };
 *	... polling_count(&polling, 1) for each record
 */
#ifndef CAIRN_BASE_POLLING_H
#define CAIRN_BASE_POLLING_H

#include <stdint.h>

enum { POLLING_WORK = 1 << 14 }; /* records between two calls: less than 10 ms */

struct polling {
	void (*poll)(void *context);
	void *context;
	uint64_t work;
};

/* Count work, and call the host when it is due. `polling` may be NULL. */
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

/* SPDX-License-Identifier: MIT */
/*
 * Calls the host periodically during long operations. The callback may throw an exception, so
 * variables that own memory during the call must be declared WITH_CLEANUP (base/memory.h).
 *
 *	struct polling polling = { poll, context, 0 };
 *	... polling_count(&polling, 1) for each record
 */
#ifndef CAIRN_BASE_POLLING_H
#define CAIRN_BASE_POLLING_H

#include <stdint.h>

/* number of records to process between two calls; processing them takes less than 10 ms */
enum { POLLING_WORK = 1 << 14 };

struct polling {
	void (*poll)(void *context);
	void *context;
	uint64_t work;
};

/* Count `work` records, and call the host if enough have been processed. `polling` may be NULL. */
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

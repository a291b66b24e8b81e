/* SPDX-License-Identifier: MIT */
/*
 * Module reports of the host, see cairn_space_add_module(). Names and tables in a report are
 * trusted, memory contents are not: target reads are checked as usual.
 */
#ifndef CAIRN_UNWIND_TABLES_HOST_MODULES_H
#define CAIRN_UNWIND_TABLES_HOST_MODULES_H

#include <cairn.h>

#include "base/range.h"

static inline bool reports_cfi(const struct cairn_host_module *told)
{
	return range_size(told->eh_frame_hdr) > 0 || range_size(told->eh_frame) > 0;
}

struct host_module {
	struct cairn_host_module told; /* `name` points to the copy below */
	bool seen;
	char name[];
};

struct host_modules {
	struct host_module **list;
	size_t count, room;
};

/* Add a report unless an equal one exists. Set *report to the existing or new one. */
enum cairn_status host_modules_add(struct host_modules *reports,
                                   const struct cairn_host_module *told,
                                   struct host_module **report);

/*
 * Remove a report that was not seen, and return it for the caller to free. Return NULL if all were
 * seen.
 */
struct host_module *host_modules_remove_unseen(struct host_modules *reports);

/*
 * Return the best report whose range contains `pc`, or NULL. A report with tables is better than
 * one without (symbol files that the user added), a narrow range better than a wide one (files of
 * which only some sections were loaded).
 */
const struct host_module *host_modules_find(const struct host_modules *reports, uint64_t pc);

/* Return the best report, by the same order, that begins in [low, high), or NULL. */
const struct host_module *host_modules_find_within(const struct host_modules *reports, uint64_t low,
                                                   uint64_t high);

void host_modules_finish(struct host_modules *reports);

#endif

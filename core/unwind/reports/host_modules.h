/* SPDX-License-Identifier: MIT */
/*
 * What the host has reported of modules: see cairn_space_add_module().  A report is believed about names and
 * tables, never about memory: whoever uses one reads the target as carefully as ever.
 */
#ifndef CAIRN_UNWIND_REPORTS_HOST_MODULES_H
#define CAIRN_UNWIND_REPORTS_HOST_MODULES_H

#include <cairn.h>

#include "base/range.h"

/* Has the host told where its call frame information is? */
static inline bool reports_cfi(const struct cairn_host_module *told)
{
	return range_size(told->eh_frame_hdr) > 0 || range_size(told->eh_frame) > 0;
}

struct host_module {
	struct cairn_host_module told; /* its name is the one below */
	bool seen;                     /* since the last cairn_space_begin_modules() */
	char name[];                   /* ends with NUL */
};

struct host_modules {
	struct host_module **list;
	size_t count, room;
};

/* *report: an equal one, or a new one. */
enum cairn_status host_modules_add(struct host_modules *reports,
                                   const struct cairn_host_module *told,
                                   struct host_module **report);

/* Take out one that was not seen, for the caller to free; NULL when all were. */
struct host_module *host_modules_remove_unseen(struct host_modules *reports);

/*
 * Of the reports whose range holds `pc` the best, NULL when there is none.  One with tables is
 * better than one without (files of symbols alone that the user added), a narrow range better than
 * a wide one (files of which only some sections were loaded).
 */
const struct host_module *host_modules_find(const struct host_modules *reports, uint64_t pc);

/* Likewise of those that begin in [low, high). */
const struct host_module *host_modules_find_within(const struct host_modules *reports, uint64_t low,
                                                   uint64_t high);

void host_modules_finish(struct host_modules *reports);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the host has told of modules: see cairn_space_add().  A report is believed about names and
 * tables, never about memory: whoever uses one reads the target as carefully as ever.
 */
#ifndef CAIRN_ENGINE_MODULES_HOST_MODULES_H
#define CAIRN_ENGINE_MODULES_HOST_MODULES_H

#include <cairn.h>

struct report {
	struct cairn_report told; /* its name is the one below */
	bool seen;                /* since the last cairn_space_begin() */
	char name[];              /* ends with NUL */
};

struct reports {
	struct report **list;
	size_t count, room;
};

void reports_begin(struct reports *reports);

/* *report: the one that says the same, or a new one. */
enum cairn_status reports_add(struct reports *reports, const struct cairn_report *told,
                              struct report **report);

/* Take out one that was not seen, for the caller to free; NULL when all were. */
struct report *reports_take_unseen(struct reports *reports);

/*
 * Of the reports whose range holds `pc` the best, NULL when there is none.  One with tables is
 * better than one without (files of symbols alone that the user added), a narrow range better than
 * a wide one (files of which only some sections were loaded).
 */
const struct report *reports_at(const struct reports *reports, uint64_t pc);

/* Likewise of those that begin in [low, high). */
const struct report *reports_within(const struct reports *reports, uint64_t low, uint64_t high);

void reports_finish(struct reports *reports);

static inline uint64_t range_size(struct cairn_range range)
{
	return range.low < range.high ? range.high - range.low : 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* The answer of a whole reading of a symbfile, frame by frame, to compare the index with. */
#ifndef CAIRN_TESTS_LIB_SCAN_ANSWER_H
#define CAIRN_TESTS_LIB_SCAN_ANSWER_H

#include "symbols/index.h"

/* The next one that counts from *at downwards, without moving when there is none. */
static inline const struct symbfile_found *next_counting_range(const struct symbfile_scan *scan,
                                                               size_t *at)
{
	size_t i = *at;

	while (i > 0 && !scan->found[i - 1].counts)
		i--;
	if (i == 0)
		return NULL;
	*at = i - 1;
	return &scan->found[i - 1];
}

/* The next frame, innermost first; *at begins as scan->count. */
static inline bool symbfile_scan_next(const struct symbfile_scan *scan, size_t *at,
                                      struct cairn_location *location)
{
	size_t deeper = *at, outer;
	const struct symbfile_found *f = next_counting_range(scan, at), *inner = NULL;

	if (!f)
		return false;
	/* the one inside it, if any, sets where it is */
	while (deeper < scan->count && !inner) {
		if (scan->found[deeper].counts)
			inner = &scan->found[deeper];
		deeper++;
	}
	outer = *at;
	*location = (struct cairn_location){
		.function = f->function,
		.directory = { (const uint8_t *)"", 0 },
		.file = inner && inner->has_call_file ? inner->call_file : f->file,
		.line = inner ? inner->call_line : f->line,
		.start = f->start,
		.inlined = next_counting_range(scan, &outer) != NULL,
	};
	return true;
}

#endif

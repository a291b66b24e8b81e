/* SPDX-License-Identifier: MIT */
/* Shared declarations of the Firefox Profiler writer. */
#ifndef CAIRN_PROFILES_WRITE_FIREFOX_H
#define CAIRN_PROFILES_WRITE_FIREFOX_H

#include "profiles/samples.h"
#include "write.h"

#define FIREFOX_MILLISECOND 1e6 /* in nanoseconds */

/* An occurrence of a sample, with or without a time. */
struct firefox_row {
	uint64_t time;
	size_t number; /* position in the profile, to break ties */
	uint32_t thread, stack;
	int64_t weight;
};

struct firefox_thread {
	int64_t pid, tid;
	struct cairn_bytes name;
};

struct firefox {
	struct profile_writer *w;
	size_t type;
	const char *weight_type;
	uint64_t start; /* time of the first sample in nanoseconds */
	struct string_pool thread_keys, stacks;
	struct firefox_thread *threads; /* indexed by the number in thread_keys */
	size_t thread_count, thread_room;
	struct firefox_row *rows; /* sorted by thread and time */
	size_t row_count, row_room, next_row;
};

/* Write constant JSON with formatted numbers, or an escaped string of the profile. */
__attribute__((format(printf, 2, 3))) void firefox_print(struct profile_writer *w,
                                                         const char *format, ...);
void firefox_text(struct profile_writer *w, struct cairn_bytes text);

bool firefox_take_samples(struct firefox *f);

void firefox_write_thread(struct firefox *f, uint32_t thread);

#endif

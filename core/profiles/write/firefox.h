/* SPDX-License-Identifier: MIT */
/* What the parts of the writer for the Firefox Profiler share. */
#ifndef CAIRN_PROFILES_WRITE_FIREFOX_H
#define CAIRN_PROFILES_WRITE_FIREFOX_H

#include "profiles/samples.h"
#include "write.h"

#define FIREFOX_MILLISECOND 1e6 /* nanoseconds */

/* A sample at one time, or one without a time. */
struct firefox_row {
	uint64_t time;
	size_t number; /* in the profile */
	uint32_t thread, stack;
	int64_t weight;
};

struct firefox_thread {
	int64_t pid, tid;
	struct cairn_bytes name; /* of the profile */
};

struct firefox {
	struct profile_writer *w;
	size_t type;
	const char *weight_type;
	uint64_t start; /* of the first sample, in nanoseconds */
	struct string_pool thread_keys, stacks;
	struct firefox_thread *threads; /* by their number in thread_keys */
	size_t thread_count, thread_room;
	struct firefox_row *rows; /* in the order of threads and times */
	size_t row_count, row_room, next_row;
};

/* A piece of JSON, without texts of the profile; and one of these. */
__attribute__((format(printf, 2, 3))) void firefox_print(struct profile_writer *w,
                                                         const char *format, ...);
void firefox_text(struct profile_writer *w, struct cairn_bytes text);

/* Reads all samples; false: memory is short. */
bool firefox_take_samples(struct firefox *f);

/* Writes a thread, with its tables. */
void firefox_write_thread(struct firefox *f, uint32_t thread);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The workers of a service, as those see them who ask. Each build belongs to one of them, so that its files are read once, by one
 * process at a time, and are in memory once. Any thread may ask; each waits until its own moment, and no longer. The crew is started before the first thread.
 *
 *	struct crew *crew = crew_start(&options);
 *	enum query_outcome outcome = crew_ask(crew, &query, until);
 *	crew_stop(crew);
 */
#ifndef CAIRN_SERVICE_WORKERS_CREW_H
#define CAIRN_SERVICE_WORKERS_CREW_H

#include "formats/elf/places.h"
#include "service/query/query.h"
#include "worker.h"

enum {
	CREW_WORKERS = 4, /* unless an option sets another */
	CREW_WORKERS_MAX = 64,
	CREW_FETCHERS = 4, /* processes that ask debuginfod */
};

struct crew_options {
	struct worker_options worker;
	unsigned workers;
	unsigned seconds; /* that a worker may take for one question */
	bool use_debuginfod;
	unsigned fetch_seconds; /* that debuginfod may take for one file */
};

struct crew_counts {
	uint64_t hits, misses, negatives,
		errors;        /* modules: read before or not at all; see docs/service.md */
	uint64_t replaced;     /* workers that have ended, or were */
	uint64_t resident;     /* bytes of memory of all workers */
	uint64_t opened_bytes; /* of files that workers have opened */
};

struct crew;

/* NULL: a process could not be started, or memory is short. `options` is copied, its texts are borrowed. */
struct crew *crew_start(const struct crew_options *options);
void crew_stop(struct crew *crew);

/* Return false if workers that end can no longer be replaced. */
bool crew_is_alive(const struct crew *crew);

/* Answers a query; modules that are not answered have no calls. `until`: milliseconds of channel_clock(). */
enum query_outcome crew_ask(struct crew *crew, struct query *query, uint64_t until);

/* Where the segments of a module's program are; false: there is none, or nobody could tell. */
bool crew_find_places(struct crew *crew, const struct query_module *module,
                      struct elf_places *places, uint64_t until);

/* Opens a file of a module: its own or its debug file; -1: there is none, or nobody could tell. */
int crew_open_file(struct crew *crew, const struct query_module *module, bool debug,
                   uint64_t until);

struct crew_counts crew_count(struct crew *crew);

#endif

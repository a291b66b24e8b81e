/* SPDX-License-Identifier: MIT */
/*
 * The worker pool of a service, as seen by its request threads. Each build is assigned to one
 * worker, so that its files are read and kept in memory once. Any thread may call crew_ask(); each
 * call has its own deadline. Start the crew before the first thread.
 *
 *	struct crew *crew = crew_start(&options);
 *	enum query_outcome outcome = crew_ask(crew, &query, until);
 *	crew_stop(crew);
 */
#ifndef CAIRN_SERVICE_WORKER_POOL_H
#define CAIRN_SERVICE_WORKER_POOL_H

#include "formats/elf/elf.h"
#include "service/query.h"
#include "worker.h"

enum {
	CREW_WORKERS = 4, /* default number of workers */
	CREW_WORKERS_MAX = 64,
	CREW_FETCHERS = 4, /* processes that query debuginfod */
};

struct crew_options {
	struct worker_options worker;
	unsigned workers;
	unsigned seconds; /* time limit of a question to a worker */
	bool use_debuginfod;
	unsigned fetch_seconds; /* time limit of a download */
};

struct crew_counts {
	uint64_t hits, misses, negatives, errors; /* modules by result; see docs/service.md */
	uint64_t replaced;                        /* workers that crashed or were killed */
	uint64_t resident;
	uint64_t opened_bytes;
};

struct crew;

/*
 * Start the workers. Copies `options` but borrows its strings. Returns NULL if a process could not
 * be started or memory is short.
 */
struct crew *crew_start(const struct crew_options *options);
void crew_stop(struct crew *crew);

/* Return false if workers can no longer be replaced. */
bool crew_is_alive(const struct crew *crew);

/*
 * Answer a query. `until` is the deadline in milliseconds of channel_clock(). Modules that are not
 * answered by then do not get any calls.
 */
enum query_outcome crew_ask(struct crew *crew, struct query *query, uint64_t until);

/*
 * Find the segments of a module's program. Returns false if the program is not found or the worker
 * did not answer.
 */
bool crew_find_places(struct crew *crew, const struct query_module *module,
                      struct elf_places *places, uint64_t until);

/*
 * Open a module's program or debug file. The caller closes the descriptor. Returns -1 if the file
 * is not found or the worker did not answer.
 */
int crew_open_file(struct crew *crew, const struct query_module *module, bool debug,
                   uint64_t until);

struct crew_counts crew_count(struct crew *crew);

#endif

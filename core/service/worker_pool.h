/* SPDX-License-Identifier: MIT */
/*
 * A service's worker pool, as used by its request threads. Each build is assigned to one worker, so
 * that its files are read and kept in memory only once. Any thread may call worker_pool_ask(); each
 * call has its own deadline. Start the pool before the first thread, because it forks.
 *
 *	struct worker_pool *worker_pool = worker_pool_start(&options);
 *	enum query_outcome outcome = worker_pool_ask(worker_pool, &query, until);
 *	worker_pool_stop(worker_pool);
 */
#ifndef CAIRN_SERVICE_WORKER_POOL_H
#define CAIRN_SERVICE_WORKER_POOL_H

#include "formats/elf/elf.h"
#include "service/query.h"
#include "worker.h"

enum {
	WORKER_POOL_WORKERS = 4,
	WORKER_POOL_WORKERS_MAX = 64,
	WORKER_POOL_FETCHERS = 4,
};

struct worker_pool_options {
	struct worker_options worker;
	unsigned workers;
	unsigned seconds; /* time limit for a worker's answer to a question */
	bool use_debuginfod;
	unsigned fetch_seconds;
};

struct worker_pool_counts {
	/* number of modules by result; see docs/service.md */
	uint64_t hits, misses, negatives, errors;
	uint64_t replaced;
	uint64_t resident;
	uint64_t opened_bytes;
};

struct worker_pool;

/*
 * Start the workers. Copies `options` but borrows its strings. Returns NULL if a process cannot be
 * started or allocation fails.
 */
struct worker_pool *worker_pool_start(const struct worker_pool_options *options);
void worker_pool_stop(struct worker_pool *worker_pool);

bool worker_pool_is_alive(const struct worker_pool *worker_pool);

/*
 * Answer a query. `until` is the deadline on channel_clock(). Modules without an answer by then get
 * no calls.
 */
enum query_outcome worker_pool_ask(struct worker_pool *worker_pool, struct query *query,
                                   uint64_t until);

bool worker_pool_find_places(struct worker_pool *worker_pool, const struct query_module *module,
                             struct elf_places *places, uint64_t until);

/*
 * Open a module's program or debug file. The caller closes the descriptor. Returns -1 if the file
 * is not found or the worker has not answered.
 */
int worker_pool_open_file(struct worker_pool *worker_pool, const struct query_module *module,
                          bool debug, uint64_t until);

struct worker_pool_counts worker_pool_count(struct worker_pool *worker_pool);

#endif

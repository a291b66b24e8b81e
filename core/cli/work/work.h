/* SPDX-License-Identifier: MIT */
/* `cairn work`: the options (work.c), and the output of counters (show.c). */
#ifndef CAIRN_CLI_WORK_WORK_H
#define CAIRN_CLI_WORK_WORK_H

#include "cli/front/cli.h"
#include "server/net/web/web.h"
#include "server/work/work.h"

#include <pthread.h>

enum {
	WORK_FILE_SECONDS = 10, /* interval between writes of the counter file */
	WORK_MEMORY_LEAST = 16 << 20,
	WORK_WORDS_MAX = 16,
};

/* Counters of the worker, updated each turn, and the HTTP server and file that show them. */
struct work_show {
	pthread_mutex_t mutex;
	struct work_metrics metrics;
	struct web *web; /* NULL disables HTTP */
	int memory_file; /* descriptor from own_use_open() */
	const char *file;
	uint64_t next_file; /* time of the next write, in milliseconds */
	uint64_t next_watch;
	bool has_failed; /* the file could not be written, and this was reported */
};

/*
 * Start the web server and write the file; each may be NULL. On failure print a diagnostic and
 * return false.
 */
bool work_show_start(struct work_show *show, const char *address, const char *file);

/*
 * Take the counters of a turn. The show callback of struct work_options; `context` is a struct
 * work_show.
 */
void work_show_turn(void *context, const struct work_metrics *metrics);

void work_show_end(struct work_show *show);

#endif

/* SPDX-License-Identifier: MIT */
/* `cairn work`: options (work.c), and where the counters are shown (show.c). */
#ifndef CAIRN_CLI_WORK_WORK_H
#define CAIRN_CLI_WORK_WORK_H

#include "cli/front/cli.h"
#include "server/net/web/web.h"
#include "server/work/work.h"

#include <pthread.h>

enum {
	WORK_FILE_SECONDS = 10, /* between two writings of the file of counters */
	WORK_MEMORY_LEAST = 16 << 20,
	WORK_WORDS_MAX = 16, /* of the child's command */
};

/* The counters as the last turn of the worker left them. */
struct work_show {
	pthread_mutex_t mutex;
	struct work_metrics metrics;
	struct web *web; /* NULL: nobody may ask */
	int memory_file; /* of own_use_open() */
	const char *file;
	uint64_t next_file; /* milliseconds */
	uint64_t next_watch;
	bool has_failed; /* to write the file, which was said */
};

/* Starts what the options ask for; one of both may be NULL. False: why was said. */
bool work_show_start(struct work_show *show, const char *address, const char *file);

/* As struct work_options has it; `context` is a struct work_show. */
void work_show_turn(void *context, const struct work_metrics *metrics);

/* Writes the file a last time. */
void work_show_end(struct work_show *show);

#endif

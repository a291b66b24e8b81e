/* SPDX-License-Identifier: MIT */
/*
 * Fetches files of references by URL, in a separate process that is started before this process
 * gives up its rights. That process has the network but never parses a file; this one parses files
 * but has no network. They communicate through a socket:
 *
 *	question = struct origin_question, the bytes of a path
 *	answer   = struct origin_answer, with the descriptor of a file if there is one
 *
 * The first answer comes without a question, when the other process is ready.
 */
#ifndef CAIRN_CLI_SYMBOLIZE_H
#define CAIRN_CLI_SYMBOLIZE_H

#include <cairn.h>

#include <sys/types.h>

enum {
	ORIGIN_SECONDS = 30, /* default for each file */
	ORIGIN_SECONDS_MAX = 3600,
	ORIGIN_PATH_MAX = 4096,
};

enum origin_outcome {
	ORIGIN_FOUND,
	ORIGIN_ABSENT,      /* HTTP status 404 or 410 */
	ORIGIN_REFUSED,     /* 401, 403 and similar */
	ORIGIN_REDIRECTED,  /* 3xx */
	ORIGIN_OTHER_SIZE,  /* the file is longer or shorter than expected */
	ORIGIN_UNREACHABLE, /* no answer, or the server is temporarily unable */
	ORIGIN_NO_ROOM,     /* the directory of temporary files is full */
	ORIGIN_LOST,
};

struct origin_question {
	uint64_t size;
	uint32_t path_size;
};

struct origin_answer {
	uint32_t outcome;
};

struct origin {
	const char *url; /* NULL disables references by URL */
	uint64_t seconds;
	int socket;
	pid_t pid;
	bool is_lost;
};

/*
 * Return the stacks of a log as a JSON object with threads, in the form of a report, or NULL if
 * memory is short. *size is 0 if there are no stacks. The caller frees the string. External for a
 * fuzz target.
 */
char *symbolize_read_log(struct cairn_bytes log, size_t *size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Downloads referenced files by URL in a child process, which is started before this process enters
 * its sandbox. The child has network access but never parses files; this process parses files but
 * has no network access. They communicate through a socket:
 *
 *	request = struct origin_question, the bytes of a path
 *	answer  = struct origin_answer, with the descriptor of the file on success
 *
 * The child sends a first answer without a request when it is ready.
 */
#ifndef CAIRN_CLI_SYMBOLIZE_H
#define CAIRN_CLI_SYMBOLIZE_H

#include <cairn.h>

#include <sys/types.h>

enum {
	ORIGIN_SECONDS = 30, /* default time limit per file in seconds */
	ORIGIN_SECONDS_MAX = 3600,
	ORIGIN_PATH_MAX = 4096,
};

enum origin_outcome {
	ORIGIN_FOUND,
	ORIGIN_ABSENT,     /* HTTP status 404 or 410 */
	ORIGIN_REFUSED,    /* HTTP status 401, 403, or another permanent failure */
	ORIGIN_REDIRECTED, /* HTTP status 3xx */
	ORIGIN_OTHER_SIZE,
	ORIGIN_UNREACHABLE, /* no response, or the server reports a temporary failure */
	ORIGIN_DISK_FULL,   /* the temporary directory is full */
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
	/*
	 * base URL; only files below it are downloaded. NULL rejects requests that refer to a file
	 * by URL.
	 */
	const char *url;
	uint64_t seconds;
	int socket;
	pid_t pid;
	bool is_lost;
};

/*
 * Return the backtraces in a log as a JSON report, or NULL if allocation fails. *size is 0 if there
 * are no backtraces. The caller frees the string. Not static, because a fuzz target calls this
 * function.
 */
char *symbolize_read_log(struct cairn_bytes log, size_t *size);

#endif

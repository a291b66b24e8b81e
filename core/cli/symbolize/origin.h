/* SPDX-License-Identifier: MIT */
/*
 * The files of references by URL. A process of its own fetches them, which is started before this one gives up its rights: it has the network and
 * reads nothing, and this one reads and has no network. They speak through a socket:
 *
 *	question = struct origin_question, the bytes of a path
 *	answer   = struct origin_answer, with the descriptor of a file if there is one
 *
 * The first answer comes without a question: the other process is ready.
 */
#ifndef CAIRN_CLI_SYMBOLIZE_ORIGIN_H
#define CAIRN_CLI_SYMBOLIZE_ORIGIN_H

#include <cairn.h>

#include <sys/types.h>

enum {
	ORIGIN_SECONDS = 30, /* for each file, unless an option sets another */
	ORIGIN_SECONDS_MAX = 3600,
	ORIGIN_PATH_MAX = 4096,
};

enum origin_outcome {
	ORIGIN_FOUND,
	ORIGIN_ABSENT,      /* 404, 410 */
	ORIGIN_REFUSED,     /* 401, 403 and the like */
	ORIGIN_REDIRECTED,  /* 3xx */
	ORIGIN_OTHER_SIZE,  /* it has more bytes, or fewer */
	ORIGIN_UNREACHABLE, /* no answer, or that of a server that cannot now */
	ORIGIN_NO_ROOM,     /* on the disk of temporary files */
	ORIGIN_LOST,        /* the process has ended */
};

struct origin_question {
	uint64_t size; /* of the file */
	uint32_t path_size;
};

struct origin_answer {
	uint32_t outcome;
};

struct origin {
	const char *url; /* NULL: there is none */
	uint64_t seconds;
	int socket;
	pid_t pid;
	bool is_lost;
};

/* Starts the process; an exit status, after a message. */
int origin_start(struct origin *origin);

/* The path after the origin, with its slash.  NULL: the URL is not below the origin, or some reader could take it for one that is not. */
const char *origin_path(const char *origin, const char *url);

/* Fetches a file of so many bytes to *fd, which is the caller's, if it is found. */
enum origin_outcome origin_fetch(struct origin *origin, const char *path, uint64_t size, int *fd);

void origin_stop(struct origin *origin);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A process that answers requests, a line each, in their order. It has the memory that it was given and no more, is alone in its group of
 * processes, and ends with us. Nothing here waits, but for the end of a process that was killed.
 *
 *	struct child child;
 *	int error = child_start(&options, &child);
 *	n = child_write(&child, parts, count);
 *	while (child_read(&child) && child_line(&child, &line))
 *		...
 *	child_end(&child, false, why);
 */
#ifndef CAIRN_SERVICE_QUEUE_CHILD_H
#define CAIRN_SERVICE_QUEUE_CHILD_H

#include <cairn.h>

#include <sys/types.h>
#include <sys/uio.h>

enum {
	CHILD_ANSWER_MAX = 16 << 20, /* bytes of a line; a longer one is no answer */
	CHILD_WRITE_MAX = 16,        /* parts that are written at a time */
	CHILD_WHY_MAX = 64,
};

struct child_options {
	const char *const *command; /* its words, with NULL after them; the first is a path */
	uint64_t memory;            /* bytes of address space */
};

struct child {
	pid_t pid; /* 0: there is none */
	int input, output;
	uint8_t *text; /* what it has said */
	size_t size, room, at, looked;
	bool is_drained; /* the last reading took all that was there */
};

enum child_state {
	CHILD_QUIET, /* nothing has come that was not there */
	CHILD_SAYS,
	CHILD_ENDED,    /* it says no more */
	CHILD_TOO_LONG, /* a line above the limit */
	CHILD_NO_MEMORY,
};

/* 0 or an errno value: what of the program cannot be started. */
CAIRN_MUST_USE int child_start(const struct child_options *options, struct child *child);

/* Writes what it takes now; returns how many bytes, or -1: it reads no more. */
ssize_t child_write(const struct child *child, const struct iovec *parts, int count);

/* Reads what it has said until now. */
enum child_state child_read(struct child *child);

/* The next whole line, without its end, which is lent until child_read(). */
bool child_line(struct child *child, struct cairn_bytes *line);

/* Waits some time for its end, unless `now`, then kills it with all its group; `why` says how it ended: "ended by signal 11". */
void child_end(struct child *child, bool now, char why[CHILD_WHY_MAX]);

#endif

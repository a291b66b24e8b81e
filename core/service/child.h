/* SPDX-License-Identifier: MIT */
/*
 * A child process that answers requests, one line each, in order. Its memory is limited, it leads
 * its own process group, and it is killed when this process ends. All functions return immediately,
 * except that child_end() waits for the process.
 *
 *	struct child child;
 *	int error = child_start(&options, &child);
 *	n = child_write(&child, parts, count);
 *	while (child_read(&child) && child_line(&child, &line))
 *		...
 *	child_end(&child, false, why);
 */
#ifndef CAIRN_SERVICE_CHILD_H
#define CAIRN_SERVICE_CHILD_H

#include "requests/request.h"

#include <cairn.h>
#include <sys/types.h>
#include <sys/uio.h>

enum {
	CHILD_ANSWER_MAX = 16 << 20, /* bytes per line; longer lines are rejected */
	CHILD_WRITE_MAX = 16,
	CHILD_WHY_MAX = 64,
};

struct child_options {
	const char *const *command; /* NULL-terminated words; the first is a path */
	uint64_t memory;            /* limit of the address space in bytes */
};

struct child {
	pid_t pid; /* 0: not running */
	int input, output;
	uint8_t *text; /* unread output */
	size_t size, room, at, looked;
	bool is_drained; /* the last read emptied the pipe */
};

enum child_state {
	CHILD_QUIET,
	CHILD_SAYS,
	CHILD_ENDED, /* the child closed its standard output */
	CHILD_TOO_LONG,
	CHILD_NO_MEMORY,
};

/* Start the program. Returns 0 or an errno value. */
CAIRN_MUST_USE int child_start(const struct child_options *options, struct child *child);

/*
 * Write as much as the pipe accepts. Returns the number of bytes, or -1 if the child no longer
 * reads.
 */
ssize_t child_write(const struct child *child, const struct iovec *parts, int count);

enum child_state child_read(struct child *child);

/* Take the next complete line, without its newline. The line is borrowed until child_read(). */
bool child_line(struct child *child, struct cairn_bytes *line);

/*
 * Wait a grace period for the end of the child, unless `now`, then kill its process group. `why`
 * describes how it ended: "ended by signal 11".
 */
void child_end(struct child *child, bool now, char why[CHILD_WHY_MAX]);

/*
 * Parses the members of an answer that decide how it is routed: the request it belongs to, the
 * result and the reason. Answers come from `cairn symbolize`, which reads hostile bytes, so they
 * are untrusted.
 *
 *	struct answer_head head;
 *	if (answer_head_read(line, &head))
 *		... head.result, head.reason
 */
enum {
	ANSWER_HEAD_MEMBERS = 8, /* members examined; the head precedes all other members */
	ANSWER_REASON_MAX = 200, /* bytes of a reason; longer ones are truncated */
	ANSWER_HASH_SIZE = 2 * SHA256_SIZE,
};

struct answer_head {
	struct cairn_bytes
		hash; /* request hash in hexadecimal, points into the line; may be empty */
	enum request_result result;
	char reason[ANSWER_REASON_MAX + 1]; /* "" if absent */
};

/* Parse the head of an answer. Returns false if the line is not an answer. */
bool answer_head_read(struct cairn_bytes line, struct answer_head *head);

/*
 * Decides what happens to a request after an attempt, from its result, the number of earlier
 * attempts, and the number of delay queues.
 */
enum {
	VERDICT_CRASHES = 3, /* crashes until a request becomes a dead letter */
	VERDICT_DELAYS_MAX = 8,
};

enum verdict_kind {
	VERDICT_ANSWER,
	VERDICT_LATER, /* put the request into delay queue number `delay` */
	VERDICT_AGAIN, /* try again soon, behind other requests */
	VERDICT_DEAD,
};

/* Earlier attempts and crashes, and the number of delay queues. */
struct verdict_past {
	unsigned attempts, crashes, delays;
};

struct verdict {
	enum verdict_kind kind;
	unsigned delay;
	struct verdict_past past; /* counts to store with the request for its next attempt */
};

struct verdict verdict_of_result(enum request_result result, struct verdict_past past);

struct verdict verdict_of_crash(struct verdict_past past);

#endif

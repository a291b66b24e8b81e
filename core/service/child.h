/* SPDX-License-Identifier: MIT */
/*
 * A child process that reads requests and answers each with one line, in the same order. Its memory
 * is limited, it leads its own process group, and it is killed when its parent ends. All functions
 * return immediately, except that child_end() waits for the process.
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
	CHILD_ANSWER_MAX = 16 << 20,
	CHILD_WRITE_MAX = 16,
	CHILD_WHY_MAX = 64,
};

struct child_options {
	/* NULL-terminated argument vector; its first string is the program's path */
	const char *const *command;
	uint64_t memory; /* maximum size of the address space in bytes */
};

struct child {
	pid_t pid;
	int input, output;
	uint8_t *text;
	size_t size, capacity, at, looked;
	bool is_drained; /* the last read has emptied the pipe */
};

enum child_state {
	CHILD_QUIET,
	CHILD_SAYS,
	CHILD_ENDED,
	CHILD_TOO_LONG,
	CHILD_NO_MEMORY,
};

CAIRN_MUST_USE int child_start(const struct child_options *options, struct child *child);

/*
 * Write as much as the pipe accepts. Returns the number of bytes written, or -1 if the child has
 * closed its end of the pipe.
 */
ssize_t child_write(const struct child *child, const struct iovec *parts, int count);

enum child_state child_read(struct child *child);

/*
 * Take the next complete line, without its newline. The line is valid until the next child_read().
 */
bool child_line(struct child *child, struct cairn_bytes *line);

/*
 * Wait briefly for the child to exit unless `now` is set, then kill its process group. Describes in
 * `why` how the child ended, such as "ended by signal 11".
 */
void child_end(struct child *child, bool now, char why[CHILD_WHY_MAX]);

/*
 * Parses the first members of an answer: the hash of its request, the result and the reason. They
 * decide how the answer is routed. Answers are untrusted because they come from `cairn symbolize`,
 * which reads hostile input.
 *
 *	struct answer_head head;
 *	if (answer_head_read(line, &head))
 *		... head.result, head.reason
 */
enum {
	/* maximum number of members to examine; the hash, result and reason precede all others */
	ANSWER_HEAD_MEMBERS = 8,
	ANSWER_REASON_MAX = 200, /* maximum length of a reason; longer reasons are truncated */
	ANSWER_HASH_SIZE = 2 * SHA256_SIZE,
};

struct answer_head {
	/* hexadecimal hash of the request, borrowed from the line; may be empty */
	struct cairn_bytes hash;
	enum request_result result;
	char reason[ANSWER_REASON_MAX + 1]; /* NUL-terminated; empty if absent */
};

bool answer_head_read(struct cairn_bytes line, struct answer_head *head);

/*
 * Decides what to do with a request after an attempt, from its result, the number of earlier
 * attempts, and the number of delay queues.
 */
enum {
	VERDICT_CRASHES = 3, /* number of crashes that make a request a dead letter */
	VERDICT_DELAYS_MAX = 8,
};

enum verdict_kind {
	VERDICT_ANSWER,
	VERDICT_LATER, /* retry after the delay of the delay queue with index `delay` */
	VERDICT_AGAIN, /* retry soon, after other requests */
	VERDICT_DEAD,
};

struct verdict_past {
	unsigned attempts, crashes, delays;
};

struct verdict {
	enum verdict_kind kind;
	unsigned delay;
	struct verdict_past past; /* counters to store with a request that is retried */
};

struct verdict verdict_of_result(enum request_result result, struct verdict_past past);

struct verdict verdict_of_crash(struct verdict_past past);

#endif

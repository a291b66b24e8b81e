/* SPDX-License-Identifier: MIT */
/*
 * What must be known of an answer to send it on: whose it is, what became of the request, and why. Answers are those of `cairn
 * symbolize`, which read hostile bytes, so that an answer is untrusted as well.
 *
 *	struct answer_head head;
 *	if (answer_head_read(line, &head))
 *		... head.result, head.reason
 */
#ifndef CAIRN_SERVICE_QUEUE_ANSWER_HEAD_H
#define CAIRN_SERVICE_QUEUE_ANSWER_HEAD_H

#include "requests/request.h"

enum {
	ANSWER_HEAD_MEMBERS = 8, /* that are looked at; the head is before everything else */
	ANSWER_REASON_MAX = 200, /* bytes of a reason, which is cut */
	ANSWER_HASH_SIZE = 2 * SHA256_SIZE,
};

struct answer_head {
	struct cairn_bytes
		hash; /* of the request, in hexadecimal, a part of the line; may be empty */
	enum request_result result;
	char reason[ANSWER_REASON_MAX + 1]; /* "" if it has none */
};

/* False: it is no answer. */
bool answer_head_read(struct cairn_bytes line, struct answer_head *head);

#endif

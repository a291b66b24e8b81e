/* SPDX-License-Identifier: MIT */
/*
 * Parses the members of an answer that decide how it is routed: the request it belongs to, the
 * result and the reason. Answers come from `cairn symbolize`, which reads hostile bytes, so they
 * are untrusted.
 *
 *	struct answer_head head;
 *	if (answer_head_read(line, &head))
 *		... head.result, head.reason
 */
#ifndef CAIRN_SERVICE_QUEUE_ANSWER_HEAD_H
#define CAIRN_SERVICE_QUEUE_ANSWER_HEAD_H

#include "requests/request.h"

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

#endif

/* SPDX-License-Identifier: MIT */
/* What the answers share: JSON into memory, and how much text an answer may have. */
#ifndef CAIRN_SERVICE_ANSWERS_PARTS_H
#define CAIRN_SERVICE_ANSWERS_PARTS_H

#include "answers.h"

#include "base/allowance.h"
#include "output/json.h"

/* A body that is being written. */
struct answer_body {
	struct json json;
	struct allowance texts;
	char *bytes;
	size_t size;
	char path[REQUEST_PATH_MAX];
};

/* `asked`: bytes of the request. False: memory is short, and this is the answer. */
bool answer_body_begin(struct answer_body *body, size_t asked, struct service_answer *answer);

/* A text within the allowance; empty when that is used up, and then the answer is none. */
void answer_body_text(struct answer_body *body, const char *key, struct cairn_bytes text);

/* Makes the body that of the answer; or the answer is that it would be too large, or that memory is short. */
void answer_body_end(struct answer_body *body, struct service_answer *answer);

/* What is answered when a query is not done. */
void answer_outcome(enum query_outcome outcome, struct service_answer *answer);

/* Members of a call: "function", "file", "line", and "column" if it is wanted; those that are known. */
void answer_body_place(struct answer_body *body, const struct query *query,
                       const struct query_found *found, const struct query_call *call, bool column);

#endif

/* SPDX-License-Identifier: MIT */
/* What the answers share: JSON into memory, and how much text an answer may have. */
#ifndef CAIRN_SERVICE_ANSWERS_PARTS_H
#define CAIRN_SERVICE_ANSWERS_PARTS_H

#include "answers.h"

#include "base/allowance.h"
#include "base/byte_buffer.h"
#include "output/json.h"

/* A body that is being written. */
struct answer_body {
	struct json json;
	struct allowance texts;
	const struct query *query;
	struct byte_buffer bytes;
	bool is_crowded; /* no memory could be reserved */
	char path[REQUEST_PATH_MAX];
};

/*
 * Begin the body of an answer, and reserve its memory as the query has it; NULL reserves none. `asked` is how many things were asked.
 * Return false if memory is short, which is the answer then.
 */
bool answer_body_begin(struct answer_body *body, size_t asked, const struct query *query,
                       struct service_answer *answer);

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

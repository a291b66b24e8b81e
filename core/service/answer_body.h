/* SPDX-License-Identifier: MIT */
/* Shared by the answers: writes a JSON body into memory and limits the size of its strings. */
#ifndef CAIRN_SERVICE_ANSWER_BODY_H
#define CAIRN_SERVICE_ANSWER_BODY_H

#include "base/allowance.h"
#include "base/byte_buffer.h"
#include "output/json.h"
#include "service/answers.h"

struct answer_body {
	struct json json;
	struct allowance texts;
	const struct query *query;
	struct byte_buffer bytes;
	bool is_crowded; /* memory could not be reserved */
	char path[REQUEST_PATH_MAX];
};

/*
 * Begin the body of an answer. Reserves its memory through the query's hold(); no memory is
 * reserved if `query` is NULL. `asked` is the number of items in the request. If memory is short,
 * returns false and sets `answer` to a refusal.
 */
bool answer_body_begin(struct answer_body *body, size_t asked, const struct query *query,
                       struct service_answer *answer);

/*
 * Write a string within the allowance. Once the allowance is exhausted, strings are empty and the
 * answer is refused at the end.
 */
void answer_body_text(struct answer_body *body, const char *key, struct cairn_bytes text);

/*
 * Move the body into the answer, or refuse the request if the body is too large or memory is short.
 */
void answer_body_end(struct answer_body *body, struct service_answer *answer);

/* Refuse a request whose query failed. */
void answer_outcome(enum query_outcome outcome, struct service_answer *answer);

/* Write the known members of a call: "function", "file", "line", and "column" if requested. */
void answer_body_place(struct answer_body *body, const struct query *query,
                       const struct query_found *found, const struct query_call *call, bool column);

#endif

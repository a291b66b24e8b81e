/* SPDX-License-Identifier: MIT */
/* Builds the JSON body of a response in memory and limits the total size of its strings. */
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
	bool is_crowded; /* the memory for the response could not be reserved */
	char path[REQUEST_PATH_MAX];
};

/*
 * Begin a response body. Unless `query` is NULL, reserves memory for the body through the query's
 * hold(). `asked` is the number of items in the request. If the memory cannot be obtained, returns
 * false and sets `answer` to a refusal.
 */
bool answer_body_begin(struct answer_body *body, size_t asked, const struct query *query,
                       struct service_answer *answer);

/*
 * Write a string and subtract its size from the response's allowance. Once the allowance is used
 * up, writes empty strings; answer_body_end() then refuses the request.
 */
void answer_body_text(struct answer_body *body, const char *key, struct cairn_bytes text);

/*
 * Move the body into the response. If the body is too large or allocation has failed, refuses the
 * request instead.
 */
void answer_body_end(struct answer_body *body, struct service_answer *answer);

void answer_outcome(enum query_outcome outcome, struct service_answer *answer);

/* Write the known members of a call: "function", "file", "line", and "column" if requested. */
void answer_body_place(struct answer_body *body, const struct query *query,
                       const struct query_found *found, const struct query_call *call, bool column);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Handlers for the service's requests: each converts a request's body to the status and body of a
 * response. They use no sockets, so tests can pass arbitrary bytes.
 *
 *	struct service_answer answer;
 *	service_symbolize(&asker, body, &answer);
 *	... answer.status, answer.body
 *	service_answer_free(&answer);
 */
#ifndef CAIRN_SERVICE_ANSWERS_H
#define CAIRN_SERVICE_ANSWERS_H

#include "metrics.h"
#include "query.h"

enum {
	SERVICE_OK = 200,
	SERVICE_BAD = 400,
	SERVICE_TOO_LARGE = 413,
	SERVICE_BAD_TYPE = 415,
	SERVICE_FAILED = 500,
	SERVICE_TRY_AGAIN = 503,
};

enum {
	/*
	 * maximum total size of the strings in a response, in addition to SERVICE_TEXT_TIMES bytes
	 * per item
	 */
	SERVICE_TEXT_LEAST = 1 << 26,
	SERVICE_TEXT_TIMES = 64,
	SERVICE_ANSWER_MAX = 1 << 27,
	SERVICE_JOBS_MAX = 10,
	SERVICE_FRAMES_MAX = 1 << 17,
	SERVICE_MODULES_MAX = 1 << 12,
	SERVICE_PROFILE_MAX = 1 << 26, /* maximum size of an uncompressed profile */
};

struct service_answer {
	unsigned status;
	const char *type; /* MIME type of the body, a string constant */
	char *body;
	size_t size;
	const char *why; /* reason for a refusal, a string constant; NULL on success */
};

/* Answer POST /symbolize: symbolize addresses in modules identified by build ID. */
void service_symbolize(const struct query_asker *asker, struct cairn_bytes body,
                       struct service_answer *answer);

/* Answer POST /symbolicate/v5, the protocol of Mozilla's servers and samply. */
void service_symbolicate(const struct query_asker *asker, struct cairn_bytes body,
                         struct service_answer *answer);

/*
 * Symbolize the profiles in a request to POST /v1development/profiles and encode them in the
 * request's format (JSON or protobuf). The request may be compressed with gzip; the result is not.
 * If the status is SERVICE_OK, forward the body to the next collector; otherwise send it to the
 * client.
 */
void service_profiles(const struct query_asker *asker, struct cairn_bytes body, bool is_json,
                      struct service_answer *answer);

void service_profiles_refuse(bool is_json, unsigned status, const char *why,
                             struct service_answer *answer);

struct service_metrics {
	uint64_t done, no_symbols, rejected, retried;
	struct metric_times times;
	uint64_t hits, misses, negatives, errors, replaced, opened_bytes, cache_bytes, resident;
	uint64_t connections;
	double processor;
};

void service_metrics_answer(const struct service_metrics *metrics, struct service_answer *answer);

/* Build the error response {"error":"..."}. */
void service_refuse(unsigned status, const char *why, struct service_answer *answer);
void service_answer_free(struct service_answer *answer);

#endif

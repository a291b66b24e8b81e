/* SPDX-License-Identifier: MIT */
/*
 * What a service answers: the body of a request in, status and body out. Nothing here knows a socket, so that all of it can be tried
 * with any bytes.
 *
 *	struct service_answer answer;
 *	service_symbolize(&asker, body, &answer);
 *	... answer.status, answer.body
 *	service_answer_free(&answer);
 */
#ifndef CAIRN_SERVICE_ANSWERS_ANSWERS_H
#define CAIRN_SERVICE_ANSWERS_ANSWERS_H

#include "metric_text.h"

#include "service/query/query.h"

/* Statuses of HTTP that answers have. */
enum {
	SERVICE_OK = 200,
	SERVICE_BAD = 400,
	SERVICE_TOO_LARGE = 413,
	SERVICE_BAD_TYPE = 415,
	SERVICE_FAILED = 500,
	SERVICE_TRY_AGAIN = 503,
};

enum {
	SERVICE_TEXT_LEAST =
		1 << 26, /* bytes of names of an answer, and so many for each of the request */
	SERVICE_TEXT_TIMES = 64,
	SERVICE_ANSWER_MAX = 1 << 27, /* bytes of an answer */
	SERVICE_JOBS_MAX = 10, /* of one request of symbolicate/v5, as other servers have it */
	SERVICE_FRAMES_MAX = 1 << 17,  /* of one request of symbolicate/v5 */
	SERVICE_MODULES_MAX = 1 << 12, /* of one job */
	SERVICE_PROFILE_MAX = 1 << 26, /* bytes of a profile, unpacked */
};

struct service_answer {
	unsigned status;
	const char *type; /* of the body; a constant */
	char *body;       /* of malloc(); may be NULL */
	size_t size;
	const char *why; /* it is no answer to the request: why; a constant */
};

/* POST /symbolize: addresses in build IDs. */
void service_symbolize(const struct query_asker *asker, struct cairn_bytes body,
                       struct service_answer *answer);

/* POST /symbolicate/v5, as Mozilla's servers and samply have it. */
void service_symbolicate(const struct query_asker *asker, struct cairn_bytes body,
                         struct service_answer *answer);

/*
 * POST /v1development/profiles: the request with names, as it is to be passed on, in the encoding that it came in. It may be packed by
 * gzip; the answer is not. Status SERVICE_OK: the body is for the next collector; else it is the answer to the client.
 */
void service_profiles(const struct query_asker *asker, struct cairn_bytes body, bool is_json,
                      struct service_answer *answer);

/* The answer of a collector that has failed with `status`. */
void service_profiles_refuse(bool is_json, unsigned status, const char *why,
                             struct service_answer *answer);

/* What GET /metrics shows. */
struct service_metrics {
	uint64_t done, no_symbols, rejected, retried; /* requests, by what became of them */
	struct metric_times times;
	uint64_t hits, misses, negatives, errors, replaced, opened_bytes, cache_bytes, resident;
	uint64_t connections;
	double processor;
};

void service_metrics_answer(const struct service_metrics *metrics, struct service_answer *answer);

/* {"error":"..."} */
void service_refuse(unsigned status, const char *why, struct service_answer *answer);
void service_answer_free(struct service_answer *answer);

#endif

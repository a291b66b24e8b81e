/* SPDX-License-Identifier: MIT */
/*
 * `cairn serve`: an HTTP service that names addresses. serve.c parses the options and starts the
 * service, endpoints.c dispatches by method and path, files.c sends files by build ID, and
 * forward.c forwards profiles.
 */
#ifndef CAIRN_CLI_SERVE_SERVE_H
#define CAIRN_CLI_SERVE_SERVE_H

#include "cli/front/cli.h"
#include "server/net/web/web.h"
#include "service/answers/answers.h"
#include "service/workers/crew.h"

#include <pthread.h>

enum {
	SERVE_BODY_MAX = 16 << 20,    /* bytes of a JSON request */
	SERVE_PROFILE_MAX = 32 << 20, /* bytes of a profile as sent */
	SERVE_SECONDS = 30,           /* default time limit of a request */
	SERVE_MEMORY = 1 << 30,       /* default limit for symbols in all workers, in bytes */
	/* allocations of this size are returned to the system when they are freed */
	SERVE_OWN_PAGES = 1 << 18,
	SERVE_BUSY_MAX = 32, /* requests handled at the same time; others wait */
};

struct service {
	struct crew *crew;
	struct web *web;
	unsigned seconds;
	bool quiet;
	const char *forward;   /* URL of the next collector; may be NULL */
	int memory_file;       /* descriptor from own_use_open() */
	pthread_mutex_t mutex; /* protects the following members */
	pthread_cond_t less_busy;
	unsigned busy;
	struct service_metrics metrics;
};

/* Handle requests. Callbacks of struct web_options; `context` is a struct service. */
size_t endpoint_limit(void *context, const char *method, const char *path);
void endpoint_answer(void *context, const struct web_request *request, struct web_answer *answer);
void endpoint_refuse(void *context, const struct web_request *request, unsigned status,
                     const char *why, struct web_answer *answer);

/*
 * Handle GET /buildid/ID/KIND. Return NULL on success, otherwise the reason for a refusal, with the
 * status in *answer.
 */
const char *serve_build_file(struct service *service, const char *path, struct web_answer *answer);

/* Forward named profiles to the next collector, and return its response to the client. */
void serve_forward(struct service *service, bool is_json, struct service_answer *answer);

#endif

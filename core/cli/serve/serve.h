/* SPDX-License-Identifier: MIT */
/*
 * `cairn serve`: a service that names addresses. serve.c reads the options and starts it, endpoints.c chooses the answer by method
 * and path, files.c sends files of builds, and forward.c passes profiles on.
 */
#ifndef CAIRN_CLI_SERVE_SERVE_H
#define CAIRN_CLI_SERVE_SERVE_H

#include "cli/front/cli.h"
#include "server/net/web/web.h"
#include "service/answers/answers.h"
#include "service/workers/crew.h"

#include <pthread.h>

enum {
	SERVE_BODY_MAX = 16 << 20,    /* bytes of a request in JSON */
	SERVE_PROFILE_MAX = 32 << 20, /* bytes of a profile as it is sent */
	SERVE_SECONDS = 30,           /* that a request may take, unless an option sets another */
	SERVE_MEMORY = 1 << 30, /* bytes of symbols in all workers, unless an option sets another */
	SERVE_OWN_PAGES =
		1 << 18, /* bytes of an allocation that goes back to the system when it is freed */
	SERVE_BUSY_MAX = 32, /* requests that are answered at a time; others wait */
};

struct service {
	struct crew *crew;
	struct web *web;
	unsigned seconds;
	bool quiet;
	const char *forward;   /* the next collector; NULL: none */
	int memory_file;       /* of own_use_open() */
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t less_busy;
	unsigned busy;
	struct service_metrics metrics;
};

/* As the options of struct web have them; `context` is a struct service. */
size_t endpoint_limit(void *context, const char *method, const char *path);
void endpoint_answer(void *context, const struct web_request *request, struct web_answer *answer);
void endpoint_refuse(void *context, const struct web_request *request, unsigned status,
                     const char *why, struct web_answer *answer);

/* GET /buildid/ID/KIND.  Returns why the request is refused, with the status in *answer; NULL: it is not. */
const char *serve_build_file(struct service *service, const char *path, struct web_answer *answer);

/* Passes named profiles on, and gives the client what the next collector says. */
void serve_forward(struct service *service, bool is_json, struct service_answer *answer);

#endif

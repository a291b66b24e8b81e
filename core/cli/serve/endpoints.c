/* SPDX-License-Identifier: MIT */
/* Dispatches requests by method and path, and counts and logs them. */
#include "serve.h"

#include "os/channel.h"
#include "os/process/own_use.h"
#include "output/escape.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum endpoint {
	HEALTH,
	METRICS,
	SYMBOLIZE,
	SYMBOLICATE,
	PROFILES,
	SERVER, /* the server as a whole (RFC 9110, section 9.3.7) */
	BUILD_FILE,
	NO_ENDPOINT,
};

static const struct {
	const char *path, *allow;
	size_t limit;
} endpoints[] = {
	[HEALTH] = { "/health", "GET, HEAD", 0 },
	[METRICS] = { "/metrics", "GET, HEAD", 0 },
	[SYMBOLIZE] = { "/symbolize", "POST", SERVE_BODY_MAX },
	[SYMBOLICATE] = { "/symbolicate/v5", "POST, OPTIONS", SERVE_BODY_MAX },
	[PROFILES] = { "/v1development/profiles", "POST", SERVE_PROFILE_MAX },
	[SERVER] = { "*", "OPTIONS", 0 },
	[BUILD_FILE] = { "/buildid/", "GET, HEAD", 0 },
};

static enum endpoint choose_endpoint(const char *path)
{
	for (size_t i = 0; i < BUILD_FILE; i++)
		if (strcmp(path, endpoints[i].path) == 0)
			return (enum endpoint)i;
	return strncmp(path, endpoints[BUILD_FILE].path, strlen(endpoints[BUILD_FILE].path)) == 0
	               ? BUILD_FILE
	               : NO_ENDPOINT;
}

static bool is_allowed(const char *list, const char *method)
{
	const size_t size = strlen(method);

	for (const char *at = list; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, method, size) == 0 && (at[size] == '\0' || at[size] == ','))
			return true;
	}
	return false;
}

size_t endpoint_limit(void *context, const char *method, const char *path)
{
	const enum endpoint endpoint = choose_endpoint(path);

	(void)context;
	return endpoint == NO_ENDPOINT || !is_allowed(endpoints[endpoint].allow, method)
	               ? SERVE_BODY_MAX
	               : endpoints[endpoint].limit;
}

/* Convert an answer. Its body moves to `to`. */
static void give_answer(struct service_answer *from, struct web_answer *to)
{
	to->status = from->status;
	to->type = from->type;
	to->body = from->body;
	to->size = from->size;
	to->try_later = from->status == SERVICE_TRY_AGAIN;
	from->body = NULL;
}

static void refuse_request(unsigned status, const char *why, struct web_answer *answer)
{
	struct service_answer refusal;

	service_refuse(status, why, &refusal);
	give_answer(&refusal, answer);
}

/* Wait until fewer requests are being handled. Return false at the time `until`. */
static bool enter_work(struct service *service, uint64_t until)
{
	bool waits = true;

	pthread_mutex_lock(&service->mutex);
	while (service->busy >= SERVE_BUSY_MAX && waits)
		waits = channel_wait(&service->less_busy, &service->mutex, until);
	const bool enters = service->busy < SERVE_BUSY_MAX;
	service->busy += enters;
	pthread_mutex_unlock(&service->mutex);
	return enters;
}

struct asking {
	struct service *service;
	const struct web_request *request; /* reserves memory for the answers; NULL disables this */
	uint64_t until;
};

static bool hold_memory(void *context, size_t size)
{
	const struct web_request *request = ((const struct asking *)context)->request;

	return request->hold(request, size);
}

static enum query_outcome ask_crew(void *context, struct query *query)
{
	struct asking *asking = context;
	size_t size = 0;

	if (asking->request) {
		query->hold = hold_memory;
		query->hold_context = asking;
	}
	const enum query_outcome outcome = crew_ask(asking->service->crew, query, asking->until);
	for (size_t i = 0; i < query->part_count; i++)
		size += query->part[i].size;
	return query->hold && outcome == QUERY_DONE && !query->hold(asking, size) ? QUERY_CROWDED
	                                                                          : outcome;
}

static bool find_crew_places(void *context, const struct query_module *module,
                             struct elf_places *places)
{
	const struct asking *asking = context;

	return crew_find_places(asking->service->crew, module, places, asking->until);
}

static void answer_body(struct service *service, enum endpoint endpoint,
                        const struct web_request *request, struct service_answer *answer)
{
	struct asking asking = { service, endpoint == PROFILES ? NULL : request,
		                 channel_clock() + (uint64_t)service->seconds * 1000 };
	const struct query_asker asker = { ask_crew, find_crew_places, &asking };
	const bool is_json = request->type && strncmp(request->type, "application/json", 16) == 0;

	if (endpoint == SYMBOLIZE) {
		service_symbolize(&asker, request->body, answer);
	} else if (endpoint == SYMBOLICATE) {
		service_symbolicate(&asker, request->body, answer);
	} else if (!service->forward) {
		service_profiles_refuse(is_json, 404, "the service was started without --forward",
		                        answer);
	} else {
		service_profiles(&asker, request->body, is_json, answer);
		if (answer->status == SERVICE_OK)
			serve_forward(service, is_json, answer);
	}
}

static void answer_within_bounds(struct service *service, enum endpoint endpoint,
                                 const struct web_request *request, struct web_answer *answer)
{
	struct service_answer made = { .status = SERVICE_FAILED };

	if (!enter_work(service, channel_clock() + (uint64_t)service->seconds * 1000)) {
		refuse_request(SERVICE_TRY_AGAIN, "too many requests at a time: try again", answer);
		return;
	}
	answer_body(service, endpoint, request, &made);
	pthread_mutex_lock(&service->mutex);
	service->busy--;
	pthread_cond_signal(&service->less_busy);
	pthread_mutex_unlock(&service->mutex);
	give_answer(&made, answer);
}

static void answer_metrics(struct service *service, struct web_answer *answer)
{
	const struct crew_counts counts = crew_count(service->crew);
	struct service_metrics metrics;
	struct service_answer made;

	pthread_mutex_lock(&service->mutex);
	metrics = service->metrics;
	pthread_mutex_unlock(&service->mutex);
	metrics.hits = counts.hits;
	metrics.misses = counts.misses;
	metrics.negatives = counts.negatives;
	metrics.errors = counts.errors;
	metrics.replaced = counts.replaced;
	metrics.opened_bytes = counts.opened_bytes;
	metrics.cache_bytes = counts.resident;
	metrics.resident = own_use_memory(service->memory_file);
	metrics.processor = own_use_processor();
	metrics.connections = web_connections(service->web);
	service_metrics_answer(&metrics, &made);
	give_answer(&made, answer);
}

static void answer_health(struct web_answer *answer)
{
	static const char text[] = "ok\n";

	answer->status = SERVICE_OK;
	answer->type = "text/plain";
	answer->body = malloc(sizeof(text));
	if (answer->body)
		memcpy(answer->body, text, sizeof(text));
	answer->size = answer->body ? sizeof(text) - 1 : 0;
}

static void answer_endpoint(struct service *service, enum endpoint endpoint,
                            const struct web_request *request, struct web_answer *answer)
{
	const char *why;

	switch (endpoint) {
	case HEALTH:
		if (crew_is_alive(service->crew))
			answer_health(answer);
		else
			refuse_request(SERVICE_TRY_AGAIN, "the service ends", answer);
		break;
	case METRICS:
		answer_metrics(service, answer);
		break;
	case SYMBOLICATE:
		answer->is_preflight = strcmp(request->method, "OPTIONS") == 0;
		if (answer->is_preflight)
			answer->status = 204;
		else
			answer_within_bounds(service, endpoint, request, answer);
		break;
	case SYMBOLIZE:
	case PROFILES:
		answer_within_bounds(service, endpoint, request, answer);
		break;
	case SERVER:
		answer->status = 204;
		answer->allow = "GET, HEAD, POST, PUT, OPTIONS";
		break;
	case BUILD_FILE:
		why = serve_build_file(service, request->path, answer);
		if (why)
			refuse_request(answer->status, why, answer);
		break;
	case NO_ENDPOINT:
		refuse_request(404, "nothing is at this path: docs/service.md lists the paths",
		               answer);
		break;
	}
	answer->is_shared = endpoint == SYMBOLICATE;
}

static void count_request(struct service *service, unsigned status, double seconds)
{
	struct service_metrics *metrics = &service->metrics;

	pthread_mutex_lock(&service->mutex);
	if (status < 400)
		metrics->done++;
	else if (status == 404)
		metrics->no_symbols++;
	else if (status < 500)
		metrics->rejected++;
	else
		metrics->retried++;
	metric_times_take(&metrics->times, seconds);
	pthread_mutex_unlock(&service->mutex);
}

/* Log a request. Strings from the client are escaped. */
static void log_request(struct service *service, const struct web_request *request, unsigned status,
                        double seconds)
{
	if (service->quiet && status < 400)
		return;
	pthread_mutex_lock(&service->mutex);
	fprintf(stderr, "%u ", status);
	print_string(stderr, request->method);
	fputc(' ', stderr);
	print_string(stderr, request->path);
	fprintf(stderr, " %zu bytes %.3f s\n", request->body.size, seconds);
	pthread_mutex_unlock(&service->mutex);
}

static double read_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * Refuse methods and encodings that the endpoint does not support. Return false if the request is
 * acceptable.
 */
static bool refuse_at_endpoint(enum endpoint endpoint, const struct web_request *request,
                               struct web_answer *answer)
{
	if (endpoint == NO_ENDPOINT)
		return false;
	if (!is_allowed(endpoints[endpoint].allow, request->method)) {
		refuse_request(405, "the path is not for this method", answer);
		answer->allow = endpoints[endpoint].allow;
	} else if ((endpoint == SYMBOLIZE || endpoint == SYMBOLICATE) && request->encoding &&
	           strcasecmp(request->encoding, "identity") != 0) {
		/* JSON bodies are not decompressed, unlike profiles */
		refuse_request(SERVICE_BAD_TYPE,
		               "Content-Encoding: the body has to be sent unpacked", answer);
	} else {
		return false;
	}
	answer->is_shared = endpoint == SYMBOLICATE;
	return true;
}

void endpoint_answer(void *context, const struct web_request *request, struct web_answer *answer)
{
	struct service *service = context;
	const enum endpoint endpoint = choose_endpoint(request->path);
	const double begin = read_seconds();

	if (!refuse_at_endpoint(endpoint, request, answer))
		answer_endpoint(service, endpoint, request, answer);
	const double seconds = read_seconds() - begin;
	if (endpoint != HEALTH && endpoint != METRICS && endpoint != SERVER)
		count_request(service, answer->status, seconds);
	log_request(service, request, answer->status, seconds);
}

void endpoint_refuse(void *context, const struct web_request *request, unsigned status,
                     const char *why, struct web_answer *answer)
{
	struct service *service = context;

	refuse_request(status, why, answer);
	answer->is_shared = choose_endpoint(request->path) == SYMBOLICATE && status != 403;
	count_request(service, status, 0);
	log_request(service, request, status, 0);
}

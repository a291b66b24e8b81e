/* SPDX-License-Identifier: MIT */
/*
 * `cairn serve`: an HTTP service that symbolizes addresses. This process answers requests with the
 * help of confined worker processes, which read the symbol files.
 */
#include "base/encoding.h"
#include "cli/front/cli.h"
#include "cli/front/rights.h"
#include "cli/symbfile/net.h"
#include "os/channel.h"
#include "os/debuginfod.h"
#include "os/process.h"
#include "output/escape.h"
#include "server/net/http.h"
#include "server/net/listen.h"
#include "server/net/web.h"
#include "service/answers.h"
#include "service/worker.h"
#include "service/worker_pool.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
	SERVE_BODY_MAX = 16 << 20,
	/* maximum size of a profile in bytes, as sent by the client */
	SERVE_PROFILE_MAX = 32 << 20,
	SERVE_SECONDS = 30,     /* default time limit per request in seconds */
	SERVE_MEMORY = 1 << 30, /* default memory limit for the symbols in all workers, in bytes */
	/* malloc() threshold: larger allocations are returned to the system when they are freed */
	SERVE_OWN_PAGES = 1 << 18,
	/* maximum number of requests handled at the same time; further ones wait */
	SERVE_BUSY_MAX = 32,
};

struct service {
	struct worker_pool *worker_pool;
	struct web *web;
	unsigned seconds;
	bool quiet;
	/* URL of the collector to which symbolized profiles are forwarded; may be NULL */
	const char *forward;
	int memory_file;       /* descriptor from own_use_open() */
	pthread_mutex_t mutex; /* protects all members below */
	pthread_cond_t less_busy;
	unsigned busy;
	struct service_metrics metrics;
};

static const char prefix[] = "/buildid/";
static bool read_build_path(const char *path, struct query_module *module, bool *is_debug)
{
	const char *id = path + strlen(prefix), *slash = strchr(id, '/');
	const size_t digits = slash ? (size_t)(slash - id) : 0;

	*module = (struct query_module){ .id_size = (uint8_t)(digits / 2) };
	if (digits == 0 || digits / 2 > QUERY_ID_MAX ||
	    !hex_read((struct cairn_bytes){ (const uint8_t *)id, digits }, module->id, digits / 2))
		return false;
	*is_debug = strcmp(slash, "/debuginfo") == 0;
	return *is_debug || strcmp(slash, "/executable") == 0;
}

/*
 * Handle GET /buildid/ID/KIND. Return NULL on success; otherwise return the reason for the failure,
 * and set the status in *answer.
 */
static const char *serve_build_file(struct service *service, const char *path,
                                    struct web_answer *answer)
{
	const uint64_t until = channel_clock() + (uint64_t)service->seconds * 1000;
	struct query_module module;
	bool is_debug;

	answer->status = SERVICE_BAD;
	if (!read_build_path(path, &module, &is_debug))
		return "expected /buildid/ID/debuginfo or /buildid/ID/executable";
	answer->fd = worker_pool_open_file(service->worker_pool, &module, is_debug, until);
	answer->status = answer->fd < 0 ? 404 : SERVICE_OK;
	answer->type = "application/octet-stream";
	return answer->fd < 0 ? "no such file for this build" : NULL;
}

enum { ANSWER_MAX = 1 << 16 };

struct taken {
	char *bytes;
	size_t size;
};

static bool take_piece(void *context, unsigned status, struct cairn_bytes piece)
{
	struct taken *taken = context;
	char *grown;

	(void)status;
	if (piece.size > ANSWER_MAX - taken->size ||
	    !(grown = realloc(taken->bytes, taken->size + piece.size + 1)))
		return false;
	memcpy(grown + taken->size, piece.data, piece.size);
	taken->bytes = grown;
	taken->size += piece.size;
	return true;
}

static bool begin_taking(void *context)
{
	((struct taken *)context)->size = 0;
	return true;
}

static void send_profile(struct http *http, bool is_json, struct service_answer *answer)
{
	struct taken taken = { NULL, 0 };
	struct http_request request = { .path = "/v1development/profiles",
		                        .headers = { { "Content-Type",
		                                       is_json ? "application/json"
		                                               : "application/x-protobuf" },
		                                     { "Expect", "" } },
		                        .header_count = 2,
		                        .post = true,
		                        .body = { (const uint8_t *)answer->body, answer->size },
		                        .begin = begin_taking,
		                        .take = take_piece,
		                        .context = &taken };
	const bool sent = http_send(http, &request);

	service_answer_free(answer);
	if (sent && request.status < 500 && request.status != 429) {
		answer->status = request.status;
		answer->body = taken.bytes;
		answer->size = taken.size;
		return;
	}
	free(taken.bytes);
	service_profiles_refuse(is_json, SERVICE_TRY_AGAIN,
	                        "the next collector did not accept the profile: try again", answer);
}

static void serve_forward(struct service *service, bool is_json, struct service_answer *answer)
{
	const struct http_options options = { .url = service->forward,
		                              .retries = 0,
		                              .backoff = HTTP_BACKOFF,
		                              .seconds = service->seconds };
	char message[HTTP_MESSAGE_MAX];
	struct http *http;

	if (http_open(&options, &http, message)) {
		send_profile(http, is_json, answer);
		http_close(http);
		return;
	}
	service_answer_free(answer);
	service_profiles_refuse(is_json, SERVICE_TRY_AGAIN, "out of memory", answer);
}

enum endpoint {
	HEALTH,
	METRICS,
	SYMBOLIZE,
	SYMBOLICATE,
	PROFILES,
	SERVER, /* the request target "*": the server as a whole (RFC 9110, section 9.3.7) */
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

/* Callbacks of struct web_options, whose context is a struct service. */
static size_t endpoint_limit(void *context, const char *method, const char *path)
{
	const enum endpoint endpoint = choose_endpoint(path);

	(void)context;
	return endpoint == NO_ENDPOINT || !is_allowed(endpoints[endpoint].allow, method)
	               ? SERVE_BODY_MAX
	               : endpoints[endpoint].limit;
}

/* Convert a response for the web server. The body is moved to `to`, not copied. */
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

struct asking {
	struct service *service;
	/* request whose memory limit the responses count against; NULL disables the limit */
	const struct web_request *request;
	uint64_t until;
};

static bool hold_memory(void *context, size_t size)
{
	const struct web_request *request = ((const struct asking *)context)->request;

	return request->hold(request, size);
}

static enum query_outcome ask_pool(void *context, struct query *query)
{
	struct asking *asking = context;
	size_t size = 0;

	if (asking->request) {
		query->hold = hold_memory;
		query->hold_context = asking;
	}
	const enum query_outcome outcome =
		worker_pool_ask(asking->service->worker_pool, query, asking->until);
	for (size_t i = 0; i < query->part_count; i++)
		size += query->part[i].size;
	return query->hold && outcome == QUERY_DONE && !query->hold(asking, size) ? QUERY_CROWDED
	                                                                          : outcome;
}

static bool find_pool_locations(void *context, const struct query_module *module,
                                struct elf_places *places)
{
	const struct asking *asking = context;

	return worker_pool_find_places(asking->service->worker_pool, module, places, asking->until);
}

static void answer_body(struct service *service, enum endpoint endpoint,
                        const struct web_request *request, struct service_answer *answer)
{
	struct asking asking = { service, endpoint == PROFILES ? NULL : request,
		                 channel_clock() + (uint64_t)service->seconds * 1000 };
	const struct query_asker asker = { ask_pool, find_pool_locations, &asking };
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

	const uint64_t until = channel_clock() + (uint64_t)service->seconds * 1000;
	bool waits = true;
	pthread_mutex_lock(&service->mutex);
	while (service->busy >= SERVE_BUSY_MAX && waits)
		waits = channel_wait(&service->less_busy, &service->mutex, until);
	const bool enters = service->busy < SERVE_BUSY_MAX;
	service->busy += enters;
	pthread_mutex_unlock(&service->mutex);
	if (!enters) {
		refuse_request(SERVICE_TRY_AGAIN, "too many concurrent requests; try again later",
		               answer);
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
	const struct worker_pool_counts counts = worker_pool_count(service->worker_pool);
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

static void answer_endpoint(struct service *service, enum endpoint endpoint,
                            const struct web_request *request, struct web_answer *answer)
{
	const char *why;

	switch (endpoint) {
	case HEALTH:
		if (worker_pool_is_alive(service->worker_pool)) {
			static const char text[] = "ok\n";
			answer->status = SERVICE_OK;
			answer->type = "text/plain";
			answer->body = malloc(sizeof(text));
			if (answer->body)
				memcpy(answer->body, text, sizeof(text));
			answer->size = answer->body ? sizeof(text) - 1 : 0;
		} else
			refuse_request(SERVICE_TRY_AGAIN, "the service is stopping", answer);
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
		refuse_request(404, "unknown path; docs/service.md lists the valid paths", answer);
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
 * Refuse methods and content types that the endpoint does not support. Return false if the request
 * is acceptable.
 */
static bool refuse_at_endpoint(enum endpoint endpoint, const struct web_request *request,
                               struct web_answer *answer)
{
	if (endpoint == NO_ENDPOINT)
		return false;
	if (!is_allowed(endpoints[endpoint].allow, request->method)) {
		refuse_request(405, "the method is not allowed for this path", answer);
		answer->allow = endpoints[endpoint].allow;
	} else if ((endpoint == SYMBOLIZE || endpoint == SYMBOLICATE) && request->encoding &&
	           strcasecmp(request->encoding, "identity") != 0) {
		/* only profiles may be compressed */
		refuse_request(SERVICE_BAD_TYPE,
		               "Content-Encoding is not supported for this path; send the body "
		               "uncompressed",
		               answer);
	} else {
		return false;
	}
	answer->is_shared = endpoint == SYMBOLICATE;
	return true;
}

static void endpoint_answer(void *context, const struct web_request *request,
                            struct web_answer *answer)
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

static void endpoint_refuse(void *context, const struct web_request *request, unsigned status,
                            const char *why, struct web_answer *answer)
{
	struct service *service = context;

	refuse_request(status, why, answer);
	answer->is_shared = choose_endpoint(request->path) == SYMBOLICATE && status != 403;
	count_request(service, status, 0);
	log_request(service, request, status, 0);
}

static const char about[] =
	"Name addresses for collectors, profilers and web pages, over HTTP (docs/service.md):\n"
	"  POST /symbolize               addresses in build IDs\n"
	"  POST /symbolicate/v5          requests of the Firefox Profiler\n"
	"  POST /v1development/profiles  OpenTelemetry profiles, passed on with --forward\n"
	"  GET /buildid/ID/debuginfo, GET /buildid/ID/executable, GET /metrics, GET /health\n"
	"Confined processes read the symbol files, and only from the directories and servers\n"
	"given here. Print the address, then a line for each request on standard error, until\n"
	"SIGTERM.";
struct settings {
	const char *unix_path, *listen, *directories, *forward;
	struct option_words files, hosts;
	bool use_debuginfod;
	struct store_settings store;
	uint64_t deadline, workers, memory, fetch_seconds;
};

static bool watch_service(void *context)
{
	const struct service *service = context;

	web_watch(service->web);
	return worker_pool_is_alive(service->worker_pool);
}

static struct worker_pool_options make_pool_options(const struct settings *s)
{
	/*
	 * A worker's address space includes mappings of large files, so its limit must be high. The
	 * limit only prevents a runaway worker from exhausting the machine's memory.
	 */
	const uint64_t address_space = (uint64_t)64 << 30;

	return (struct worker_pool_options){ .worker = { .directories = s->directories,
		                                         .programs = s->files.word,
		                                         .program_count = s->files.count,
		                                         .use_fetched = s->use_debuginfod,
		                                         .memory = s->memory / s->workers,
		                                         .address_space = address_space,
		                                         .readable = demangled_name },
		                             .workers = (unsigned)s->workers,
		                             /*
		                              * use the last third of the deadline for a second
		                              * query without slow sources
		                              */
		                             .seconds = (unsigned)(s->deadline - s->deadline / 3),
		                             .use_debuginfod = s->use_debuginfod,
		                             .fetch_seconds = (unsigned)s->fetch_seconds };
}

static bool start_web(const struct settings *s, const struct serve_options *store,
                      struct service *service)
{
	const struct web_options options = {
		.unix_path = s->unix_path,
		.listen = s->listen,
		.hosts = s->hosts.word,
		.host_count = s->hosts.count,
		/* one socket per worker, and another while a worker is being replaced */
		.descriptors = 2 * (unsigned)s->workers +
		               (s->use_debuginfod ? 2 * WORKER_POOL_FETCHERS : 0),
		.store = store->directory ? store : NULL,
		.limit = endpoint_limit,
		.answer = endpoint_answer,
		.refuse = endpoint_refuse,
		.context = service
	};
	char message[WEB_MESSAGE_MAX];

	if (web_start(&options, &service->web, message))
		return true;
	return refuse_with(s->unix_path ? s->unix_path : s->listen, "%s", message);
}

static int run_service(const struct settings *s, const struct serve_options *store,
                       struct service *service)
{
	sigset_t ends;

	end_signals_block(&ends);
	const struct worker_pool_options options = make_pool_options(s);
	service->worker_pool = worker_pool_start(&options);
	if (!service->worker_pool)
		return fail_with(NULL,
		                 "cannot start the workers: out of memory, or too many processes");
#ifdef M_MMAP_THRESHOLD
	/*
	 * map large responses separately; otherwise each thread's heap would keep the memory of its
	 * largest response
	 */
	mallopt(M_MMAP_THRESHOLD, SERVE_OWN_PAGES);
#endif
	rights_enter_server(s->unix_path, store->directory);
	if (!start_web(s, store, service)) {
		worker_pool_stop(service->worker_pool);
		return EXIT_BROKEN;
	}
	const struct listen_socket *listener = web_listener(service->web);
	if (listener->is_public)
		print_diagnostic(NULL,
		                 "warning: anyone who can reach %s can send requests; use a proxy "
		                 "to authenticate them",
		                 listener->address);
	if (store->directory)
		store_warn_of_settings(store, listener, web_stored(service->web));
	printf("listening on %s\n", web_listener(service->web)->address);
	fflush(stdout);
	const bool is_told = end_signals_wait(&ends, watch_service, service);
	web_stop(service->web);
	worker_pool_stop(service->worker_pool);
	/*
	 * this process is confined and multithreaded, so it cannot restart the process that starts
	 * workers
	 */
	return is_told ? EXIT_CLEAN
	               : fail_with(
				 NULL,
				 "the process that starts workers was killed; restart the service");
}

static bool check_forward(const char *url)
{
	const struct http_options options = { .url = url };
	char message[HTTP_MESSAGE_MAX];
	struct http *http;

	if (!url)
		return true;
	if (!http_open(&options, &http, message))
		return refuse_with(url, "%s", message);
	http_close(http);
	return true;
}

/*
 * Check that the child processes can write to debuginfod's cache. If cairn runs as root, they run
 * as a different user.
 */
static bool check_cache(const struct settings *s)
{
	char directory[FETCHER_PATH_MAX];

	if (!s->use_debuginfod || !debuginfod_cache_directory(directory, sizeof(directory)) ||
	    fetcher_can_write(directory))
		return true;
	return refuse_with(
		directory,
		"the account of the workers ('nobody' if the service was started by root) cannot "
		"write to debuginfod's cache; set DEBUGINFOD_CACHE_PATH to a directory that this "
		"account can write to");
}

static int start_service(struct settings *s)
{
	static struct service service; /* static, because threads use it until the process ends */
	struct serve_options store = { .directory = NULL };

	service.seconds = (unsigned)s->deadline;
	service.quiet = s->store.quiet;
	service.forward = s->forward;
	service.memory_file = own_use_open();
	if (!check_forward(s->forward) || !check_cache(s))
		return EXIT_USAGE;
	if (s->store.directory && !store_settings_take(&s->store, &store))
		return EXIT_BROKEN;
	if (pthread_mutex_init(&service.mutex, NULL) != 0 ||
	    !channel_condition_init(&service.less_busy))
		return fail_with(NULL, "out of memory");
	return run_service(s, &store, &service);
}

static int check_settings(const struct command *command, const struct settings *s)
{
	if (!s->unix_path == !s->listen)
		return usage_error(command, "--unix or --listen is required");
	if (s->listen && !listen_is_address(s->listen))
		return usage_error(command, "--listen %s: " LISTEN_ADDRESS_EXPECTED, s->listen);
	if (s->workers == 0 || s->workers > WORKER_POOL_WORKERS_MAX)
		return usage_error(command, "--workers must be from 1 to %d",
		                   WORKER_POOL_WORKERS_MAX);
	if (s->deadline == 0 || s->deadline > 3600 || s->fetch_seconds == 0 ||
	    s->fetch_seconds > 3600)
		return usage_error(command,
		                   "--deadline and --debuginfod-deadline must be from 1 to 3600");
	if (s->store.max_part == 0)
		return usage_error(command, "--max-part must be greater than 0");
	if (!s->store.directory &&
	    (s->store.key.file || s->store.read_key.file || s->store.quota > 0))
		return usage_error(command,
		                   "--api-key-file, --read-key-file and --quota require --store");
	if (s->memory < 1 << 20)
		return usage_error(command, "--max-memory must be at least 1048576");
	return EXIT_CLEAN;
}

int verb_serve(int argc, char **argv)
{
	struct settings s = { .deadline = SERVE_SECONDS,
		              .workers = WORKER_POOL_WORKERS,
		              .memory = SERVE_MEMORY,
		              .store = { .max_part = SERVE_MAX_PART },
		              .fetch_seconds = DEBUGINFOD_DEADLINE };
	const struct option options[] = {
		OPTION_TEXT("unix", "PATH", "listen at this socket, for its owner only",
		            &s.unix_path),
		OPTION_TEXT("listen", "ADDRESS:PORT",
		            "listen at this address; port 0: any free port", &s.listen),
		OPTION_WORDS("file", "ELF",
		             "program or library, identified by its build ID; may be repeated",
		             &s.files),
		OPTIONS_DIRECTORIES(&s.directories),
		OPTION_DEBUGINFOD("also ask the servers in DEBUGINFOD_URLS", &s.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&s.fetch_seconds),
		OPTION_TEXT("forward", "URL", "pass profiles on to the collector there",
		            &s.forward),
		OPTION_WORDS("host", "NAME", "allow requests for this host; may be repeated",
		             &s.hosts),
		OPTION_WITH(RIGHT_STORE, text, 0, "store", "DIR",
		            "also serve the symbfiles in DIR, as 'cairn symbfile serve'",
		            &s.store.directory),
		OPTIONS_STORE(&s.store),
		OPTION_NUMBER("workers", "N", "processes that read files of symbols (4)",
		              &s.workers),
		OPTION_NUMBER("max-memory", "N", "bytes of symbols in memory (1 GiB)", &s.memory),
		OPTION_NUMBER("deadline", "SECONDS", "time limit for a request (30)", &s.deadline),
		OPTION_FLAG("quiet", "log failures only", &s.store.quiet),
	};
	const struct command command =
		COMMAND("cairn serve [OPTION...] --unix PATH | --listen ADDRESS:PORT", about,
	                options, .rights = RIGHT_ALL);
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	status = check_settings(&command, &s);
	return status == EXIT_CLEAN ? start_service(&s) : status;
}

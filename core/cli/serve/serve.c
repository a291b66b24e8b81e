/* SPDX-License-Identifier: MIT */
/*
 * `cairn serve`: parses the options, starts the workers and the web server, and waits for signals.
 */
#include "serve.h"

#include "cli/front/rights.h"
#include "cli/symbfile/net/store_settings.h"
#include "os/channel.h"
#include "os/debuginfod/debuginfod.h"
#include "os/process/own_use.h"
#include "server/net/client/http.h"
#include "server/net/listen/end_signals.h"
#include "service/workers/fetcher.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Names addresses for collectors, profilers and web pages, over HTTP (docs/service.md):\n"
	"  POST /symbolize               addresses in build IDs\n"
	"  POST /symbolicate/v5          as the Firefox Profiler asks for names\n"
	"  POST /v1development/profiles  OpenTelemetry's profiles, passed on with --forward\n"
	"  GET /buildid/ID/debuginfo, GET /buildid/ID/executable, GET /metrics, GET /health\n"
	"Files of symbols are read by confined processes, from what is named here alone. Prints\n"
	"where it listens, then a line for each request on standard error. Ends with SIGTERM.";

struct settings {
	const char *unix_path, *listen, *folders, *forward;
	struct option_words files, hosts;
	bool use_debuginfod;
	struct store_settings store;
	uint64_t deadline, workers, memory, fetch_seconds;
};

static bool watch_service(void *context)
{
	const struct service *service = context;

	web_watch(service->web);
	return crew_is_alive(service->crew);
}

static struct crew_options make_crew_options(const struct settings *s)
{
	/*
	 * the limit includes maps of large files; it keeps a worker from exhausting the machine's
	 * memory by accident
	 */
	const uint64_t address_space = (uint64_t)64 << 30;

	return (struct crew_options){ .worker = { .folders = s->folders,
		                                  .programs = s->files.word,
		                                  .program_count = s->files.count,
		                                  .use_fetched = s->use_debuginfod,
		                                  .memory = s->memory / s->workers,
		                                  .address_space = address_space,
		                                  .readable = readable_name },
		                      .workers = (unsigned)s->workers,
		                      /*
		                       * the last third of the deadline is reserved for a second
		                       * query without the slow part
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
		/* one socket per worker, and a second one while it is replaced */
		.descriptors =
			2 * (unsigned)s->workers + (s->use_debuginfod ? 2 * CREW_FETCHERS : 0),
		.store = store->folder ? store : NULL,
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

static void warn_of_settings(const struct serve_options *store, const struct web *web)
{
	const struct listen_socket *listener = web_listener(web);

	if (listener->is_public)
		print_diagnostic(NULL,
		                 "warning: anyone who reaches %s may ask; a proxy in front can "
		                 "ask who they are",
		                 listener->address);
	if (store->folder)
		store_warn_of_settings(store, listener, web_stored(web));
}

static int run_service(const struct settings *s, const struct serve_options *store,
                       struct service *service)
{
	sigset_t ends;

	end_signals_block(&ends);
	const struct crew_options options = make_crew_options(s);
	service->crew = crew_start(&options);
	if (!service->crew)
		return fail_with(NULL, "cannot start workers: out of memory or processes");
#ifdef M_MMAP_THRESHOLD
	/* otherwise the heap of each thread would keep the memory of its largest answer */
	mallopt(M_MMAP_THRESHOLD, SERVE_OWN_PAGES);
#endif
	rights_enter_server(s->unix_path, store->folder);
	if (!start_web(s, store, service)) {
		crew_stop(service->crew);
		return EXIT_BROKEN;
	}
	warn_of_settings(store, service->web);
	printf("listening on %s\n", web_listener(service->web)->address);
	fflush(stdout);
	const bool is_told = end_signals_wait(&ends, watch_service, service);
	web_stop(service->web);
	crew_stop(service->crew);
	/* this process is confined and multithreaded, so it cannot start another one */
	return is_told ? EXIT_CLEAN
	               : fail_with(NULL, "the process that starts workers was killed: the service "
	                                 "ends, and has to be started again");
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
 * Check that the fetching and reading processes can write to debuginfod's cache. If cairn runs as
 * root, they run as another user.
 */
static bool check_cache(const struct settings *s)
{
	char folder[FETCHER_PATH_MAX];

	if (!s->use_debuginfod || !debuginfod_cache_folder(folder, sizeof(folder)) ||
	    fetcher_can_write(folder))
		return true;
	return refuse_with(
		folder,
		"who fetches and reads, which for root is the user nobody, cannot write into "
		"debuginfod's cache: set DEBUGINFOD_CACHE_PATH to a folder of that user");
}

static int start_service(struct settings *s)
{
	static struct service service; /* threads use `service` until the process ends */
	struct serve_options store = { .folder = NULL };

	service.seconds = (unsigned)s->deadline;
	service.quiet = s->store.quiet;
	service.forward = s->forward;
	service.memory_file = own_use_open();
	if (!check_forward(s->forward) || !check_cache(s))
		return EXIT_USAGE;
	if (s->store.folder && !store_settings_take(&s->store, &store))
		return EXIT_BROKEN;
	if (pthread_mutex_init(&service.mutex, NULL) != 0 ||
	    !channel_condition_init(&service.less_busy))
		return fail_with(NULL, "out of memory");
	return run_service(s, &store, &service);
}

static int check_settings(const struct command *command, const struct settings *s)
{
	if (!s->unix_path == !s->listen)
		return usage_error(command, "one of --unix and --listen is needed");
	if (s->listen && !listen_is_address(s->listen))
		return usage_error(command, "--listen %s: " LISTEN_ADDRESS_EXPECTED, s->listen);
	if (s->workers == 0 || s->workers > CREW_WORKERS_MAX)
		return usage_error(command, "--workers must be from 1 to %d", CREW_WORKERS_MAX);
	if (s->deadline == 0 || s->deadline > 3600 || s->fetch_seconds == 0 ||
	    s->fetch_seconds > 3600)
		return usage_error(command,
		                   "--deadline and --debuginfod-deadline must be from 1 to 3600");
	if (s->store.max_part == 0)
		return usage_error(command, "--max-part must be above 0");
	if (!s->store.folder && (s->store.key.file || s->store.read_key.file || s->store.quota > 0))
		return usage_error(command,
		                   "--api-key-file, --read-key-file and --quota need --store");
	if (s->memory < 1 << 20)
		return usage_error(command, "--max-memory must be 1048576 or more");
	return EXIT_CLEAN;
}

int verb_serve(int argc, char **argv)
{
	struct settings s = { .deadline = SERVE_SECONDS,
		              .workers = CREW_WORKERS,
		              .memory = SERVE_MEMORY,
		              .store = { .max_part = SERVE_MAX_PART },
		              .fetch_seconds = DEBUGINFOD_DEADLINE };
	const struct option options[] = {
		OPTION_TEXT("unix", "PATH", "listen at a socket of this path, for its owner alone",
		            &s.unix_path),
		OPTION_TEXT("listen", "ADDRESS:PORT", "listen there; port 0 is any free port",
		            &s.listen),
		OPTION_WORDS("file", "ELF",
		             "a program or library, known by its build ID; may be repeated",
		             &s.files),
		OPTION_DIRECTORY(&s.folders),
		OPTION_DEBUG_FILE_DIRECTORY(&s.folders),
		OPTION_WITH(RIGHT_NETWORK | RIGHT_FETCHES, flag, 0, "debuginfod", NULL,
		            "also ask the servers in DEBUGINFOD_URLS", &s.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&s.fetch_seconds),
		OPTION_TEXT("forward", "URL", "pass profiles on to the collector there",
		            &s.forward),
		OPTION_WORDS("host", "NAME", "allow requests for this host; may be repeated",
		             &s.hosts),
		OPTION_WITH(RIGHT_STORE, text, 0, "store", "DIR",
		            "serve the symbfiles in this folder, as 'cairn symbfile serve'",
		            &s.store.folder),
		OPTIONS_STORE(&s.store),
		OPTION_NUMBER("workers", "N", "processes that read files of symbols (4)",
		              &s.workers),
		OPTION_NUMBER("max-memory", "N", "bytes of symbols that they keep (1 GiB)",
		              &s.memory),
		OPTION_NUMBER("deadline", "SECONDS", "seconds that a request may take (30)",
		              &s.deadline),
		OPTION_FLAG("quiet", "log failures only", &s.store.quiet),
	};
	const struct command command = {
		"cairn serve [OPTION...] --unix PATH | --listen ADDRESS:PORT", about, options,
		COUNT(options), .rights = RIGHT_ALL
	};
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	status = check_settings(&command, &s);
	return status == EXIT_CLEAN ? start_service(&s) : status;
}

/* SPDX-License-Identifier: MIT */
/*
 * `cairn work`: answers requests from a message broker's queue, and publishes counters over HTTP
 * and in a file.
 */
#include "server/amqp/work.h"
#include "cli/front/cli.h"
#include "os/atomic_file.h"
#include "os/channel.h"
#include "os/process.h"
#include "output/escape.h"
#include "server/net/listen.h"
#include "server/net/web.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WORK_FILE_SECONDS = 10, /* seconds between updates of the counter file */
	WORK_MEMORY_LEAST = 16 << 20,
	WORK_WORDS_MAX = 16,
};

/* The worker's counters, and the HTTP server and the file that publish them. */
struct work_show {
	pthread_mutex_t mutex;
	struct work_metrics metrics;
	struct web *web;
	int memory_file; /* descriptor from own_use_open() */
	const char *file;
	uint64_t next_file; /* time at which the counter file is written next, in milliseconds */
	uint64_t next_watch;
	bool has_failed; /* true if a failure to write the file has been reported */
};

static char *write_text(struct work_show *show, size_t *size)
{
	const struct work_process process = { .resident = own_use_memory(show->memory_file),
		                              .processor = own_use_processor() };
	struct work_metrics metrics;

	pthread_mutex_lock(&show->mutex);
	metrics = show->metrics;
	pthread_mutex_unlock(&show->mutex);
	return work_metrics_text(&metrics, &process, size);
}

static size_t take_no_body(void *context, const char *method, const char *path)
{
	(void)context;
	(void)method;
	(void)path;
	return 0;
}

static void answer_web(void *context, const struct web_request *request, struct web_answer *answer)
{
	const bool is_known = strcmp(request->path, "/metrics") == 0;

	answer->type = "text/plain; version=0.0.4";
	if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
		answer->status = 405;
		answer->allow = "GET, HEAD";
	} else if (!is_known) {
		answer->status = 404;
	} else {
		answer->body = write_text(context, &answer->size);
		answer->status = answer->body ? 200 : 503;
	}
}

static void refuse_web(void *context, const struct web_request *request, unsigned status,
                       const char *why, struct web_answer *answer)
{
	(void)context;
	(void)request;
	(void)why;
	answer->status = status;
}

static bool start_metrics(struct work_show *show, const char *address)
{
	const struct web_options options = { .listen = address,
		                             .limit = take_no_body,
		                             .answer = answer_web,
		                             .refuse = refuse_web,
		                             .context = show };
	char message[WEB_MESSAGE_MAX];

	if (!web_start(&options, &show->web, message))
		return refuse_with(address, "%s", message);
	printf("metrics on %s\n", web_listener(show->web)->address);
	fflush(stdout);
	return true;
}

static void write_file(struct work_show *show)
{
	size_t size = 0;
	char *text = write_text(show, &size);
	const struct cairn_bytes bytes = { (const uint8_t *)text, size };
	const int error = text ? os_atomic_file_write(show->file, &bytes, 1) : ENOMEM;

	if (error && !show->has_failed)
		print_diagnostic(show->file, "cannot write: %s", strerror(error));
	show->has_failed = error != 0;
	free(text);
}

/*
 * Start the HTTP server and create the file. `address` and `file` may be NULL. On failure, print a
 * diagnostic and return false.
 */
static bool work_show_start(struct work_show *show, const char *address, const char *file)
{
	show->file = file;
	show->memory_file = own_use_open();
	if (pthread_mutex_init(&show->mutex, NULL) != 0)
		return refuse_with(NULL, "out of memory");
	if (file)
		write_file(show);
	if (show->has_failed)
		return false;
	return !address || start_metrics(show, address);
}

/*
 * Update the published counters. This is work_options.show with a struct work_show as its context.
 */
static void work_show_turn(void *context, const struct work_metrics *metrics)
{
	struct work_show *show = context;
	const uint64_t now = channel_clock();

	pthread_mutex_lock(&show->mutex);
	show->metrics = *metrics;
	pthread_mutex_unlock(&show->mutex);
	if (show->web && now >= show->next_watch) {
		web_watch(show->web);
		show->next_watch = now + 1000;
	}
	if (show->file && now >= show->next_file) {
		write_file(show);
		show->next_file = now + (uint64_t)WORK_FILE_SECONDS * 1000;
	}
}

#define URL_VARIABLE "CAIRN_AMQP"

static const char about[] =
	"Take requests from a queue of an AMQP 0-9-1 broker such as RabbitMQ, have them\n"
	"answered by 'cairn symbolize --each' in a separate process, and send the answers to\n"
	"another queue. A request is acknowledged when its answer is confirmed. Rejected\n"
	"requests go to the dead-letter queue with a reason. Requests that may succeed later,\n"
	"or that ended their worker, wait in the queues QUEUE.retry.SECONDS (docs/fleet.md).\n"
	"On SIGTERM, finish the requests in progress and exit.";
struct settings {
	const char *amqp, *ca_file, *requests, *answers, *dead, *retry, *child;
	const char *directories, *sysroot, *bodies, *origin, *metrics, *metrics_file;
	bool declare, use_debuginfod, redrive;
	uint64_t redrive_most; /* maximum number of messages to move; 0 means all */
	uint64_t prefetch, heartbeat, deadline, memory;
	/* the members below are derived from the options */
	unsigned delay[VERDICT_DELAYS_MAX], delays;
	char later[VERDICT_DELAYS_MAX][BROKER_NAME_MAX + 1];
	struct broker_queue queue[BROKER_QUEUES_MAX];
	size_t queue_count;
	const char *words[WORK_WORDS_MAX + 1];
};

static void tell_people(void *context, const char *what, const char *why)
{
	(void)context;
	/* parts of these strings come from the broker, so escape them */
	print_string_between(stderr, "cairn: ", what, why ? ": " : "\n");
	if (why)
		print_string_between(stderr, "", why, "\n");
}

/* Parse the delays of the retry queues: seconds separated by commas, such as "5,60,600". */
static bool read_delays(struct settings *s)
{
	const char *at = s->retry;

	for (s->delays = 0; at && *at; s->delays++) {
		char number[16];
		const size_t size = strcspn(at, ",");
		uint64_t seconds = 0;
		if (s->delays == VERDICT_DELAYS_MAX || size == 0 || size >= sizeof(number))
			return false;
		memcpy(number, at, size);
		number[size] = '\0';
		if (!parse_number(number, &seconds) || seconds == 0 || seconds > 86400)
			return false;
		s->delay[s->delays] = (unsigned)seconds;
		at += size;
		at += *at == ',';
	}
	return !s->retry || s->delays > 0;
}

static bool is_queue_name(const char *name)
{
	const size_t size = strlen(name);

	/* leave 12 bytes for a suffix such as ".retry.86400" */
	return size > 0 && size <= BROKER_NAME_MAX - 12;
}

static void add_option_words(struct settings *s, size_t *count, const char *name, const char *value)
{
	if (!value || *count + 2 > WORK_WORDS_MAX)
		return;
	s->words[(*count)++] = name;
	s->words[(*count)++] = value;
}

static void choose_child(struct settings *s)
{
	static char own[OWN_FILE_PATH], seconds[16];
	size_t count = 0;

	if (s->child) {
		s->words[0] = "/bin/sh";
		s->words[1] = "-c";
		s->words[2] = s->child;
		return;
	}
	if (!own_file_path(CAIRN_BINDIR "/cairn", "core/cli/cairn", own))
		/*
		 * cairn's own path is unknown, so execvp() searches for cairn in $PATH. If it is
		 * not there either, the failure to start the child is reported.
		 */
		strcpy(own, "cairn");
	s->words[count++] = own;
	s->words[count++] = "symbolize";
	s->words[count++] = "--each";
	add_option_words(s, &count, "--directory", s->directories);
	add_option_words(s, &count, "--sysroot", s->sysroot);
	add_option_words(s, &count, "--bodies", s->bodies);
	if (s->origin) {
		/*
		 * wait at most half of the deadline for a late file, so that the request is retried
		 * before the child is killed
		 */
		snprintf(seconds, sizeof(seconds), "%u", (unsigned)(s->deadline + 1) / 2);
		add_option_words(s, &count, "--origin", s->origin);
		add_option_words(s, &count, "--origin-deadline", seconds);
	}
	if (s->use_debuginfod) {
		s->words[count++] = "--debuginfod";
		s->words[count++] = "--fetches";
	}
}

static struct work_options make_options(const struct settings *s, const sigset_t *ends,
                                        struct work_show *show)
{
	struct work_options options = {
		.broker = { .url = s->amqp,
		            .ca_file = s->ca_file,
		            .queues = s->queue,
		            .queue_count = s->queue_count,
		            .declare = s->declare,
		            .prefetch = (unsigned)s->prefetch,
		            .heartbeat = (unsigned)s->heartbeat },
		.answers = s->answers,
		.dead = s->dead,
		.delays = s->delays,
		.child = { .command = s->words, .memory = s->memory },
		.seconds = (unsigned)s->deadline,
		.ends = ends,
		.say = tell_people,
		.show = work_show_turn,
		.context = show,
	};

	for (unsigned i = 0; i < s->delays; i++)
		options.later[i] = s->later[i];
	return options;
}

static int run_worker(struct settings *s)
{
	/* static, because the web server's thread uses it until the process ends */
	static struct work_show show;
	sigset_t ends;
	bool good;

	s->queue[s->queue_count++] = (struct broker_queue){ s->requests, 0, s->dead };
	s->queue[s->queue_count++] = (struct broker_queue){ s->answers, 0, NULL };
	if (s->dead)
		s->queue[s->queue_count++] = (struct broker_queue){ s->dead, 0, NULL };
	for (unsigned i = 0; i < s->delays; i++) {
		snprintf(s->later[i], sizeof(s->later[i]), "%s.retry.%u", s->requests, s->delay[i]);
		s->queue[s->queue_count++] =
			(struct broker_queue){ s->later[i], s->delay[i], s->requests };
	}
	choose_child(s);
	end_signals_block(&ends);
	const struct work_options options = make_options(s, &ends, &show);
	if (!work_show_start(&show, s->metrics, s->metrics_file))
		return EXIT_BROKEN;
	good = work_run(&options);
	if (show.file)
		write_file(&show);
	if (show.web)
		web_stop(show.web);
	return good ? EXIT_CLEAN : EXIT_BROKEN;
}

/*
 * Move all current dead letters back to the request queue, after an operator has fixed their cause.
 */
static int run_redrive(const struct settings *s)
{
	char message[BROKER_MESSAGE_MAX];
	sigset_t ends;
	uint64_t moved;

	end_signals_block(&ends);
	const struct redrive_options options = { .url = s->amqp,
		                                 .ca_file = s->ca_file,
		                                 .dead = s->dead,
		                                 .requests = s->requests,
		                                 .most = s->redrive_most,
		                                 .heartbeat = (unsigned)s->heartbeat,
		                                 .ends = &ends };
	const bool good = redrive_run(&options, &moved, message);
	printf("%" PRIu64 " dead letters were moved back to the requests\n", moved);
	fflush(stdout);
	if (!good)
		tell_people(NULL, message, NULL);
	return good ? EXIT_CLEAN : EXIT_BROKEN;
}

static int check_settings(const struct command *command, struct settings *s)
{
	if (!s->amqp)
		s->amqp = getenv(URL_VARIABLE);
	if (!read_delays(s))
		return usage_error(
			command, "--retry must list at most 8 delays in seconds, such as 5,60,600");
	if (s->prefetch == 0 || s->prefetch > BROKER_PREFETCH_MAX)
		return usage_error(command, "--prefetch must be from 1 to %d", BROKER_PREFETCH_MAX);
	if (s->heartbeat < 2 || s->heartbeat > 600)
		return usage_error(command, "--heartbeat must be from 2 to 600");
	if (s->deadline == 0 || s->deadline > 3600)
		return usage_error(command, "--deadline must be from 1 to 3600");
	if (s->metrics && !listen_is_address(s->metrics))
		return usage_error(command, "--metrics %s: " LISTEN_ADDRESS_EXPECTED, s->metrics);
	if (s->memory < WORK_MEMORY_LEAST)
		return usage_error(command, "--max-memory must be at least 16777216");
	char message[BROKER_MESSAGE_MAX];
	if (s->redrive && (!s->amqp || !s->requests || !s->dead))
		return usage_error(command, "--amqp (or " URL_VARIABLE
		                            "), --requests and --dead are required");
	if (!s->redrive && (!s->amqp || !s->requests || !s->answers))
		return usage_error(command, "--amqp (or " URL_VARIABLE
		                            "), --requests and --answers are required");
	if (!is_queue_name(s->requests) || (!s->redrive && !is_queue_name(s->answers)) ||
	    (s->dead && !is_queue_name(s->dead)))
		return usage_error(command, "a queue name must be 1 to 243 bytes long");
	if (!broker_check_url(s->amqp, message)) {
		print_diagnostic("--amqp", "%s", message);
		return EXIT_USAGE;
	}
	return EXIT_CLEAN;
}

int verb_work(int argc, char **argv)
{
	static struct settings s = { .prefetch = WORK_PREFETCH,
		                     .heartbeat = WORK_HEARTBEAT,
		                     .deadline = WORK_SECONDS,
		                     .memory = (uint64_t)4 << 30 };
	const struct option options[] = {
		OPTION_TEXT("amqp", "URL", "the broker: amqp://USER:PASSWORD@HOST, or amqps://",
		            &s.amqp),
		OPTION_TEXT("ca-file", "FILE", "certificates to trust for amqps (the system's)",
		            &s.ca_file),
		OPTION_TEXT("requests", "QUEUE", "take requests from there", &s.requests),
		OPTION_TEXT("answers", "QUEUE", "send answers there", &s.answers),
		OPTION_TEXT("dead", "QUEUE", "send rejected requests there", &s.dead),
		OPTION_TEXT("retry", "SECONDS,...", "try again after these times", &s.retry),
		OPTION_FLAG("declare", "create missing queues", &s.declare),
		OPTION_FLAG("redrive", "move the messages in --dead back to --requests, and exit",
		            &s.redrive),
		OPTION_NUMBER("redrive-count", "N", "move at most N messages", &s.redrive_most),
		OPTION_NUMBER("prefetch", "N", "hold at most N requests at a time (16)",
		              &s.prefetch),
		OPTION_NUMBER("heartbeat", "SECONDS", "detect a lost broker after this time (10)",
		              &s.heartbeat),
		OPTION_NUMBER("deadline", "SECONDS", "time limit for a request (30)", &s.deadline),
		OPTION_NUMBER("max-memory", "N", "bytes of memory of the child (4 GiB)", &s.memory),
		OPTION_TEXT("child", "COMMAND",
		            "answer requests with this shell command, one line each", &s.child),
		OPTION_DIRECTORY(&s.directories),
		OPTION_SYSROOT("find module files at their paths below DIR", &s.sysroot),
		OPTION_TEXT("bodies", "DIR", "read referenced files below DIR", &s.bodies),
		OPTION_TEXT("origin", "URL", "fetch referenced files below URL", &s.origin),
		OPTION_DEBUGINFOD("also ask the servers in DEBUGINFOD_URLS", &s.use_debuginfod),
		OPTION_TEXT("metrics", "ADDRESS:PORT", "show counters at GET /metrics there",
		            &s.metrics),
		OPTION_TEXT("metrics-file", "FILE", "write counters to FILE", &s.metrics_file),
	};
	const struct command command =
		COMMAND("cairn work [OPTION...] --amqp URL --requests QUEUE --answers QUEUE", about,
	                options, .rights = RIGHT_ALL);
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	status = check_settings(&command, &s);
	if (status != EXIT_CLEAN)
		return status;
	return s.redrive ? run_redrive(&s) : run_worker(&s);
}

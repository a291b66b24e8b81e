/* SPDX-License-Identifier: MIT */
/* `cairn symbfile serve`: a symbol server for a team. */
#include "net.h"

#include "output/escape.h"
#include "server/net/end_signals.h"
#include "server/net/serve.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static const char about[] =
	"Stores uploaded symbfiles in a folder and serves them to 'cairn symbfile fetch' and "
	"other\nclients of the two protocols (docs/formats/store.md), until it gets SIGTERM or "
	"SIGINT.\nPrints the address it listens on, then a line for each request on standard "
	"error.  It does\nnot support TLS: use a proxy where others can read the traffic.";

struct settings {
	const char *listen, *store;
	struct net_key_options key, read_key;
	uint64_t max_part, timeout, deadline, client_max, quota;
	bool quiet;
};

static void print_time(FILE *out)
{
	time_t now = time(NULL);
	struct tm utc;
	char text[32] = "";

	if (gmtime_r(&now, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	fputs(text, out);
}

/* Texts of the request are not to be trusted. */
static void log_request(void *context, const struct serve_event *event)
{
	const struct settings *settings = context;

	if (settings->quiet && event->status == 200)
		return;
	print_time(stderr);
	if (event->status)
		fprintf(stderr, " %u ", event->status);
	else
		fputs(" lost ", stderr);
	print_string(stderr, event->method);
	fputc(' ', stderr);
	print_string(stderr, event->path);
	if (event->upload)
		fprintf(stderr, " %s %" PRIu32 "/%" PRIu32 " %" PRIu64 " bytes",
		        net_id_text(&event->upload->id), event->upload->part, event->upload->parts,
		        event->size);
	if (event->code && event->code[0])
		fprintf(stderr, " code %s", event->code);
	if (event->uuid && event->uuid[0])
		fprintf(stderr, " uuid %s", event->uuid);
	if (event->detail && event->detail[0]) {
		fputs(": ", stderr);
		print_string(stderr, event->detail);
	}
	fputc('\n', stderr);
}

/* Signals are those of any server, and a limit on files is one more way to be full. */
static void prepare_signals(sigset_t *ends)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	end_signals_block(ends);
	sigaction(SIGXFSZ, &ignore, NULL);
}

static void watch_server(void *server)
{
	serve_watch(server);
}

/* What an administrator may not have meant. */
static void warn_of_settings(const struct serve *server, const struct serve_options *options)
{
	uint64_t stored = serve_stored(server);

	if (!options->key && serve_is_public(server))
		print_diagnostic(NULL,
		                 "warning: without --api-key-file anyone who reaches %s may write",
		                 serve_address(server));
	if ((options->key || options->read_key) && serve_is_public(server))
		print_diagnostic(
			NULL,
			"warning: keys are sent to %s over http, where others may read "
			"them; a proxy with TLS in front of a local address keeps them secret",
			serve_address(server));
	if (options->quota > 0 && stored >= options->quota)
		print_diagnostic(options->folder,
		                 "warning: %" PRIu64 " bytes are stored, --quota is %" PRIu64
		                 ": uploads are refused until files are removed and the server is "
		                 "started again",
		                 stored, options->quota);
}

static int run_server(struct settings *settings, const char *key, const char *read_key)
{
	struct serve_options options = { .listen = settings->listen,
		                         .folder = settings->store,
		                         .key = key[0] ? key : NULL,
		                         .read_key = read_key[0] ? read_key : NULL,
		                         .quota = settings->quota,
		                         .max_part = settings->max_part,
		                         .timeout = (unsigned)settings->timeout,
		                         .deadline = (unsigned)settings->deadline,
		                         .client_max = (unsigned)settings->client_max,
		                         .tell = log_request,
		                         .context = settings };
	char message[SERVE_MESSAGE_MAX];
	struct serve *server;
	sigset_t ends;

	prepare_signals(&ends);
	if (!serve_start(&options, &server, message)) {
		print_diagnostic(settings->listen, "%s", message);
		return EXIT_BROKEN;
	}
	warn_of_settings(server, &options);
	printf("listening on %s\n", serve_address(server));
	fflush(stdout);
	end_signals_wait(&ends, watch_server, server);
	serve_stop(server);
	return EXIT_CLEAN;
}

/* With the keys that its files have. */
static int start_server(struct settings *s)
{
	char key[UPLOAD_KEY_MAX], read_key[UPLOAD_KEY_MAX];

	if (!net_key(&s->key, false, key) || !net_key(&s->read_key, false, read_key))
		return EXIT_BROKEN;
	return run_server(s, key, read_key);
}

static int check_numbers(const struct command *command, const struct settings *s)
{
	if (s->timeout == 0 || s->timeout > INT32_MAX || s->max_part == 0)
		return usage_error(command, "--timeout and --max-part must be above 0");
	if (s->deadline == 0 || s->deadline > INT32_MAX || s->client_max == 0 ||
	    s->client_max > SERVE_CONNECTIONS_MAX)
		return usage_error(command,
		                   "--deadline must be above 0, --client-connections from 1 to %d",
		                   SERVE_CONNECTIONS_MAX);
	return EXIT_CLEAN;
}

int symbfile_serve_verb(int argc, char **argv)
{
	struct settings s = { .max_part = SERVE_MAX_PART,
		              .timeout = SERVE_TIMEOUT,
		              .deadline = SERVE_DEADLINE,
		              .client_max = SERVE_CLIENT_MAX };
	const struct option options[] = {
		OPTION_TEXT("listen", "ADDRESS:PORT", "listen there; port 0 is any free port",
		            &s.listen),
		OPTION_TEXT("store", "DIR", "the folder of symbols; it is created if missing",
		            &s.store),
		OPTION_API_KEY_FILE(&s.key.file),
		OPTION_TEXT("read-key-file", "FILE",
		            "require this key, or the other one, of who fetches", &s.read_key.file),
		OPTION_NUMBER("quota", "N",
		              "refuse uploads that make the folder larger than N bytes", &s.quota),
		OPTION_NUMBER("max-part", "N", "accept uploads of at most N bytes (64 MiB)",
		              &s.max_part),
		OPTION_NUMBER("timeout", "N", "drop a client that is silent for N seconds (30)",
		              &s.timeout),
		OPTION_NUMBER("deadline", "N",
		              "seconds for a whole upload, and for a whole answer (3600)",
		              &s.deadline),
		OPTION_NUMBER("client-connections", "N",
		              "connections that one address may have (64)", &s.client_max),
		OPTION_FLAG("quiet", "log failures only", &s.quiet),
	};
	const struct command command = {
		"cairn symbfile serve [OPTION...] --listen ADDRESS:PORT --store DIR", about,
		options, COUNT(options)
	};
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!s.listen || !s.store)
		return usage_error(&command, "--listen and --store are needed");
	status = check_numbers(&command, &s);
	return status == EXIT_CLEAN ? start_server(&s) : status;
}

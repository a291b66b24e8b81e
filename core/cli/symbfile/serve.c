/* SPDX-License-Identifier: MIT */
/* `cairn symbfile serve`: runs a symbol server for a team. */
#include "cli/symbfile/net.h"

#include "server/net/listen.h"
#include "server/net/serve.h"

static const char about[] =
	"Store uploaded symbfiles in a directory and serve them to 'cairn symbfile fetch' and\n"
	"other clients of the two protocols (docs/formats/store.md), until SIGTERM or SIGINT.\n"
	"Print the address, then a line for each request on standard error. There is no TLS:\n"
	"use a proxy where others can read the traffic.";

struct settings {
	const char *listen;
	struct store_settings store;
	uint64_t timeout, deadline, client_max;
};

static bool watch_server(void *server)
{
	serve_watch(server);
	return true;
}

static int run_server(const struct serve_options *options)
{
	char message[SERVE_MESSAGE_MAX];
	struct serve *server;
	sigset_t ends;

	end_signals_block(&ends);
	if (!serve_start(options, &server, message))
		return fail_with(options->listen, "%s", message);
	store_warn_of_settings(options, serve_listener(server), serve_stored(server));
	printf("listening on %s\n", serve_listener(server)->address);
	fflush(stdout);
	(void)end_signals_wait(&ends, watch_server, server);
	serve_stop(server);
	return EXIT_CLEAN;
}

static int start_server(struct settings *s)
{
	struct serve_options options = { .listen = s->listen,
		                         .timeout = (unsigned)s->timeout,
		                         .deadline = (unsigned)s->deadline,
		                         .client_max = (unsigned)s->client_max };

	return store_settings_take(&s->store, &options) ? run_server(&options) : EXIT_BROKEN;
}

static int check_numbers(const struct command *command, const struct settings *s)
{
	if (s->timeout == 0 || s->timeout > INT32_MAX || s->store.max_part == 0)
		return usage_error(command, "--timeout and --max-part must be greater than 0");
	if (s->deadline == 0 || s->deadline > INT32_MAX || s->client_max == 0 ||
	    s->client_max > SERVE_CONNECTIONS_MAX)
		return usage_error(
			command,
			"--deadline must be greater than 0 and --client-connections from 1 to %d",
			SERVE_CONNECTIONS_MAX);
	return EXIT_CLEAN;
}

int symbfile_serve_verb(int argc, char **argv)
{
	struct settings s = { .store = { .max_part = SERVE_MAX_PART },
		              .timeout = SERVE_TIMEOUT,
		              .deadline = SERVE_DEADLINE,
		              .client_max = SERVE_CLIENT_MAX };
	const struct option options[] = {
		OPTION_TEXT("listen", "ADDRESS:PORT",
		            "listen at this address; port 0: any free port", &s.listen),
		OPTION_WITH(RIGHT_STORE, text, 0, "store", "DIR",
		            "directory of symbols; created if missing", &s.store.directory),
		OPTIONS_STORE(&s.store),
		OPTION_NUMBER("timeout", "N", "drop a client that is silent for N seconds (30)",
		              &s.timeout),
		OPTION_NUMBER("deadline", "N",
		              "seconds for a whole upload, and for a whole answer (3600)",
		              &s.deadline),
		OPTION_NUMBER("client-connections", "N", "connections per client address (64)",
		              &s.client_max),
		OPTION_FLAG("quiet", "log failures only", &s.store.quiet),
	};
	const struct command command =
		COMMAND("cairn symbfile serve [OPTION...] --listen ADDRESS:PORT --store DIR", about,
	                options, .rights = RIGHT_NETWORK);
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!s.listen || !s.store.directory)
		return usage_error(&command, "--listen and --store are required");
	if (!listen_is_address(s.listen))
		return usage_error(&command, "--listen %s: " LISTEN_ADDRESS_EXPECTED, s.listen);
	status = check_numbers(&command, &s);
	return status == EXIT_CLEAN ? start_server(&s) : status;
}

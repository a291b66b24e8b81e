/* SPDX-License-Identifier: MIT */
/* Reads and checks the settings of a store, and logs requests. */
#include "store_settings.h"

#include "output/escape.h"

#include <inttypes.h>
#include <time.h>

static void print_time(void)
{
	time_t now = time(NULL);
	struct tm utc;
	char text[32] = "";

	if (gmtime_r(&now, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	fputs(text, stderr);
}

/* Log a request. Its strings are untrusted, so escape them. */
static void log_request(void *context, const struct serve_event *event)
{
	const struct store_settings *settings = context;

	if (settings->quiet && event->status == 200)
		return;
	print_time();
	if (event->status)
		fprintf(stderr, " %u ", event->status);
	else
		fputs(" lost ", stderr);
	print_string_between(stderr, "", event->method, " ");
	print_string(stderr, event->path);
	if (event->upload)
		fprintf(stderr, " %s %" PRIu32 "/%" PRIu32 " %" PRIu64 " bytes",
		        net_id_text(&event->upload->id), event->upload->part, event->upload->parts,
		        event->size);
	if (event->code && event->code[0])
		fprintf(stderr, " code %s", event->code);
	if (event->uuid && event->uuid[0])
		fprintf(stderr, " uuid %s", event->uuid);
	if (event->detail && event->detail[0])
		print_string_between(stderr, ": ", event->detail, "");
	fputc('\n', stderr);
}

bool store_settings_take(struct store_settings *settings, struct serve_options *options)
{
	if (!net_key(&settings->key, false, settings->key_text) ||
	    !net_key(&settings->read_key, false, settings->read_key_text))
		return false;
	options->folder = settings->folder;
	options->key = settings->key_text[0] ? settings->key_text : NULL;
	options->read_key = settings->read_key_text[0] ? settings->read_key_text : NULL;
	options->quota = settings->quota;
	options->max_part = settings->max_part;
	options->tell = log_request;
	options->context = settings;
	return true;
}

void store_warn_of_settings(const struct serve_options *options,
                            const struct listen_socket *listener, uint64_t stored)
{
	if (!options->key && listener->is_public)
		print_diagnostic(NULL,
		                 "warning: without --api-key-file anyone who reaches %s may write",
		                 listener->address);
	if ((options->key || options->read_key) && listener->is_public)
		print_diagnostic(
			NULL,
			"warning: keys are sent to %s over http, where others may read "
			"them; a proxy with TLS in front of a local address keeps them secret",
			listener->address);
	if (options->quota > 0 && stored >= options->quota)
		print_diagnostic(options->folder,
		                 "warning: %" PRIu64 " bytes are stored, --quota is %" PRIu64
		                 ": uploads are refused until files are removed and the server is "
		                 "started again",
		                 stored, options->quota);
}

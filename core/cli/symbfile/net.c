/* SPDX-License-Identifier: MIT */
/*
 * Shared by the verbs that talk to symbol servers, and by symbol servers: reads API keys, prints
 * responses, and logs requests.
 */
#include "net.h"

#include "output/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static bool read_key_file(const char *path, char key[UPLOAD_KEY_MAX])
{
	struct os_file file;

	if (!input_open(path, &file))
		return false;
	bool good = upload_key(file.bytes, key);
	os_file_close(&file);
	if (good) {
		/*
		 * Warn about a key file that other users can read. Use it all the same, because
		 * this may be intended.
		 */
		struct stat about;
		if (stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
		    (about.st_mode & (S_IRGRP | S_IROTH)))
			print_diagnostic(path, "warning: other users can read this key; restrict "
			                       "access with 'chmod 600'");
	} else
		print_diagnostic(
			path,
			"invalid API key (expected printable ASCII characters without spaces)");
	return good;
}

bool net_key(const struct net_key_options *options, bool variable, char key[UPLOAD_KEY_MAX])
{
	const char *environment = variable ? getenv(NET_KEY_VARIABLE) : NULL;

	key[0] = '\0';
	if (options->text) {
		bool good = upload_key(borrow_string(options->text), key);
		/* overwrite the key, so that other users cannot see it in the list of processes */
		memset((char *)(uintptr_t)options->text, 'x', strlen(options->text));
		if (good)
			print_diagnostic(NULL,
			                 "warning: other users can see --api-key in the process "
			                 "list and in the shell history; use --api-key-file");
		else
			print_diagnostic(NULL, "--api-key: invalid API key (expected printable "
			                       "ASCII characters without spaces)");
		return good;
	}
	if (options->file)
		return read_key_file(options->file, key);
	if (!environment || !environment[0] || upload_key(borrow_string(environment), key))
		return true;
	return refuse_with(
		NULL, NET_KEY_VARIABLE
		": invalid API key (expected printable ASCII characters without spaces)");
}

void net_warn_of_plain_http(const struct http *http, const char *url)
{
	if (http_is_unencrypted(http))
		print_diagnostic(
			url,
			"warning: the API key is sent over http, so others may be able to read it");
}

void net_print_retry(void *context, const struct http_retry *retry)
{
	(void)context;
	fflush(stdout);
	fputs("cairn: ", stderr);
	if (retry->lost)
		print_string(stderr, retry->lost);
	else
		fprintf(stderr, "the server answers %u", retry->status);
	fprintf(stderr, "; attempt %u of %u follows in %.1f s\n", retry->attempt, retry->attempts,
	        retry->wait / 1000.0);
}

void net_print_answer(const struct upload_answer *answer)
{
	fprintf(stderr, "%u", answer->status);
	if (answer->code[0])
		print_string_between(stderr, ", code ", answer->code, "");
	if (answer->text[0])
		print_string_between(stderr, ": ", answer->text, "");
	if (answer->uuid[0])
		print_string_between(stderr, " (uuid ", answer->uuid, ")");
}

const char *net_id_text(const struct fileid *id)
{
	static char text[FILEID_BASE64_SIZE];

	fileid_to_base64(id, text);
	return text;
}

/* Log a request. Its strings are untrusted and therefore escaped. */
static void log_request(void *context, const struct serve_event *event)
{
	const struct store_settings *settings = context;

	if (settings->quiet && event->status == 200)
		return;
	time_t now = time(NULL);
	struct tm utc;
	char text[32] = "";
	if (gmtime_r(&now, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	fputs(text, stderr);
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
	options->directory = settings->directory;
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
		                 "warning: without --api-key-file, anyone who can reach %s can "
		                 "write to the store",
		                 listener->address);
	if ((options->key || options->read_key) && listener->is_public)
		print_diagnostic(NULL,
		                 "warning: keys are sent to %s over http, so others may be able to "
		                 "read them; listen on a local address behind a TLS proxy",
		                 listener->address);
	if (options->quota > 0 && stored >= options->quota)
		print_diagnostic(options->directory,
		                 "warning: the store holds %" PRIu64
		                 " bytes and has reached the --quota of %" PRIu64
		                 "; uploads are refused until you remove files and restart the "
		                 "server",
		                 stored, options->quota);
}

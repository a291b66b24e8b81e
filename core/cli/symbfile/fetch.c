/* SPDX-License-Identifier: MIT */
/* `cairn symbfile fetch`: downloads the symbols of executables from a symbol server. */
#include "cli/symbfile/net.h"

#include "cli/front/progress.h"
#include "os/atomic_file.h"
#include "os/cache.h"
#include "output/escape.h"
#include "server/net/transfer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Fetch the symbols of each FILEID, or of each executable by its FileID, from a symbol\n"
	"server, check them, and store them where cairn and its debugger plugins find them:\n"
	"$XDG_CACHE_HOME/cairn/FILEID.symbfile, or below ~/.cache, with the FileID in\n"
	"hexadecimal. An existing file is kept unless --force is given. The API key is read\n"
	"as by 'cairn symbfile push'.";

/* maximum timeout, twelve days, because libcurl counts milliseconds in 32 bits */
enum { FETCH_SECONDS_MAX = 1 << 20 };

struct settings {
	const char *url, *output;
	struct net_key_options key;
	uint64_t size_max, retries, seconds;
	bool force, quiet;
	enum form form;
};

/* Parse a FileID, or compute it from a file. */
static bool find_id(const char *operand, struct fileid *id)
{
	struct cairn_bytes text = borrow_string(operand);
	struct os_file file;

	if (fileid_parse(text, id))
		return true;
	int error = os_file_open(operand, &file);
	if (error) {
		print_word_diagnostic(NULL, operand, "neither a FileID nor a readable file");
		return false;
	}
	*id = fileid_of(file.bytes);
	os_file_close(&file);
	return true;
}

static bool find_cache(char path[OS_CACHE_PATH])
{
	if (!os_cache_directory(path))
		return refuse_with(
			NULL, "no cache directory: set XDG_CACHE_HOME or HOME, or use --output");
	int error = os_durable_directories(path, NULL);
	if (error)
		print_diagnostic(path, "cannot create the directory: %s", strerror(error));
	return error == 0;
}

static bool find_path(const struct settings *s, const struct fileid *id,
                      char path[OS_DURABLE_PATH_MAX])
{
	char hex[FILEID_HEX_SIZE], directory[OS_CACHE_PATH];
	int length;

	fileid_to_hex(id, hex);
	if (s->output)
		length = snprintf(path, OS_DURABLE_PATH_MAX, "%s", s->output);
	else if (find_cache(directory))
		length = snprintf(path, OS_DURABLE_PATH_MAX, "%s/%s.symbfile", directory, hex);
	else
		return false;
	if (length < 0 || length >= OS_DURABLE_PATH_MAX)
		print_diagnostic(s->output, "the output path is too long");
	return length >= 0 && length < OS_DURABLE_PATH_MAX;
}

static bool has_symbfile(const char *path)
{
	struct os_file file;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	bool good = symbfile_has_magic(file.bytes);
	os_file_close(&file);
	return good;
}

static void print_result(const struct settings *s, const char *operand, const struct fileid *id,
                         const char *path, const struct fetch_result *result)
{
	struct json json = json_to(stdout);

	if (s->form != FORM_JSON) {
		print_string_between(stdout, "", path, "\n");
		return;
	}
	json_object(&json, NULL);
	json_string(&json, "input", operand);
	json_string(&json, "file_id", net_id_text(id));
	json_string(&json, "status", cairn_status_name(result->status));
	if (result->status == CAIRN_OK) {
		json_string(&json, "path", path);
		json_string(&json, "from", net_id_text(&result->from));
		json_number(&json, "size", result->size);
		json_number(&json, "packed", result->packed);
	} else {
		json_string(&json, "message", result->message);
	}
	json_end(&json);
}

static void show_received(void *context, uint64_t sent, uint64_t received, uint64_t of)
{
	(void)sent;
	progress_update(context, received, of);
}

static void report_retry(void *context, const struct http_retry *retry)
{
	progress_end(context);
	net_print_retry(NULL, retry);
}

struct fetching {
	const struct settings *settings;
	struct http *http;
	struct progress progress;
};

static int fetch_operand(struct fetching *fetching, const char *operand)
{
	const struct settings *s = fetching->settings;
	struct fetch_result result = { .status = CAIRN_OK };
	char path[OS_DURABLE_PATH_MAX];
	struct fileid id;

	if (!find_id(operand, &id) || !find_path(s, &id, path))
		return EXIT_BROKEN;
	result.from = id;
	if (!s->force && !s->output && has_symbfile(path)) {
		print_result(s, operand, &id, path, &result);
		return EXIT_CLEAN;
	}
	bool done = fetch_symbols(fetching->http, &id, s->size_max, path, &result);
	progress_end(&fetching->progress);
	if (done || s->form == FORM_JSON)
		print_result(s, operand, &id, path, &result);
	if (!done) {
		fflush(stdout);
		fprintf(stderr, "cairn: %s", net_id_text(&id));
		print_string_between(stderr, ": ", result.message, "\n");
	}
	return done ? EXIT_CLEAN : result.status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}

static int fetch_all(const struct settings *s, const char *key, int count, char **operands)
{
	struct fetching fetching = { .settings = s,
		                     .progress = progress_begin(s->url, "bytes", s->quiet) };
	const struct http_options options = { .url = s->url,
		                              .key = key,
		                              .retries = (unsigned)s->retries,
		                              .backoff = HTTP_BACKOFF,
		                              .seconds = (unsigned)s->seconds,
		                              .retrying = report_retry,
		                              .progress = show_received,
		                              .context = &fetching.progress };
	char message[HTTP_MESSAGE_MAX];
	int status = EXIT_CLEAN;

	if (!http_open(&options, &fetching.http, message))
		return fail_with(s->url, "%s", message);
	if (key)
		net_warn_of_plain_http(fetching.http, s->url);
	for (int i = 0; i < count; i++)
		status = choose_worse(status, fetch_operand(&fetching, operands[i]));
	http_close(fetching.http);
	return status;
}

int symbfile_fetch_verb(int argc, char **argv)
{
	struct settings s = { .size_max = FETCH_SIZE_MAX,
		              .retries = HTTP_RETRIES,
		              .seconds = HTTP_SECONDS };
	const struct option options[] = {
		OPTION_TEXT("url", "URL", "the URL of the server", &s.url),
		OPTION_API_KEY_FILE(&s.key.file),
		OPTION_API_KEY(&s.key.text),
		OPTION_OUTPUT(0, "output", "FILE", "write to FILE", &s.output),
		OPTION_FLAG("force", "fetch again even if the file exists", &s.force),
		OPTION_NUMBER("max-size", "N", "accept at most N bytes, unpacked (2 GiB)",
		              &s.size_max),
		OPTION_NUMBER("retries", "N", "try again N times (5)", &s.retries),
		OPTION_NUMBER("timeout", "N",
		              "spend at most N seconds on each answer, retries included (3600)",
		              &s.seconds),
		OPTION_JSON(&s.form),
		OPTION_NO_PROGRESS(&s.quiet),
	};
	const struct command command =
		COMMAND("cairn symbfile fetch [OPTION...] --url URL FILEID|EXECUTABLE...", about,
	                options, OPERANDS(1, OPERANDS_MANY, "FILEID|EXECUTABLE"),
	                .rights = RIGHT_FINDS | RIGHT_CACHE | RIGHT_NETWORK);
	int status;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!s.url)
		return usage_error(&command, "--url is required");
	if (s.output && argc > 1)
		return usage_error(&command, "--output cannot be used with more than one FileID");
	if (s.key.file && s.key.text)
		return usage_error(&command, "--api-key and --api-key-file are mutually exclusive");
	if (s.retries > UINT16_MAX || s.seconds == 0 || s.seconds > FETCH_SECONDS_MAX)
		return usage_error(&command,
		                   "--retries must be at most %d and --timeout from 1 to %d",
		                   UINT16_MAX, FETCH_SECONDS_MAX);
	/*
	 * Read the key first, so that a key on the command line is overwritten even if an error
	 * follows.
	 */
	char key[UPLOAD_KEY_MAX];
	if (!net_key(&s.key, true, key))
		return EXIT_BROKEN;
	status = fetch_all(&s, key[0] ? key : NULL, argc, argv);
	memset(key, 0, sizeof(key));
	return status;
}

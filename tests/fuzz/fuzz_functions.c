/* SPDX-License-Identifier: MIT */
/*
 * An input of functions of any bytes, as a host of cairn/functions.h reads it: opened, and written as GSYM, as symbfiles and
 * as an object, with options by the first byte.  Always:
 *   - what fails has a status and a text;
 *   - what is written has as many bytes as the summary counts, and GSYM of it opens;
 *   - one thread and two write the same bytes;
 *   - a host that ends the call, or cannot take the bytes, is told so.
 */
#include "fuzz.h"

#include <cairn.h>
#include <cairn/functions.h>
#include <errno.h>
#include <string.h>

enum {
	STRICT = 1 << 0, /* the options of the first byte */
	STATEMENTS = 1 << 1,
	CALLS = 1 << 2,
	MERGED = 1 << 3,
	VERSION_2 = 1 << 4,
	SEGMENTS = 1 << 5,
	KEEP_DAMAGED = 1 << 6,
	FOR_LLDB = 1 << 7,
	AMD64 = 62,
};

/* What a host takes of one file, and when it refuses. */
struct host {
	uint64_t bytes, sum, shown;
	uint64_t cancel; /* at this time that progress is shown; 0: never */
	bool refuse;     /* to take bytes */
	uint8_t *first;  /* the first file */
	size_t first_size;
};

/* No other file of this machine takes part. */
static int open_nothing(void *context, const char *path, struct cairn_open_file *file)
{
	(void)context;
	(void)path;
	(void)file;
	return ENOENT;
}

static void close_nothing(void *context, struct cairn_open_file *file)
{
	(void)context;
	(void)file;
}

static int take_bytes(void *context, const char *suffix, const void *bytes, size_t size)
{
	struct host *host = context;
	const uint8_t *data = bytes;

	ALWAYS(suffix);
	if (host->refuse)
		return ENOSPC;
	for (size_t i = 0; i < size; i++)
		host->sum = (host->sum ^ data[i]) * 0x100000001b3;
	host->bytes += size;
	host->first = realloc(host->first, host->first_size + size + 1);
	ALWAYS(host->first);
	memcpy(host->first + host->first_size, bytes, size);
	host->first_size += size;
	return 0;
}

static void take_message(void *context, const struct cairn_message *message)
{
	(void)context;
	ALWAYS(message->path && message->text && message->text[0]);
}

static bool show_progress(void *context, uint64_t done, uint64_t all)
{
	struct host *host = context;

	ALWAYS(done <= all);
	return ++host->shown != host->cancel;
}

static void finish_host(struct host *host)
{
	free(host->first);
	*host = (struct host){ .cancel = 0 };
}

static struct cairn_functions *open_input(struct cairn_bytes bytes, unsigned bits, unsigned jobs,
                                          struct host *host)
{
	struct cairn_functions_options options = CAIRN_FUNCTIONS_OPTIONS;
	struct cairn_functions *functions = NULL;
	struct cairn_error error;

	options.bytes = bytes;
	options.files = (struct cairn_file_access){ open_nothing, close_nothing, NULL };
	options.strict = bits & STRICT;
	options.statements = bits & STATEMENTS;
	options.calls = bits & CALLS;
	options.merged = bits & MERGED;
	options.jobs = jobs;
	options.messages = CAIRN_MESSAGE_DETAIL;
	options.message = take_message;
	options.progress = show_progress;
	options.context = host;
	const enum cairn_status status =
		cairn_functions_open("input", &options, &functions, &error);
	ALWAYS((status == CAIRN_OK) == (functions != NULL));
	ALWAYS(status == CAIRN_OK || (error.status == status && error.text[0]));
	return functions;
}

static enum cairn_status write_gsym(struct cairn_functions *functions, unsigned bits,
                                    struct host *host)
{
	struct cairn_gsym_options options = CAIRN_GSYM_OPTIONS;
	struct cairn_gsym_summary summary = { .size = sizeof(summary) };
	const struct cairn_output output = { sizeof(output), NULL, take_bytes, host };
	struct cairn_error error;

	options.version = bits & VERSION_2 ? 2 : 1;
	options.segment_size = bits & SEGMENTS ? 512 : 0;
	options.keep_damaged = bits & KEEP_DAMAGED;
	const enum cairn_status status =
		cairn_functions_write_gsym(functions, &options, &output, &summary, &error);
	ALWAYS(status == CAIRN_OK || (error.status == status && error.text[0]));
	ALWAYS(status != CAIRN_OK || summary.refused || summary.bytes == host->bytes);
	return status;
}

static void check_gsym(const struct host *host, unsigned bits)
{
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	if ((bits & SEGMENTS) || host->first_size == 0)
		return;
	const struct cairn_bytes made = { host->first, host->first_size };
	ALWAYS(cairn_symbols_open_bytes(made, NULL, &symbols, &fault) == CAIRN_OK);
	cairn_symbols_free(symbols);
}

static void check_others(struct cairn_functions *functions, unsigned bits, struct host *host)
{
	struct cairn_symbol_object_options options = CAIRN_SYMBOL_OBJECT_OPTIONS;
	struct cairn_symbol_object_summary object = { .size = sizeof(object) };
	struct cairn_symbfile_summary summary = { .size = sizeof(summary) };
	const struct cairn_output output = { sizeof(output), NULL, take_bytes, host };
	struct cairn_error error;

	finish_host(host);
	enum cairn_status status =
		cairn_functions_write_symbfiles(functions, NULL, &output, &summary, &error);
	ALWAYS(status == CAIRN_OK ? summary.range_bytes + summary.pad_bytes == host->bytes
	                          : error.text[0] != '\0');
	finish_host(host);
	options.machine = AMD64;
	options.for_lldb = bits & FOR_LLDB;
	status = cairn_functions_write_object(functions, &options, &output, &object, &error);
	ALWAYS(status == CAIRN_OK ? object.bytes == host->bytes : error.text[0] != '\0');
}

/* A host that does not go on is told that it was the one. */
static void check_refusals(struct cairn_functions *functions, unsigned bits, struct host *host)
{
	finish_host(host);
	host->refuse = true;
	ALWAYS(write_gsym(functions, bits, host) != CAIRN_OK || host->bytes == 0);
	finish_host(host);
	host->cancel = 1;
	const enum cairn_status status = write_gsym(functions, bits, host);
	ALWAYS(host->shown == 0 || status == CAIRN_CANCELLED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct host host = { .cancel = 0 }, other = { .cancel = 0 };

	if (size == 0)
		return 0;
	const struct cairn_bytes bytes = { data + 1, size - 1 };
	const unsigned bits = data[0];
	struct cairn_functions *functions = open_input(bytes, bits, 1, &host);
	struct cairn_functions *again = functions ? open_input(bytes, bits, 2, &other) : NULL;
	if (functions && again) {
		const enum cairn_status status = write_gsym(functions, bits, &host);
		ALWAYS(write_gsym(again, bits, &other) == status);
		ALWAYS(host.bytes == other.bytes && host.sum == other.sum);
		if (status == CAIRN_OK)
			check_gsym(&host, bits);
		check_others(functions, bits, &host);
		check_refusals(functions, bits, &host);
	}
	finish_host(&host);
	finish_host(&other);
	cairn_functions_close(functions);
	cairn_functions_close(again);
	return 0;
}

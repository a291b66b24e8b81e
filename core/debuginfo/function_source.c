/* SPDX-License-Identifier: MIT */
/*
 * Opens files that describe functions, in any supported format, passes the functions to a writer's
 * sinks, and reports dropped functions and damage to the host. Implements cairn_functions_*()
 * except for the writers (core/writers/).
 */
#include "function_source.h"
#include "elf_source.h"

#include "base/sized.h"
#include "base/threads.h"
#include "debuginfo/unpack.h"
#include "os/atomic_file.h"
#include "symbols/gsym.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool messages_wanted(const struct cairn_functions *origin, enum cairn_message_level level)
{
	return origin->options.message && level <= origin->options.messages;
}

bool function_source_continue(const struct cairn_functions *origin, uint64_t done, uint64_t all)
{
	const struct cairn_functions_options *options = &origin->options;

	return !options->progress || options->progress(options->context, done, all);
}

void message_tell(const struct cairn_functions *origin, enum cairn_message_level level,
                  const char *path, const char *format, ...)
{
	char text[ERROR_TEXT];
	va_list arguments;

	if (!messages_wanted(origin, level))
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	origin->options.message(
		origin->options.context,
		&(struct cairn_message){ .level = level, .path = path, .text = text });
}

void message_tell_word(const struct cairn_functions *origin, enum cairn_message_level level,
                       const char *path, const char *word, const char *why)
{
	if (messages_wanted(origin, level))
		origin->options.message(
			origin->options.context,
			&(struct cairn_message){
				.level = level, .path = path, .word = word, .text = why });
}

void message_tell_fault(const struct cairn_functions *origin, enum cairn_message_level level,
                        const char *path, const char *part, const struct cairn_fault *fault,
                        const char *next)
{
	if (!messages_wanted(origin, level))
		return;
	origin->options.message(
		origin->options.context,
		&(struct cairn_message){ .level = level,
	                                 .path = path,
	                                 .part = part,
	                                 .text = fault->what,
	                                 .next = next,
	                                 .has_offset = fault->status != CAIRN_NOT_FOUND,
	                                 .offset = fault->offset });
}

enum cairn_status function_source_open_file(const struct cairn_functions_options *options,
                                            const char *path, struct os_file *file,
                                            struct cairn_error *error)
{
	/*
	 * The host's callbacks open only regular files. Without callbacks, any file that the user
	 * named is opened.
	 */
	const int failed = options->files.open ? os_file_open_by(&options->files, path, file)
	                                       : os_file_open(path, file);

	return failed ? error_set_system(error, failed, path, "cannot read") : CAIRN_OK;
}

enum {
	NOTICES = 5, /* maximum number of malformed lines to report, unless the host wants all */
	EVERY = 1 << 12,
};

/*
 * Open the file or use the bytes from the host, decompress them, and open the contents in their
 * format.
 */
static enum cairn_status open_input(struct cairn_functions *origin)
{
	const struct cairn_functions_options *options = &origin->options;
	struct symbol_input *input = &origin->input;
	const struct cairn_fault *damage = &input->symbfile.fault[0];
	struct cairn_error *error = origin->error;
	struct cairn_fault fault;
	enum cairn_status status;

	if (options->bytes.size > 0)
		origin->file = (struct os_file){ .bytes = options->bytes };
	else if (function_source_open_file(options, origin->path, &origin->file, error) != CAIRN_OK)
		return error->status;
	const struct cairn_bytes packed = origin->file.bytes;
	if (unpack_file(&origin->file, unpack_file_limit(packed.size), &fault) != CAIRN_OK)
		return error_set_fault(error, origin->path, NULL, &fault, NULL);
	origin->packed = origin->file.bytes.data != packed.data;
	if (!symbol_format_of(origin->file.bytes, &origin->kind))
		return error_set(
			error, CAIRN_UNSUPPORTED, origin->path,
			"neither an ELF file, nor Breakpad symbols, nor GSYM, nor a symbfile");
	if (origin->kind == CAIRN_SYMBOLS_ELF)
		return elf_source_open(origin) ? CAIRN_OK : error->status;
	status = symbol_input_open(origin->file.bytes, origin->kind, NULL, input, &fault);
	if (status == CAIRN_NO_MEMORY)
		return error_set_memory(error, origin->path);
	if (status != CAIRN_OK && origin->kind == CAIRN_SYMBOLS_SYMBFILE)
		return error_set(error, status, origin->path,
		                 "the ranges overlap too much to be indexed");
	if (status != CAIRN_OK)
		return error_set_fault(error, origin->path, NULL, &fault, NULL);
	origin->build_id = input->build_id;
	origin->big = input->gsym.gsym.big;
	origin->base = origin->kind == CAIRN_SYMBOLS_GSYM       ? input->gsym.gsym.base
	               : origin->kind == CAIRN_SYMBOLS_SYMBFILE ? input->symbfile.index.base
	                                                        : options->base;
	if (origin->kind != CAIRN_SYMBOLS_SYMBFILE || damage->status == CAIRN_OK)
		return CAIRN_OK;
	/* unless the host is strict, use the part of a symbfile before the damage */
	if (options->strict)
		return error_set_fault(error, origin->path, NULL, damage, NULL);
	origin->damaged = true;
	message_tell_fault(origin, CAIRN_MESSAGE_DAMAGE, origin->path, NULL, damage, NULL);
	return CAIRN_OK;
}

static enum cairn_status read_gsym(struct cairn_functions *origin, const struct function_sink *sink)
{
	struct gsym_losses losses;
	const enum cairn_status status =
		gsym_functions(&origin->input.gsym.gsym, sink, origin->options.statements, &losses);

	if (status != CAIRN_OK)
		return status;
	function_source_add_drop(origin, "functions with damaged records", losses.count);
	if (losses.count && origin->options.strict)
		return error_set_fault(origin->error, origin->path, NULL, &losses.first, NULL);
	return CAIRN_OK;
}

struct notices {
	const struct cairn_functions *origin;
	uint64_t malformed;
};

static void report_skipped_line(void *context, uint64_t line, const char *what)
{
	struct notices *notices = context;
	const struct cairn_functions *origin = notices->origin;

	notices->malformed += what != NULL;
	if (what)
		message_tell(origin,
		             notices->malformed <= NOTICES ? CAIRN_MESSAGE_NOTE
		                                           : CAIRN_MESSAGE_DETAIL,
		             origin->path, "line %" PRIu64 ": %s", line, what);
	else
		message_tell(origin, CAIRN_MESSAGE_DETAIL, origin->path,
		             "line %" PRIu64 ": unknown keyword", line);
}

static enum cairn_status read_breakpad(struct cairn_functions *origin,
                                       const struct function_sink *sink)
{
	const struct cairn_functions_options *options = &origin->options;
	const bool is_told = messages_wanted(origin, CAIRN_MESSAGE_NOTE);
	struct notices notices = { origin, 0 };
	const struct breakpad_notice told = { report_skipped_line, &notices };
	struct breakpad_summary sum;
	enum cairn_status status = breakpad_functions(origin->input.breakpad, options->base, sink,
	                                              is_told ? &told : NULL, &sum);

	if (status != CAIRN_OK)
		return status;
	const struct cairn_functions_drop drops[] = {
		{ "malformed lines", sum.malformed },
		{ "lines with an unknown keyword", sum.unknown },
		{ "line records outside of their functions", sum.lines_outside },
		{ "line records without size", sum.lines_empty },
		{ "line records that others cover", sum.lines_covered },
		{ "inlined calls outside of their functions", sum.inlines_outside },
		{ "inlined calls too deep or too scattered", sum.inlines_cut },
		{ "symbols inside of functions, or at 0", sum.symbols_covered },
	};
	for (size_t i = 0; i < sizeof(drops) / sizeof(*drops); i++)
		function_source_add_drop(origin, drops[i].what, drops[i].count);
	if (sum.names_shared)
		message_tell(origin, CAIRN_MESSAGE_NOTE, origin->path,
		             "names of inlined functions exceed the size limit; the remaining "
		             "calls have no names");
	if (sum.malformed > NOTICES && !messages_wanted(origin, CAIRN_MESSAGE_DETAIL))
		message_tell(origin, CAIRN_MESSAGE_NOTE, origin->path,
		             "%" PRIu64 " more malformed lines", sum.malformed - NOTICES);
	message_tell(origin, CAIRN_MESSAGE_DETAIL, origin->path,
	             "ignored: %" PRIu64 " unwind rules, %" PRIu64 " parameter sizes, %" PRIu64
	             " 'm' flags (code shared by several symbols)",
	             sum.unwind, sum.parameters, sum.shared);
	if (!options->strict || sum.malformed + sum.unknown == 0)
		return CAIRN_OK;
	return error_set(origin->error, CAIRN_MALFORMED, origin->path,
	                 "contains %" PRIu64 " malformed lines and %" PRIu64
	                 " lines with unknown keywords",
	                 sum.malformed, sum.unknown);
}

struct passing {
	const struct cairn_functions *origin;
	struct function_sink sink;
	uint64_t count;
};

static enum cairn_status pass_function(void *context, const struct function *function)
{
	struct passing *passing = context;

	if (++passing->count % EVERY == 0 && !function_source_continue(passing->origin, 0, 0))
		return CAIRN_CANCELLED;
	return passing->sink.take(passing->sink.context, function);
}

static enum cairn_status read_on_one_thread(struct cairn_functions *origin,
                                            const struct function_source_sinks *sinks)
{
	struct passing passing = { .origin = origin };
	struct function_sink sink = { pass_function, &passing };

	if (!sinks->sink(sinks->context, 0, &passing.sink))
		return CAIRN_NO_MEMORY;
	if (!origin->options.progress)
		sink = passing.sink;
	sinks->unit(sinks->context, 0, 0);
	if (origin->kind == CAIRN_SYMBOLS_GSYM)
		return read_gsym(origin, &sink);
	if (origin->kind == CAIRN_SYMBOLS_BREAKPAD)
		return read_breakpad(origin, &sink);
	const enum cairn_status status = symbol_input_read(&origin->input, &sink);
	if (status == CAIRN_MALFORMED)
		error_set(origin->error, status, origin->path,
		          "record names exceed the size limit, or a function has too many lines");
	return status;
}

enum cairn_status function_source_read(struct cairn_functions *origin,
                                       const struct function_source_sinks *sinks,
                                       struct cairn_error *error)
{
	enum cairn_status status;

	origin->error = error;
	error->status = CAIRN_OK;
	origin->drops = 0;
	origin->repeated = 0;
	/* symbfiles are read completely when opened, so their damage is already known */
	origin->damaged = origin->kind == CAIRN_SYMBOLS_SYMBFILE &&
	                  origin->input.symbfile.fault[0].status != CAIRN_OK;
	status = origin->kind == CAIRN_SYMBOLS_ELF ? elf_source_read(origin, sinks)
	                                           : read_on_one_thread(origin, sinks);
	if (status == CAIRN_OK)
		return status;
	/*
	 * if the failure returned only a status, describe it; otherwise *error already describes it
	 */
	if (status == CAIRN_NO_MEMORY)
		error_set_memory(error, origin->path);
	else if (error->status == CAIRN_OK)
		error_set(error, status, origin->path, "%s", cairn_status_text(status));
	error->status = status;
	return status;
}

static bool lend_sink(void *context, unsigned thread, struct function_sink *sink)
{
	(void)thread;
	*sink = *(const struct function_sink *)context;
	return true;
}

static void ignore_unit(void *context, unsigned thread, uint32_t unit)
{
	(void)context;
	(void)thread;
	(void)unit;
}

enum cairn_status function_source_read_serially(struct cairn_functions *origin,
                                                struct function_sink sink,
                                                struct cairn_error *error)
{
	const struct function_source_sinks sinks = { lend_sink, ignore_unit, &sink, false };
	const unsigned jobs = origin->options.jobs;

	origin->options.jobs = 1;
	enum cairn_status status = function_source_read(origin, &sinks, error);
	origin->options.jobs = jobs;
	return status;
}

int function_source_compare_names(const void *functions, uint64_t va, struct cairn_bytes a,
                                  struct cairn_bytes b)
{
	const struct cairn_functions *origin = functions;

	return origin->kind == CAIRN_SYMBOLS_ELF ? aliases_compare(&origin->elf->aliases, va, a, b)
	                                         : 0;
}

enum cairn_status cairn_functions_open(const char *path,
                                       const struct cairn_functions_options *options,
                                       struct cairn_functions **functions,
                                       struct cairn_error *error)
{
	struct cairn_functions *opened = malloc(sizeof(*opened));

	if (!opened)
		return error_set_memory(error, path);
	*opened = (struct cairn_functions){ .path = path,
		                            .options = CAIRN_FUNCTIONS_OPTIONS,
		                            .build_id = { (const uint8_t *)"", 0 },
		                            .error = error };
	struct cairn_functions_options *own = &opened->options;
	sized_take(own, sizeof(*own), options);
	bytes_fill(&own->bytes);
	if (own->jobs == 0)
		own->jobs = threads_default();
	if (own->jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		own->jobs = CAIRN_FUNCTIONS_JOBS_MAX;
	const enum cairn_status status = open_input(opened);
	if (status == CAIRN_OK)
		*functions = opened;
	else
		cairn_functions_close(opened);
	return status;
}

void cairn_functions_close(struct cairn_functions *functions)
{
	if (!functions)
		return;
	symbol_input_close(&functions->input);
	elf_source_close(functions);
	os_file_close(&functions->file);
	free(functions);
}

enum cairn_functions_format cairn_functions_format(const struct cairn_functions *functions)
{
	return (enum cairn_functions_format)functions->kind;
}

struct cairn_bytes cairn_functions_build_id(const struct cairn_functions *functions)
{
	return functions->build_id;
}

bool cairn_functions_next_drop(const struct cairn_functions *functions, size_t *at,
                               struct cairn_functions_drop *drop)
{
	if (*at >= functions->drops)
		return false;
	*drop = functions->drop[(*at)++];
	return true;
}

struct functions_output functions_output_of(const struct cairn_output *output, const char *input,
                                            struct cairn_error *error)
{
	struct functions_output own = { .input = input, .error = error };

	sized_take(&own.to, sizeof(own.to), output);
	return own;
}

const char *functions_output_path(const struct functions_output *output)
{
	return output->to.path ? output->to.path : output->input;
}

enum cairn_status functions_output_fill(const struct functions_output *output, const char *suffix,
                                        int (*fill)(void *context, int fd), void *context)
{
	char path[ERROR_PATH];

	if (snprintf(path, sizeof(path), "%s%s", output->to.path, suffix) >= (int)sizeof(path))
		return error_set(output->error, CAIRN_UNREADABLE, output->input,
		                 "the output path is too long");
	const int failed = os_atomic_file_fill(path, fill, context);
	return failed ? error_set_system(output->error, failed, path, "cannot write") : CAIRN_OK;
}

struct part_list {
	const struct cairn_bytes *parts;
	size_t count;
};

static int write_part_list(void *context, int fd)
{
	const struct part_list *list = context;
	int failed = 0;

	for (size_t i = 0; i < list->count && failed == 0; i++)
		failed = os_write_all(fd, list->parts[i]);
	return failed;
}

enum cairn_status functions_output_write(const struct functions_output *output, const char *suffix,
                                         const struct cairn_bytes *parts, size_t count)
{
	if (output->to.path)
		return functions_output_fill(output, suffix, write_part_list,
		                             &(struct part_list){ parts, count });
	for (size_t i = 0; i < count; i++) {
		const int failed =
			output->to.write(output->to.context, suffix, parts[i].data, parts[i].size);
		if (failed)
			return error_set_system(output->error, failed, output->input,
			                        "cannot write");
	}
	return CAIRN_OK;
}

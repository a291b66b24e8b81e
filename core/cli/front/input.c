/* SPDX-License-Identifier: MIT */
/* Opens input files, prints diagnostics on standard error, and demangles names. */
#include "cli.h"
#include "functions.h"
#include "rights.h"

#include "base/table.h"
#include "debuginfo/unpack.h"
#include "output/escape.h"

#include <cairn/functions.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void begin_message(const char *file)
{
	fflush(stdout);
	fputs("cairn: ", stderr);
	if (file)
		print_string_between(stderr, "", strcmp(file, "-") == 0 ? "standard input" : file,
		                     ": ");
}

__attribute__((format(printf, 2, 0))) static void print_formatted(const char *file,
                                                                  const char *format,
                                                                  va_list arguments)
{
	begin_message(file);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void print_diagnostic(const char *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_formatted(file, format, arguments);
	va_end(arguments);
}

int fail_with(const char *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_formatted(file, format, arguments);
	va_end(arguments);
	return EXIT_BROKEN;
}

bool refuse_with(const char *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_formatted(file, format, arguments);
	va_end(arguments);
	return false;
}

void print_word_diagnostic(const char *file, const char *word, const char *why)
{
	print_message_diagnostic(
		&(struct cairn_message){ .path = file, .word = word, .text = why });
}

void print_fault_diagnostic(const char *file, const char *part, const struct cairn_fault *fault,
                            const char *next)
{
	const bool has_place = fault->status != CAIRN_NOT_FOUND;

	print_message_diagnostic(&(struct cairn_message){ .path = file,
	                                                  .part = part,
	                                                  .text = fault->what,
	                                                  .next = next,
	                                                  .has_offset = has_place,
	                                                  .offset = fault->offset });
}

void print_message_diagnostic(const struct cairn_message *message)
{
	begin_message(message->path);
	if (message->part)
		fprintf(stderr, "%s: ", message->part);
	if (message->word)
		print_string_between(stderr, "'", message->word, "': ");
	fputs(message->text, stderr);
	if (message->has_offset)
		fprintf(stderr, " at byte %" PRIu64 " (0x%" PRIx64 ")", message->offset,
		        message->offset);
	fprintf(stderr, "%s%s\n", message->next ? "; " : "", message->next ? message->next : "");
}

void print_error_diagnostic(const struct cairn_error *error)
{
	print_message_diagnostic(
		&(struct cairn_message){ .path = error->path[0] ? error->path : NULL,
	                                 .part = error->part[0] ? error->part : NULL,
	                                 .text = error->text,
	                                 .next = error->next,
	                                 .has_offset = error->has_offset,
	                                 .offset = error->offset });
}

bool input_open(const char *path, struct os_file *file)
{
	int error = os_file_open(path, file);

	rights_count_file();
	if (error)
		print_diagnostic(path, "cannot read: %s", strerror(error));
	return error == 0;
}

/*
 * Replace a compressed file's bytes with their decompressed contents. On failure, close the file.
 */
static bool unpack_opened(const char *path, struct os_file *file)
{
	struct cairn_fault fault;

	if (unpack_file(file, unpack_file_limit(file->bytes.size), &fault) == CAIRN_OK)
		return true;
	print_fault_diagnostic(path, NULL, &fault, NULL);
	os_file_close(file);
	return false;
}

bool input_open_unpacked(const char *path, struct os_file *file)
{
	return input_open(path, file) && unpack_opened(path, file);
}

bool input_parse_elf(const char *path, const struct os_file *file, struct elf *elf)
{
	struct cairn_fault fault;

	if (elf_open(file->bytes, elf, &fault) == CAIRN_OK)
		return true;
	print_fault_diagnostic(path, NULL, &fault, "expected an ELF file");
	return false;
}

bool input_open_elf(const char *path, struct os_file *file, struct elf *elf)
{
	if (!input_open(path, file))
		return false;
	if (input_parse_elf(path, file, elf))
		return true;
	os_file_close(file);
	return false;
}

void print_debuginfod_diagnostic(const char *file, struct debuginfod *asked,
                                 enum debuginfod_answer answer)
{
	const bool silent = answer == DEBUGINFOD_FOUND || answer == DEBUGINFOD_NONE ||
	                    answer == DEBUGINFOD_UNREACHABLE || answer == DEBUGINFOD_LATE_BEFORE;

	if (silent || asked->told)
		return;
	print_diagnostic(file, "%s%s", debuginfod_explain(answer),
	                 answer == DEBUGINFOD_LATE ? "; skipping further requests" : "");
	asked->told = true;
}

static void show_message(void *context, const struct cairn_message *message)
{
	struct functions_input *input = context;

	progress_end(&input->line);
	print_message_diagnostic(message);
}

static bool show_progress(void *context, uint64_t done, uint64_t all)
{
	struct functions_input *input = context;

	progress_update(&input->line, done, all);
	return true;
}

void functions_input_begin(struct functions_input *input, const char *path)
{
	struct cairn_functions_options *options = &input->options;

	options->jobs = (unsigned)input->jobs;
	options->messages = input->quiet     ? CAIRN_MESSAGE_DAMAGE
	                    : input->verbose ? CAIRN_MESSAGE_DETAIL
	                                     : CAIRN_MESSAGE_NOTE;
	options->message = show_message;
	options->progress = show_progress;
	options->context = input;
	input->line = progress_begin(path, "units", input->quiet && !input->progress);
}

struct cairn_functions *functions_input_open(struct functions_input *input, const char *path)
{
	struct cairn_functions *functions;

	functions_input_begin(input, path);
	if (cairn_functions_open(path, &input->options, &functions, &input->error) == CAIRN_OK)
		return functions;
	functions_input_fail(input);
	return NULL;
}

void functions_input_close(struct functions_input *input, struct cairn_functions *functions)
{
	progress_end(&input->line);
	cairn_functions_close(functions);
}

int functions_input_fail(struct functions_input *input)
{
	progress_end(&input->line);
	print_error_diagnostic(&input->error);
	return input->error.status == CAIRN_NOT_FOUND || input->error.status == CAIRN_MISMATCH
	               ? EXIT_MISSING
	               : EXIT_BROKEN;
}

struct cairn_bytes demangled_name(struct cairn_bytes name)
{
	static char text[CAIRN_DEMANGLE_MAX];
	static struct text_cache names;

	if (name.size == 0 || (!strchr("_$.", name.data[0]) && !memchr(name.data, 'B', name.size)))
		/*
		 * No mangled name looks like this, so skip most names from C. Names with a 'B' must
		 * be tried, because mangled names of Ada tasks have no prefix, only the suffix
		 * "TB".
		 */
		return name;
	const struct text_cache_entry *known = text_cache_find(&names, name);
	if (known)
		return known->made_size ? text_cache_made(known) : name;
	const size_t size = cairn_demangle(name, text, sizeof(text));
	const struct cairn_bytes readable = { (const uint8_t *)text, size };
	text_cache_keep(&names, name, readable, 0);
	return size ? readable : name;
}

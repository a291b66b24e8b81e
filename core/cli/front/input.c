/* SPDX-License-Identifier: MIT */
/* Opens input files, and prints diagnostics on standard error. */
#include "cli.h"

#include "rights.h"

#include "debuginfo/elf/unpack.h"
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

/* Replace a compressed file by its content. Close the file on failure. */
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
	print_fault_diagnostic(path, NULL, &fault, "an ELF file is expected");
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

/* SPDX-License-Identifier: MIT */
/* Opens the input files of a command and prints error messages on standard error. */
#include "cli.h"

#include "rights.h"

#include "debuginfo/elf/unpack.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void begin_message(const char *file)
{
	fflush(stdout);
	fputs("cairn: ", stderr);
	if (file) {
		print_string(stderr, strcmp(file, "-") == 0 ? "standard input" : file);
		fputs(": ", stderr);
	}
}

void print_diagnostic(const char *file, const char *format, ...)
{
	va_list arguments;

	begin_message(file);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void print_word_diagnostic(const char *file, const char *word, const char *why)
{
	begin_message(file);
	fputc('\'', stderr);
	print_string(stderr, word);
	fprintf(stderr, "': %s\n", why);
}

void print_fault_diagnostic(const char *file, const char *part, const struct cairn_fault *fault,
                            const char *next)
{
	begin_message(file);
	if (part)
		fprintf(stderr, "%s: ", part);
	fputs(fault->what, stderr);
	if (fault->status != CAIRN_NOT_FOUND) /* what is not there has no place */
		fprintf(stderr, " at byte %" PRIu64 " (0x%" PRIx64 ")", fault->offset,
		        fault->offset);
	fprintf(stderr, "%s%s\n", next ? "; " : "", next ? next : "");
}

bool input_open(const char *path, struct os_file *file)
{
	int error = os_file_open(path, file);

	rights_count_file();
	if (error)
		print_diagnostic(path, "cannot read: %s", strerror(error));
	return error == 0;
}

bool input_open_unpacked(const char *path, struct os_file *file)
{
	return input_open(path, file) && input_unpack(path, file);
}

bool input_unpack(const char *path, struct os_file *file)
{
	struct cairn_fault fault;

	if (unpack_file(file, unpack_file_limit(file->bytes.size), &fault) == CAIRN_OK)
		return true;
	print_fault_diagnostic(path, NULL, &fault, NULL);
	os_file_close(file);
	return false;
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

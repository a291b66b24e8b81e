/* SPDX-License-Identifier: MIT */
/* Reads the log of the markup command from target memory or from a file. */
#include "markup_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 4096 };

/*
 * Open a regular file only: a pipe or a device could block the debugger while Ctrl-C does not reach
 * cairn.
 */
static FILE *open_regular(struct command_call *call, const char *path)
{
	int fd = cairn_regular_file_open(path);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (file)
		return file;
	if (errno == EINVAL || errno == EISDIR)
		reply_error(call, "%s is not a regular file; copy its content into one", path);
	else
		reply_error(call, "cannot open %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

static bool read_file(struct command_call *call, struct text *text)
{
	const char *path = command_call_path(call);
	FILE *file = open_regular(call, path);
	char part[CHUNK];
	size_t got;

	if (!file)
		return false;
	while (!text->cut && (got = fread(part, 1, sizeof(part), file)) > 0)
		text_bytes(text, part, got);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		reply_error(call, "cannot read %s", path);
	return !failed;
}

/*
 * Read memory from `address` on: `length` bytes, or up to a zero byte if `length` is 0. Reads page
 * by page up to the first unreadable one. It is an error if nothing can be read.
 */
static bool read_memory(struct command_call *call, uint64_t address, uint64_t length,
                        struct text *text)
{
	struct cairn_bytes bytes;
	uint64_t left = length ? length : UINT64_MAX;

	while (left > 0 && !text->cut) {
		uint64_t size = CHUNK - address % CHUNK;
		if (size > left)
			size = left;
		if (cairn_trace_read(call->session->space, address, size, &bytes) != CAIRN_OK)
			break;
		const void *end = length ? NULL : memchr(bytes.data, '\0', bytes.size);
		size_t taken = end ? (size_t)((const uint8_t *)end - bytes.data) : bytes.size;
		text_bytes(text, (const char *)bytes.data, taken);
		if (end)
			return true;
		address += size;
		left -= size;
	}
	if (left > 0 && !text->cut && text->size == 0)
		reply_error(call, "the memory there cannot be read");
	else if (left > 0 && !text->cut)
		reply_print(call,
		            "[the memory at 0x%" PRIx64
		            " cannot be read; only the text before it is shown]",
		            address);
	return !call->failed;
}

/*
 * Split the words into an expression and, for memory of a known size, its length, which is a number
 * or another expression.
 */
static bool split_operands(struct command_call *call, struct markup_text *markup)
{
	bool whole = command_call_option(call, "string") || command_call_option(call, "file");

	markup->length = 0;
	markup->expression = words_operands(call->words);
	markup->length_words = (struct word_range){ 0, 0 };
	if (words_count_operands(call->words) == 0) {
		reply_error(call, "EXPRESSION is missing: %s EXPRESSION LENGTH",
		            call->session->running.command->name);
	} else if (!whole &&
	           !words_split_number(call->words, &markup->expression, &markup->length)) {
		unsigned last = words_find_last_expression(call->words);
		markup->length_words = (struct word_range){ last, last ? call->words->count : 0 };
		markup->expression.end = last ? last : markup->expression.end;
	}
	if (!call->failed && !whole && markup->length == 0 && markup->length_words.end == 0)
		reply_error(call, "LENGTH is missing: %s EXPRESSION LENGTH, or -string",
		            call->session->running.command->name);
	return !call->failed;
}

enum answer markup_read_length(struct command_call *call, struct markup_text *markup)
{
	if (!split_operands(call, markup))
		return ANSWER_FAILED;
	if (markup->length_words.end == 0)
		return ANSWER_READY;
	enum answer answer = call->session->debugger->evaluate(call, markup->length_words,
	                                                       &markup->length, NULL);
	if (answer != ANSWER_READY || markup->length > 0)
		return answer;
	reply_error(call, "LENGTH is 0");
	return ANSWER_FAILED;
}

enum answer markup_read_text(struct command_call *call, struct markup_text *markup)
{
	uint64_t address = 0;

	if (command_call_option(call, "file"))
		return read_file(call, &markup->text) ? ANSWER_READY : ANSWER_FAILED;
	enum answer answer =
		call->session->debugger->evaluate(call, markup->expression, &address, NULL);
	if (answer != ANSWER_READY)
		return answer;
	return read_memory(call, address, markup->length, &markup->text) ? ANSWER_READY
	                                                                 : ANSWER_FAILED;
}

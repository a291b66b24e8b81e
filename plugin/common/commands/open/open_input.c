/* SPDX-License-Identifier: MIT */
/* Reads what the command open is given: a file's name, or bytes of the target. */
#include "open_input.h"

#include "common/base/path.h"

#include <string.h>

void open_input_finish(struct open_input *input)
{
	text_finish(&input->memory.text);
	text_finish(&input->path);
	text_finish(&input->names);
}

/* One word alone is a file, too: memory has a length. */
static bool names_file(const struct command_call *call)
{
	if (command_call_option(call, "file"))
		return true;
	return !command_call_option(call, "string") && !command_call_option(call, "array") &&
	       !command_call_option(call, "backtrace") && words_count_operands(call->words) == 1;
}

static bool is_swift_object(const struct command_call *call)
{
	return command_call_option(call, "array") || command_call_option(call, "backtrace");
}

enum answer open_input_read_length(struct command_call *call, struct open_input *input)
{
	if (names_file(call)) {
		const char *path = command_call_path(call);
		text_reset(&input->path);
		path_add_absolute(&input->path, path, strlen(path));
		return ANSWER_READY;
	}
	if (is_swift_object(call)) {
		input->memory.expression = words_operands(call->words);
		return ANSWER_READY;
	}
	return markup_read_length(call, &input->memory);
}

/* The array that find-cbf listed last, by its address; else a value of the type Backtrace. */
static enum cairn_status find_trace(struct command_call *call, uint64_t address,
                                    struct cairn_found_trace *found)
{
	size_t at = 0;

	if (command_call_option(call, "backtrace"))
		return cairn_found_trace_at(call->session->space, address, found);
	while (cairn_trace_search_next(call->session->space, &at, found))
		if (found->array == address)
			return CAIRN_OK;
	return CAIRN_NOT_FOUND;
}

static enum cairn_status read_trace_bytes(struct command_call *call, uint64_t address,
                                          struct open_input *input)
{
	struct cairn_space *space = call->session->space;
	struct cairn_found_trace found;
	struct cairn_bytes bytes;
	size_t images;
	enum cairn_status status = find_trace(call, address, &found);

	if (status == CAIRN_OK)
		status = cairn_found_trace_bytes(space, &found, &bytes);
	if (status != CAIRN_OK)
		return status;
	text_reset(&input->memory.text);
	text_bytes(&input->memory.text, (const char *)bytes.data, bytes.size);
	input->is_trace = true;
	input->has_images = cairn_found_trace_images(space, &found, &images) == CAIRN_OK;
	return CAIRN_OK;
}

static enum answer read_swift_object(struct command_call *call, struct open_input *input)
{
	uint64_t address = 0;
	const enum answer answer =
		call->session->debugger->evaluate(call, input->memory.expression, &address, NULL);

	if (answer != ANSWER_READY)
		return answer;
	const enum cairn_status status = read_trace_bytes(call, address, input);
	if (status == CAIRN_OK)
		return ANSWER_READY;
	if (status == CAIRN_NOT_FOUND)
		reply_error(call, "no Swift backtrace there: %s",
		            command_call_option(call, "array") ? "not an array that find-cbf listed"
		                                               : "not a Backtrace value");
	else
		reply_error(call, "%s", cairn_status_text(status));
	return ANSWER_FAILED;
}

enum answer open_input_read(struct command_call *call, struct open_input *input)
{
	if (input->path.size > 0)
		return ANSWER_READY;
	if (is_swift_object(call))
		return read_swift_object(call, input);
	const enum answer answer = markup_read_text(call, &input->memory);
	if (answer == ANSWER_READY && input->memory.text.size == 0) {
		reply_error(call, "the text is empty");
		return ANSWER_FAILED;
	}
	return answer;
}

/* SPDX-License-Identifier: MIT */
/* Reads the input of the command open: the name of a file, or bytes of the target. */
#include "open_input.h"

#include "common/base/path.h"
#include "common/commands/swift/swift_object.h"

#include <string.h>

void open_input_finish(struct open_input *input)
{
	text_finish(&input->memory.text);
	text_finish(&input->path);
	text_finish(&input->names);
}

/*
 * Return true if the input is a file. A single word is a file name, because memory needs a length.
 */
static bool names_file(const struct command_call *call)
{
	if (command_call_option(call, "file"))
		return true;
	return !command_call_option(call, "string") && !swift_object_is_meant(call) &&
	       words_count_operands(call->words) == 1;
}

enum answer open_input_read_length(struct command_call *call)
{
	struct open_input *input = call->context;

	if (words_count_operands(call->words) == 0) {
		reply_error(call, "FILE is missing: cairn open FILE, or EXPRESSION LENGTH");
		return ANSWER_FAILED;
	}
	if (names_file(call)) {
		const char *path = command_call_path(call);
		text_reset(&input->path);
		path_add_absolute(&input->path, path, strlen(path));
		return ANSWER_READY;
	}
	if (swift_object_is_meant(call)) {
		input->memory.expression = words_operands(call->words);
		return ANSWER_READY;
	}
	return markup_read_length(call, &input->memory);
}

static enum answer read_swift_object(struct command_call *call, struct open_input *input)
{
	struct cairn_bytes bytes;
	uint64_t address = 0;
	const enum answer answer =
		call->session->debugger->evaluate(call, input->memory.expression, &address, NULL);

	if (answer != ANSWER_READY)
		return answer;
	const enum cairn_status status =
		swift_object_read(call, address, &bytes, &input->has_images);
	if (status != CAIRN_OK) {
		swift_object_report(call, status);
		return ANSWER_FAILED;
	}
	text_reset(&input->memory.text);
	text_bytes(&input->memory.text, (const char *)bytes.data, bytes.size);
	return ANSWER_READY;
}

enum answer open_input_read(struct command_call *call)
{
	struct open_input *input = call->context;

	if (input->path.size > 0)
		return ANSWER_READY;
	if (swift_object_is_meant(call))
		return read_swift_object(call, input);
	const enum answer answer = markup_read_text(call, &input->memory);
	if (answer == ANSWER_READY && input->memory.text.size == 0) {
		reply_error(call, "the text is empty");
		return ANSWER_FAILED;
	}
	return answer;
}

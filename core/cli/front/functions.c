/* SPDX-License-Identifier: MIT */
/* Opens inputs with functions, and prints the library's messages and progress. */
#include "functions.h"

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

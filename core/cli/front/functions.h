/* SPDX-License-Identifier: MIT */
/*
 * Shared by the verbs that read functions through cairn/functions.h: options, diagnostics and a
 * progress line.
 *
 *	struct functions_input input = FUNCTIONS_INPUT;
 *	struct cairn_functions *functions = functions_input_open(&input, path);
 *	if (functions && cairn_functions_write_gsym(functions, NULL, &output, NULL, &input.error) != CAIRN_OK)
 *		exit_status = functions_input_fail(&input);
 *	functions_input_close(&input, functions);
 */
#ifndef CAIRN_CLI_FRONT_FUNCTIONS_H
#define CAIRN_CLI_FRONT_FUNCTIONS_H

#include "cli.h"

#include "progress.h"

#include <cairn/functions.h>

struct functions_input {
	struct cairn_functions_options options;
	uint64_t jobs;
	bool verbose, quiet;
	bool progress; /* show progress even if `quiet` is set */
	void *owner;   /* for use by options.fetch(), which gets this struct as its context */

	struct progress line;
	struct cairn_error error;
};

#define FUNCTIONS_INPUT                            \
	{                                          \
		.options = CAIRN_FUNCTIONS_OPTIONS \
	}

#define OPTIONS_FUNCTIONS(input)                                                           \
	OPTION_FLAG("strict", "fail when damage loses a part of the input",                \
	            &(input).options.strict),                                              \
		OPTION_NUMBER_OF('j', "jobs", "N", "threads", &(input).jobs),              \
		OPTION_FLAG_OF('v', "verbose", "print every flaw, not only the first few", \
	                       &(input).verbose),                                          \
		OPTION_FLAG("quiet", "print errors only", &(input).quiet)

/*
 * Set the callbacks in input->options, for callers that open the input themselves. The options then
 * point to *input, so it must not move.
 */
void functions_input_begin(struct functions_input *input, const char *path);

struct cairn_functions *functions_input_open(struct functions_input *input, const char *path);

void functions_input_close(struct functions_input *input, struct cairn_functions *functions);

int functions_input_fail(struct functions_input *input);

#endif

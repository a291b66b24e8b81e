/* SPDX-License-Identifier: MIT */
/*
 * Input of the command open:
 *
 *	FILE, -file FILE            a file
 *	EXPRESSION LENGTH, -string  memory, as for the command markup
 *	-array, -backtrace          a Swift backtrace in the program's memory, as for the command cbf
 */
#ifndef CAIRN_COMMON_COMMANDS_OPEN_OPEN_INPUT_H
#define CAIRN_COMMON_COMMANDS_OPEN_OPEN_INPUT_H

#include "common/commands/markup/markup_text.h"
#include "common/session/session.h"

enum { OPEN_MODULES_MAX = 256 }; /* modules passed on to a capture */

struct open_input {
	struct markup_text memory;
	struct text path; /* path of the input file; empty for input in memory */
	bool has_images;  /* the input is a Swift backtrace whose images the space has read */
	struct cairn_captured_module modules[OPEN_MODULES_MAX];
	size_t module_count;
	struct text names;
};

void open_input_finish(struct open_input *input);

/*
 * Command steps, each of which evaluates one expression. The context of the command must begin with
 * a struct open_input.
 */
enum answer open_input_read_length(struct command_call *call);
enum answer open_input_read(struct command_call *call);

/* Command step for input in memory: find the modules that contain its addresses. */
enum answer open_input_find_modules(struct command_call *call);

#endif

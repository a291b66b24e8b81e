/* SPDX-License-Identifier: MIT */
/*
 * What the command open opens:
 *
 *	FILE, -file FILE            a file, by its name
 *	EXPRESSION LENGTH, -string  memory, as the command markup has it
 *	-array, -backtrace          a Swift backtrace that the program keeps, as the command cbf has it
 */
#ifndef CAIRN_COMMON_COMMANDS_OPEN_OPEN_INPUT_H
#define CAIRN_COMMON_COMMANDS_OPEN_OPEN_INPUT_H

#include "common/commands/markup/markup_text.h"
#include "common/session/session.h"

enum { OPEN_MODULES_MAX = 256 }; /* modules whose places a capture is given */

struct open_input {
	struct markup_text memory; /* `text` is the input */
	struct text path;          /* of a file; empty: it is in memory */
	bool has_images; /* it is a Swift backtrace that came with its images: those that the space has read */
	struct cairn_captured_module modules[OPEN_MODULES_MAX];
	size_t module_count;
	struct text names; /* build IDs and paths of the modules */
};

void open_input_finish(struct open_input *input);

/* Two steps of the command, of which each asks for one value; its context begins with a struct open_input. */
enum answer open_input_read_length(struct command_call *call);
enum answer open_input_read(struct command_call *call);

/* A third one, for what is in memory: the modules that its addresses are in. */
enum answer open_input_find_modules(struct command_call *call);

#endif

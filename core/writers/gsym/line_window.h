/* SPDX-License-Identifier: MIT */
/*
 * Chooses the line steps that are encoded in the special opcodes of a line table, so that the table
 * becomes short.
 */
#ifndef CAIRN_WRITERS_GSYM_LINE_WINDOW_H
#define CAIRN_WRITERS_GSYM_LINE_WINDOW_H

#include "formats/gsym/write.h"

/* Buffers for the line steps of one function, reused for the next. Must be zero-initialized. */
struct gsym_line_steps {
	int32_t *step;
	size_t room;
	struct gsym_step_costs costs;
};

/* Choose a window for the rows; `count` may be 0. Return false if memory is short. */
bool gsym_line_steps_window(struct gsym_line_steps *steps, const struct function_row *rows,
                            size_t count, struct gsym_window *window);
void gsym_line_steps_finish(struct gsym_line_steps *steps);

#endif

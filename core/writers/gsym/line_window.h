/* SPDX-License-Identifier: MIT */
/* Chooses the line steps that the special opcodes of a line table make, so that the table becomes short. */
#ifndef CAIRN_WRITERS_GSYM_LINE_WINDOW_H
#define CAIRN_WRITERS_GSYM_LINE_WINDOW_H

#include "formats/gsym/write.h"

/* Line steps of one function; the memory is kept for the next.  Zeros at first. */
struct gsym_line_steps {
	int32_t *step;
	size_t room;
	struct gsym_step_costs costs;
};

/* A window for the rows, of which there may be none.  False when memory is short. */
bool gsym_line_steps_window(struct gsym_line_steps *steps, const struct function_row *rows,
                            size_t count, struct gsym_window *window);
void gsym_line_steps_finish(struct gsym_line_steps *steps);

#endif

/* SPDX-License-Identifier: MIT */
/* Finds the line of an address in code that a process has made: the lines of a function are read once. */
#include "jit_code.h"

#include "base/array_grow.h"
#include "base/bisect.h"

#include <stdlib.h>

static bool add_line(struct jit_line_index *index, const struct jit_line *line)
{
	uint64_t highest = index->count > 0 ? index->line[index->count - 1].highest : 0;

	if (!array_grow(&index->line, &index->room, index->count + 1, sizeof(*index->line)))
		return false;
	if (line->address > highest)
		highest = line->address;
	index->line[index->count++] = (struct jit_indexed_line){ highest, line->line, line->file };
	return true;
}

/* When memory is short the index stays empty. */
static void fill_index(struct jit_line_index *index, const struct jit_code *code,
                       struct cairn_bytes lines)
{
	struct jit_line line = { .address = 0 };

	while (jit_code_next_line(code, &lines, &line))
		if (!add_line(index, &line)) {
			free(index->line);
			*index = (struct jit_line_index){ .line = NULL };
			return;
		}
}

bool jit_code_find_line(struct jit_code *code, const struct jit_function *function, uint64_t pc,
                        struct jit_line *line)
{
	struct jit_details *details = &code->details[function->details];
	struct jit_line_index *index = &details->index;

	if (details->lines.size == 0)
		return false;
	if (!index->line)
		fill_index(index, code, details->lines);
	const size_t before = SORTED_UP_TO(index->line, index->count, highest, pc);
	if (before == 0)
		return false;
	const struct jit_indexed_line *found = &index->line[before - 1];
	*line = (struct jit_line){ found->highest, found->line, found->file };
	return true;
}

/* SPDX-License-Identifier: MIT */
/* The parts of a builder: how they draw from the budget and give up, and what emits a function. */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_BUILDER_PARTS_H
#define CAIRN_DEBUGINFO_FUNCTIONS_BUILDER_PARTS_H

#include "function_builder.h"

/* Takes steps from the budget; false when it is used up. */
static inline bool function_builder_spend_work(struct function_builder *builder, uint64_t steps)
{
	return budget_work(builder->budget, steps);
}

/* Memory is short: false. */
static inline bool function_builder_no_memory(struct function_builder *builder)
{
	builder->status = CAIRN_NO_MEMORY;
	return false;
}

/* Room for `need` items; false when memory is short. */
static inline bool function_builder_room(struct function_builder *builder, void *array,
                                         size_t *room, size_t need, size_t size)
{
	return budget_room(builder->budget, array, room, need, size) ||
	       function_builder_no_memory(builder);
}

/* The rows of a function whose nodes and scopes are known and normal. */
bool breakpoint_rows_mark(struct function_builder *builder,
                          const struct function_builder_open *open, struct function_row *row,
                          size_t count);

void breakpoint_rows_free(struct breakpoint_rows *apart);

/* All functions of an entry whose end was reached, one for each range. */
bool function_builder_emit(struct function_builder *builder,
                           const struct function_builder_open *open);

#endif

/* SPDX-License-Identifier: MIT */
/* How the files of this folder draw from the budget, and give up. */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_BUILDER_BUDGET_H
#define CAIRN_DEBUGINFO_FUNCTIONS_BUILDER_BUDGET_H

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

#endif

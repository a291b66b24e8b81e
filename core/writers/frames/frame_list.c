/* SPDX-License-Identifier: MIT */
/* Memory of a frame table. */
#include "frame_writer.h"

#include "base/memory.h"

#include <stdlib.h>

bool frame_table_add(struct frame_table *table, struct cairn_range range,
                     enum frame_function_kind kind)
{
	return ARRAY_APPEND(table->function, table->functions, table->room,
	                    (struct frame_function){ .range = range, .kind = kind });
}

void frame_table_finish(struct frame_table *table)
{
	byte_buffer_finish(&table->section);
	free(table->function);
	table->function = NULL;
	table->functions = table->room = 0;
}

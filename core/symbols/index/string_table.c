/* SPDX-License-Identifier: MIT */
/* Loads the string table of a symbfile. */
#include "string_table.h"

#include "base/memory.h"

#include <stdlib.h>

enum cairn_status symbfile_string_table_load(struct symbfile_string_table *texts,
                                             const struct symbfile_record *table)
{
	struct cairn_bytes body = table->body, text;

	texts->count = 0;
	/*
	 * each string takes at least two bytes in the file, so this is at most twelve times
	 * the body
	 */
	if (!array_grow(&texts->text, &texts->room, (size_t)table->table.count,
	                sizeof(*texts->text)))
		return CAIRN_NO_MEMORY;
	while (texts->count < table->table.count && symbfile_next_string(&body, &text))
		texts->text[texts->count++] = text;
	return CAIRN_OK;
}

void symbfile_string_table_finish(struct symbfile_string_table *texts)
{
	free(texts->text);
	*texts = (struct symbfile_string_table){ NULL, 0, 0 };
}

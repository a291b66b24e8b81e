/* SPDX-License-Identifier: MIT */
/* Loads a symbfile's string table into an array and frees it. */
#include "string_table.h"

#include <stdlib.h>

enum cairn_status symbfile_string_table_load(struct symbfile_string_table *texts,
                                             const struct symbfile_record *table)
{
	struct cairn_bytes body = table->body, text;

	texts->count = 0;
	if (table->table.count > texts->room) {
		/* a text has two bytes at least, so this is eight times the body at most */
		struct cairn_bytes *grown =
			realloc(texts->text, table->table.count * sizeof(*grown));
		if (!grown)
			return CAIRN_NO_MEMORY;
		texts->text = grown;
		texts->room = table->table.count;
	}
	while (texts->count < table->table.count && symbfile_next_string(&body, &text))
		texts->text[texts->count++] = text;
	return CAIRN_OK;
}

void symbfile_string_table_finish(struct symbfile_string_table *texts)
{
	free(texts->text);
	*texts = (struct symbfile_string_table){ NULL, 0, 0 };
}

/* SPDX-License-Identifier: MIT */
/* Which texts of a string table some records use; for symbfile_split.c and symbfile_split_write.c alone. */
#ifndef CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_STRINGS_H
#define CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_STRINGS_H

#include "symbfile_split.h"

/* Room for a table of `count` texts, none of them used. */
bool symbfile_split_strings_reset(struct symbfile_split *split, uint32_t count);

static inline bool symbfile_split_strings_has(const struct symbfile_split *split, uint32_t index)
{
	return split->used[index / 8] >> index % 8 & 1;
}

/* Calls `see` for each text that the record refers to and that was not used before. */
void symbfile_split_strings_use(struct symbfile_split *split, const struct symbfile_record *record,
                                void (*see)(void *context, uint32_t index), void *context);

#endif

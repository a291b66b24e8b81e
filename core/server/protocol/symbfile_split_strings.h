/* SPDX-License-Identifier: MIT */
/* Tracks which strings of a table are used; for symbfile_split.c and symbfile_split_write.c. */
#ifndef CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_STRINGS_H
#define CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_STRINGS_H

#include "symbfile_split.h"

/* Prepare a table of `count` unused strings. */
bool symbfile_split_strings_reset(struct symbfile_split *split, uint32_t count);

static inline bool symbfile_split_strings_has(const struct symbfile_split *split, uint32_t index)
{
	return split->used[index / 8] >> index % 8 & 1;
}

/* Call `see` for each string that the record refers to and that was not used before. */
void symbfile_split_strings_use(struct symbfile_split *split, const struct symbfile_record *record,
                                void (*see)(void *context, uint32_t index), void *context);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * All rows of a section in one sorted array, for callers that ask often.  12 bytes a row: where it
 * begins, which of the few distinct rules it has, and a share of the pages that lead to it and to
 * its function.  What does not fit that shape (masked and damaged functions, functions without
 * rows) is left out and looked up in its table.
 *
 * It is bounded by the section: rows that several functions claim would be counted again and
 * again, so when the rows outnumber the bytes they could be made of, there is no flat index.
 */
#ifndef CAIRN_UNWIND_SFRAME_ROW_INDEX_H
#define CAIRN_UNWIND_SFRAME_ROW_INDEX_H

#include "rules.h"

struct row_index;

/* Makes the index from the list of functions, which must exist.  NULL when it would not fit or memory is short. */
struct row_index *row_index_new(const struct cairn_rules *rules);
void row_index_free(struct row_index *flat);

/* False: not here; the table itself may know, and knows why not. */
bool row_index_find(const struct row_index *flat, const struct cairn_rules *rules, uint64_t va,
                    struct cairn_rule *rule);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * All rows of a section in one sorted array, for frequent lookups. A row takes 12 bytes: its start,
 * the number of its rule among the few distinct ones, and a share of the page table that leads to
 * rows and functions. Functions that do not fit this form (masked, damaged, without rows) are left
 * out and looked up in their table.
 *
 * The section bounds the size: functions may share rows, which would then be counted repeatedly, so
 * there is no index if rows outnumber the bytes that could hold them.
 */
#ifndef CAIRN_UNWIND_TABLES_SFRAME_ROW_INDEX_H
#define CAIRN_UNWIND_TABLES_SFRAME_ROW_INDEX_H

#include "sframe_rules.h"

struct row_index;

/*
 * Build the index from the list of functions, which must exist. Return NULL if it would not fit or
 * memory is short.
 */
struct row_index *row_index_new(const struct cairn_rules *rules);
void row_index_free(struct row_index *flat);

/*
 * Find a rule. Return false if it is not in the index; the table itself may contain it, or tell why
 * not.
 */
bool row_index_find(const struct row_index *flat, const struct cairn_rules *rules, uint64_t va,
                    struct cairn_rule *rule);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The distinct rules of a section, regardless of their address ranges. A program has a few hundred.
 */
#ifndef CAIRN_UNWIND_TABLES_SFRAME_RULE_POOL_H
#define CAIRN_UNWIND_TABLES_SFRAME_RULE_POOL_H

#include <cairn.h>

#define RULE_POOL_NONE UINT32_MAX

enum {
	/* maximum number of distinct rules; more than any real program has */
	RULE_POOL_MAX = 1 << 14,
};

struct rule_pool {
	struct cairn_rule *rules;
	uint32_t count, room;
	uint32_t *slots; /* open addressing over `rules`: number + 1, 0 if unused */
	uint32_t slot_count;
};

/*
 * Set *number to the index of an equal rule, adding it if needed, or to RULE_POOL_NONE if there are
 * too many rules or too many hash collisions. Return false if memory is short.
 */
bool rule_pool_add(struct rule_pool *shapes, const struct cairn_rule *rule, uint32_t *number);
void rule_pool_finish(struct rule_pool *shapes);

#endif

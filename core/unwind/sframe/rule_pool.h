/* SPDX-License-Identifier: MIT */
/* The distinct rules of a section, their address ranges left out: some hundreds in a program. */
#ifndef CAIRN_UNWIND_SFRAME_RULE_POOL_H
#define CAIRN_UNWIND_SFRAME_RULE_POOL_H

#include <cairn.h>

#define RULE_POOL_NONE UINT32_MAX

enum {
	RULE_POOL_MAX = 1 << 14, /* more than any real program has */
};

struct rule_pool {
	struct cairn_rule *rules;
	uint32_t count, room;
	uint32_t *slots; /* open addressing over `rules`: number + 1, 0 is free */
	uint32_t slot_count;
};

/*
 * The number of the rule's shape, RULE_POOL_NONE when there are too many or it is too hard to find.
 * False: no memory.
 */
bool rule_pool_add(struct rule_pool *shapes, const struct cairn_rule *rule, uint32_t *number);
void rule_pool_finish(struct rule_pool *shapes);

#endif

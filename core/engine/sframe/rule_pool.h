/* SPDX-License-Identifier: MIT */
/* The distinct rules of a section, their address ranges left out: some hundreds in a program. */
#ifndef CAIRN_ENGINE_SFRAME_RULE_POOL_H
#define CAIRN_ENGINE_SFRAME_RULE_POOL_H

#include <cairn.h>

#define SHAPES_NONE UINT32_MAX

enum {
	SHAPES_MAX = 1 << 14, /* more than any real program has */
};

struct shapes {
	struct cairn_rule *rules;
	uint32_t count, room;
	uint32_t *slots; /* open addressing over `rules`: number + 1, 0 is free */
	uint32_t slot_count;
};

/*
 * The number of the rule's shape, SHAPES_NONE when there are too many or it is too hard to find.
 * False: no memory.
 */
bool shapes_intern(struct shapes *shapes, const struct cairn_rule *rule, uint32_t *number);
void shapes_finish(struct shapes *shapes);

#endif

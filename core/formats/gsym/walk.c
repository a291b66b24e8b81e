/* SPDX-License-Identifier: MIT */
/* Limits the work of reading all functions of a file whose records overlap. */
#include "walk.h"

struct gsym_walk gsym_walk(const struct gsym *gsym)
{
	return (struct gsym_walk){ gsym, allowance_of(GSYM_WALK_LEAST, GSYM_WALK_TIMES,
		                                      gsym->bytes.size) };
}

/* Return the size of a record up to the end of its blocks. Stop once it exceeds `most`. */
static uint64_t record_size(const struct gsym *gsym, const struct gsym_function *f, uint64_t most)
{
	struct gsym_blocks blocks = gsym_blocks(gsym, f);
	struct gsym_block block;

	while (gsym_next_block(&blocks, &block) && blocks.in.at - f->at <= most)
		;
	return blocks.in.at - f->at;
}

bool gsym_walk_take(struct gsym_walk *walk, uint32_t index, struct cairn_fault *fault)
{
	struct gsym_function f;
	struct cairn_fault other;

	if (gsym_function(walk->gsym, index, &f, &other) != CAIRN_OK)
		return true;
	if (!allowance_draw(&walk->bytes, record_size(walk->gsym, &f, walk->bytes.left))) {
		/*
		 * stop for good, because measuring further records would cost as much as reading
		 * them
		 */
		walk->bytes.left = 0;
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, gsym_info_at(walk->gsym, index),
			                       "records share too many of their bytes" };
		return false;
	}
	return true;
}

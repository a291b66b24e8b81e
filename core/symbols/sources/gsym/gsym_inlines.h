/* SPDX-License-Identifier: MIT */
/*
 * The inline tree of one function as a list of calls, whose ranges ascend and are inside those of
 * the call around them.  The file promises neither.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_INLINES_H
#define CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_INLINES_H

#include "gsym_names.h"

#include "base/nested_ranges.h"
#include "formats/gsym/gsym.h"
#include "model/function.h"

struct gsym_inlines {
	struct function_inline *call; /* call_file as in the GSYM file, at most UINT32_MAX */
	size_t count, call_room;
	struct nested_ranges ranges;
	bool parted;                /* the function is one of several parts */
	bool paths;                 /* set once: calls get their function_path() */
	bool marked;                /* the node in progress has a mark, */
	uint64_t mark;              /* here */
	struct gsym_nodes *nodes;   /* large, and so is this: */
	struct nested_level *level; /* the way down to that node */
};

/* Both are harmless on what is all zero; false when memory is short. */
bool gsym_inlines_init(struct gsym_inlines *inlines, bool paths);
void gsym_inlines_finish(struct gsym_inlines *inlines);

/*
 * The calls of one block, in a function that covers `whole`.  What is damaged ends the reading, and
 * *fault reports it; what was read before stays.  False when memory is short.
 */
bool gsym_inlines_read(struct gsym_inlines *inlines, struct gsym_names *names,
                       const struct gsym_block *block, struct cairn_range whole,
                       struct cairn_fault *fault);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Flattens a GSYM inline tree into a list of calls and clips the ranges of each to those of its
 * parent.
 */
#include "gsym_inlines.h"

#include <stdlib.h>

/*
 * Cutting a range to those around it may make many of one.  In a block of n bytes there are at most
 * n / 2 ranges, and sound trees need no cutting.
 */
enum { RANGES_PER_BYTE = 2 };

bool gsym_inlines_init(struct gsym_inlines *in, bool paths)
{
	*in = (struct gsym_inlines){ .paths = paths,
		                     .nodes = malloc(sizeof(*in->nodes)),
		                     .level = malloc((GSYM_MAX_LEVELS + 2) * sizeof(*in->level)) };
	return in->nodes && in->level;
}

void gsym_inlines_finish(struct gsym_inlines *in)
{
	free(in->call);
	nested_ranges_finish(&in->ranges);
	free(in->nodes);
	free(in->level);
}

/* The ranges of a node; false when memory is short. */
static bool read_node_ranges(struct gsym_inlines *in, const struct gsym_inline *node)
{
	uint32_t at = node->ranges_at;
	uint64_t left = node->ranges;
	struct gsym_range range;

	in->ranges.owns = 0;
	in->marked = false;
	while (gsym_next_range(&in->nodes->tree, node, &at, &left, &range)) {
		uint64_t room = UINT64_MAX - range.start;
		in->marked = range.size == 0 && in->ranges.owns > 0;
		in->mark = range.start;
		const struct cairn_range read = {
			range.start, range.start + (range.size < room ? range.size : room)
		};
		if (!nested_ranges_read(&in->ranges, read))
			return false;
	}
	return true;
}

static bool keep_call(struct gsym_inlines *in, struct gsym_names *names,
                      const struct gsym_inline *node, struct cairn_fault *fault)
{
	const struct nested_level *level = &in->level[node->depth + 1];

	if (!array_grow(&in->call, &in->call_room, in->count + 1, sizeof(*in->call)))
		return false;
	struct function_inline *call = &in->call[in->count++];
	*call = (struct function_inline){
		.depth = node->depth,
		.range = (uint32_t)level->first,
		.ranges = (uint32_t)level->count,
		.call_file = node->file < UINT32_MAX ? (uint32_t)node->file : UINT32_MAX,
		.call_line = node->line <= UINT32_MAX ? (uint32_t)node->line : 0,
		.entry = in->marked ? in->mark : 0
	};
	const char *wrong = gsym_names_read(names, node->name, &call->name);
	if (in->paths)
		call->path_size = gsym_names_path(names, call->name);
	if (wrong && fault->status == CAIRN_OK)
		*fault =
			(struct cairn_fault){ CAIRN_MALFORMED,
			                      in->nodes->tree.data_at + node->fixed_at + 1, wrong };
	return true;
}

/* Node after node, the root of the tree among them, which only holds the others. */
static bool add_inline_node(struct gsym_inlines *in, struct gsym_names *names,
                            const struct gsym_inline *node, struct cairn_fault *fault)
{
	const size_t limit = 1 + in->nodes->tree.data.size * RANGES_PER_BYTE;
	struct nested_level *level = &in->level[node->depth];

	if (!read_node_ranges(in, node) || !nested_ranges_cut(&in->ranges, level, limit, level + 1))
		return false;
	in->parted = in->parted || (node->depth == 0 && in->marked);
	if (in->ranges.count >= limit && fault->status == CAIRN_OK)
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, in->nodes->tree.data_at + node->at,
			                       "inlined calls with too many ranges" };
	return node->depth == 0 || level[1].count == 0 || keep_call(in, names, node, fault);
}

bool gsym_inlines_read(struct gsym_inlines *in, struct gsym_names *names,
                       const struct gsym_block *block, struct cairn_range whole,
                       struct cairn_fault *fault)
{
	struct gsym_tree tree = gsym_tree(names->gsym, block, whole.low);
	struct gsym_inline node;

	in->count = in->ranges.count = 0;
	in->parted = false;
	if (!nested_ranges_add(&in->ranges, whole))
		return false;
	in->level[0] = (struct nested_level){ 0, 1 };
	gsym_nodes_begin(in->nodes, &tree);
	while (gsym_next_node(in->nodes, &node))
		if (!add_inline_node(in, names, &node, fault))
			return false;
	if (fault->status == CAIRN_OK)
		*fault = in->nodes->tree.fault;
	return true;
}

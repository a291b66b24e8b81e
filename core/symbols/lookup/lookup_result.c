/* SPDX-License-Identifier: MIT */
/* Going over an answer: the locations of a decoded function, or those that a lookup reads. */
#include "symbols.h"

static void set_place(struct lookup_state *a, struct cairn_symbols *symbols,
                      struct cairn_location *location)
{
	if (a->place_file == DECODED_NO_PLACE)
		return;
	location->line = a->place_line;
	if (a->place_file == 0)
		return;
	const struct gsym_file *file = gsym_cache_file(&symbols->cache, a->place_file);
	location->directory = file->directory;
	location->file = file->name;
}

bool lookup_result_next_decoded(struct cairn_lookup_result *answer, struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);
	struct cairn_symbols *symbols = a->symbols;
	const struct gsym *gsym = &symbols->image.gsym;
	struct cairn_bytes none = { gsym->bytes.data, 0 };
	struct cairn_location l = { .directory = none, .file = none };

	if (a->ended)
		return false;
	set_place(a, symbols, &l);
	if (a->node > DECODED_ROOT) {
		struct decoded_node *node = &decoded_nodes(a->decoded)[a->node];
		l.function = decoded_name(gsym, &node->name);
		l.start = a->decoded->start + node->start;
		l.inlined = true;
		a->place_file = node->call_file;
		a->place_line = node->call_line;
		a->node = node->parent;
	} else {
		l.function = decoded_name(gsym, &a->decoded->name);
		l.start = a->decoded->start;
		l.size = a->decoded->size;
		a->ended = true;
	}
	l.offset = answer->va - l.start;
	*location = l;
	return true;
}

bool lookup_result_next_columned(struct cairn_lookup_result *answer,
                                 struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);
	const uint32_t node = a->node,
		       column = a->place_file == DECODED_NO_PLACE ? 0 : a->place_column;

	if (!lookup_result_next_decoded(answer, location))
		return false;
	location->column = column;
	a->place_column = decoded_call_column(a->decoded, node);
	return true;
}

bool lookup_result_next_kept(struct cairn_lookup_result *answer, struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);

	return !a->nothing && kept_lookup_next(&a->kept, location);
}

bool lookup_result_next_in_bytes(struct cairn_lookup_result *answer,
                                 struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);

	if (a->lookup.ended || !gsym_next_location(&a->lookup, location))
		return false;
	if (answer->fault.status == CAIRN_OK)
		answer->fault = a->lookup.fault;
	return true;
}

bool cairn_lookup_result_next(struct cairn_lookup_result *answer, struct cairn_location *location)
{
	return lookup_state_of(answer)->next(answer, location);
}

/* Finds the block of folded functions, which a decoded function does not keep. */
static void begin_folded(struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);
	const struct gsym *gsym = &answer->symbols->image.gsym;
	struct gsym_function function;
	struct gsym_block block;
	struct cairn_fault fault;

	a->folded_begun = true;
	if (gsym_function(gsym, a->index, &function, &fault) != CAIRN_OK)
		return;
	struct gsym_blocks blocks = gsym_blocks(gsym, &function);
	while (gsym_next_block(&blocks, &block))
		if (block.type == GSYM_MERGED) {
			a->folded = gsym_merged(gsym, &function, &block);
			a->has_folded = true;
		}
}

bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);
	struct gsym_function function;

	if (!answer->symbols->is_image)
		return false;
	if (!a->folded_begun)
		begin_folded(answer);
	if (!a->has_folded)
		return false;
	a->has_folded = gsym_next_merged(&a->folded, &function);
	if (!a->has_folded) {
		if (answer->fault.status == CAIRN_OK)
			answer->fault = a->folded.in.fault;
		return false;
	}
	a->next = lookup_result_next_in_bytes;
	a->decoded = NULL;
	gsym_lookup_in_function(&answer->symbols->image.gsym, &function, answer->va, &a->lookup);
	if (answer->fault.status == CAIRN_OK)
		answer->fault = a->lookup.fault;
	return true;
}

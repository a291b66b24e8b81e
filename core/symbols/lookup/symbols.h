/* SPDX-License-Identifier: MIT */
/*
 * Private definitions of struct cairn_symbols and struct cairn_lookup_result. Symbols are either a
 * GSYM image with a cache, which is searched in place, or functions that were read from a file in
 * another format.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_SYMBOLS_H
#define CAIRN_SYMBOLS_LOOKUP_SYMBOLS_H

#include "function_table.h"
#include "gsym_cache.h"
#include "symbol_input.h"

/* Functions of a file in a format that cannot be searched in place. */
struct symbols_functions {
	struct function_table list; /* sorted, in order of preference */
	uint8_t *texts;             /* owns all their strings */
	struct cairn_bytes build_id;
	struct cairn_fault damage; /* fault that ended reading; OK if the file is whole */
};

struct cairn_symbols {
	enum cairn_symbol_format format;
	/* GSYM; otherwise only `functions` is used and the rest is zero */
	bool is_image;
	struct symbols_functions functions;
	struct gsym_image image;
	struct gsym_cache cache;
	struct gsym_reach *reach; /* created when a lookup first falls behind an inner function */
	bool reach_refused;
};

/* Stored in the state of struct cairn_lookup_result, and must fit there. */
struct lookup_state {
	bool (*next)(struct cairn_lookup_result *answer, struct cairn_location *location);
	struct decoded *decoded;       /* NULL if the function is not decoded */
	struct cairn_symbols *symbols; /* owner of `decoded` */
	uint32_t node, place_file, place_line, place_column;
	bool ended, nothing; /* `nothing`: no function at the address */
	bool folded_begun, has_folded;
	uint32_t index;
	struct gsym_merged folded;
	union {
		struct gsym_lookup lookup;
		struct kept_lookup kept;
	};
};

static inline struct lookup_state *lookup_state_of(struct cairn_lookup_result *answer)
{
	return (struct lookup_state *)(void *)answer->state;
}

/* Find the function at `va` like cairn_symbols_find(). `eager` decodes a function at once. */
enum cairn_status symbols_find(struct cairn_symbols *symbols, uint64_t va, bool eager,
                               struct cairn_lookup_result *answer);

#endif

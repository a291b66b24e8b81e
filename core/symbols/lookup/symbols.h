/* SPDX-License-Identifier: MIT */
/*
 * What struct cairn_symbols and struct cairn_lookup_result contain: one GSYM image and the cache over it, or the functions of
 * a file in another format, and an answer that comes from any of them.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_SYMBOLS_H
#define CAIRN_SYMBOLS_LOOKUP_SYMBOLS_H

#include "read_functions.h"
#include "symbols/cache/gsym_cache.h"
#include "symbols/cache/gsym_image.h"

struct cairn_symbols {
	enum cairn_symbol_format format;
	bool is_image;                      /* else it is functions that were read: */
	struct symbols_functions functions; /* then the next are zeros */
	struct gsym_image image;
	struct gsym_cache cache;
	struct gsym_reach *reach; /* made when a lookup first falls after an inner function */
	bool reach_refused;
};

/* Fits into the state of struct cairn_lookup_result. */
struct lookup_state {
	bool (*next)(struct cairn_lookup_result *answer, struct cairn_location *location);
	struct decoded *decoded;       /* NULL: the locations are not those of a decoded function */
	struct cairn_symbols *symbols; /* that have it */
	uint32_t node, place_file, place_line, place_column; /* of the next location */
	bool ended, nothing; /* nothing: there is no function at all */
	bool folded_begun, has_folded;
	uint32_t index; /* of the function */
	struct gsym_merged folded;
	union {
		struct gsym_lookup lookup;
		struct kept_lookup kept; /* of functions that were read */
	};
};

static inline struct lookup_state *lookup_state_of(struct cairn_lookup_result *answer)
{
	return (struct lookup_state *)(void *)answer->state;
}

/* Were functions folded into the code that was found? */
static inline bool lookup_result_has_folded(struct cairn_lookup_result *answer)
{
	const struct lookup_state *a = lookup_state_of(answer);

	if (!answer->symbols->is_image)
		return false;
	if (a->decoded)
		return a->decoded->has_folded;
	return !a->nothing && a->lookup.merged.type == GSYM_MERGED;
}

/* Where the locations of an answer come from: a decoded function, one that has columns, GSYM's bytes, functions that were read. */
bool lookup_result_next_decoded(struct cairn_lookup_result *answer,
                                struct cairn_location *location);
bool lookup_result_next_columned(struct cairn_lookup_result *answer,
                                 struct cairn_location *location);
bool lookup_result_next_in_bytes(struct cairn_lookup_result *answer,
                                 struct cairn_location *location);
bool lookup_result_next_kept(struct cairn_lookup_result *answer, struct cairn_location *location);

/* As cairn_symbols_find(); `eager` decodes a function at once. */
enum cairn_status symbols_find(struct cairn_symbols *symbols, uint64_t va, bool eager,
                               struct cairn_lookup_result *answer);

#endif

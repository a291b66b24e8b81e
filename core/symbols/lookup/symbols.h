/* SPDX-License-Identifier: MIT */
/*
 * What struct cairn_symbols and struct cairn_lookup_result contain: one GSYM image and the cache over it, or the functions of
 * a file in another format, and an answer that comes from any of them.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_SYMBOLS_H
#define CAIRN_SYMBOLS_LOOKUP_SYMBOLS_H

#include "gsym_cache.h"
#include "gsym_image.h"
#include "kept_functions.h"

/* The functions of a file whose format cannot be searched in place. */
struct symbols_functions {
	struct kept_functions list; /* sorted, and in the order of preference */
	uint8_t *texts;             /* memory of all their texts */
	struct cairn_bytes build_id;
	struct cairn_fault damage; /* the fault that ended the reading; OK if the file is whole */
};

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

/* As cairn_symbols_find(); `eager` decodes a function at once. */
enum cairn_status symbols_find(struct cairn_symbols *symbols, uint64_t va, bool eager,
                               struct cairn_lookup_result *answer);

#endif

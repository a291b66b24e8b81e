/* SPDX-License-Identifier: MIT */
/*
 * Private definitions of struct cairn_symbols and struct cairn_lookup_result. The symbols are
 * either a GSYM image that is searched in place, with a cache, or a table of functions read from a
 * file in another format.
 */
#ifndef CAIRN_SYMBOLS_SYMBOLS_H
#define CAIRN_SYMBOLS_SYMBOLS_H

#include "function_table.h"
#include "gsym_cache.h"
#include "symbol_input.h"

struct symbols_functions {
	struct function_table list; /* sorted; functions were added in order of preference */
	uint8_t *texts;
	struct cairn_bytes build_id;
	struct cairn_fault damage; /* fault that ended reading; CAIRN_OK if the file is complete */
};

struct cairn_symbols {
	enum cairn_symbol_format format;
	/* GSYM, which uses the fields below; other formats use only `functions` */
	bool is_image;
	struct symbols_functions functions;
	struct gsym_image image;
	struct gsym_cache cache;
	/*
	 * index of function ends, which finds the function around an address that follows a nested
	 * function; created by the first lookup of such an address
	 */
	struct gsym_reach *reach;
	bool reach_refused;
	/* the file if the symbols were opened by path; otherwise NULL */
	struct symbols_file *file;
	void (*close_file)(struct symbols_file *file);
};

/* State of a lookup, stored in struct cairn_lookup_result, into which it must fit. */
struct lookup_state {
	bool (*next)(struct cairn_lookup_result *answer, struct cairn_location *location);
	struct decoded *decoded;
	struct cairn_symbols *symbols;
	uint32_t node, place_file, place_line, place_column;
	bool ended, nothing; /* `nothing`: no function contains the address */
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

/*
 * Find the function at `va` like cairn_symbols_find(). `eager` decodes the function on its first
 * lookup.
 */
enum cairn_status symbols_find(struct cairn_symbols *symbols, uint64_t va, bool eager,
                               struct cairn_lookup_result *answer);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Caches decoded functions of one GSYM file in bounded memory.
 *
 * A function is decoded on its fourth lookup, because decoding costs as much as a few lookups and
 * many functions are never looked up again. When the cache is full, functions that have not been
 * used since the last pass are evicted (second chance). Once the cache has been full, a function is
 * decoded only after many more lookups: if the working set does not fit into the cache, decoding
 * and evicting its functions in turn would cost more than the cache saves.
 */
#ifndef CAIRN_SYMBOLS_GSYM_CACHE_H
#define CAIRN_SYMBOLS_GSYM_CACHE_H

#include <cairn.h>

#include "formats/gsym/gsym.h"

/*
 * A decoded GSYM function, its code cut into pieces with one result each. A lookup in a decoded
 * function spends its time on cache misses, not on computation, so the layout minimizes cache
 * lines: everything is in one block, and a search visits top[], which contains the first start of
 * each leaf, and then a single leaf.
 *
 *	struct decoded  top[]  leaves[]                     nodes[]                                  columns[]
 *	                       start*8 (file line node)*8   inlined calls, each with its parent      of pieces and nodes, if any
 *
 * A piece stores the result of gsym_lookup_in_function() for its addresses. Functions that are
 * damaged, too large or unusual are not decoded; each lookup reads them from the file.
 */
enum {
	DECODED_OUTSIDE = 0, /* node index for addresses outside the root of the inline tree */
	DECODED_ROOT = 1,
};

#define DECODED_NO_PLACE UINT32_MAX /* file index for pieces with neither file nor line */

/*
 * Decoded functions cover only offsets below this bound, because offsets from a function's start
 * are stored in 32 bits. Lookups at higher offsets are rare and read the file.
 */
#define DECODED_REACH (UINT32_MAX - 1)

struct decoded_piece {
	uint32_t file, line, node;
};

struct decoded_node {
	uint64_t name;
	uint32_t start;
	uint32_t parent, call_file, call_line;
};

enum { DECODED_LEAF = 8, DECODED_ALIGN = 128 };

/* The search in a leaf touches two cache lines. */
struct decoded_leaf {
	/* ascending offsets from the function's start; unused elements are UINT32_MAX */
	uint32_t start[DECODED_LEAF];
	struct decoded_piece piece[DECODED_LEAF];
};

struct decoded {
	uint64_t start;
	uint64_t name;
	uint32_t index, size;
	uint32_t bytes;
	/* byte offsets of the nodes and of the leaves from the start of this struct */
	uint32_t nodes_at;
	uint32_t leaves_at;
	/*
	 * byte offset of the columns (first of all pieces, then of all nodes); 0 if there are no
	 * columns
	 */
	uint32_t columns_at;
	bool has_folded; /* other functions have been folded into this function's code */
	bool is_alone;   /* no other function starts at this address */
	bool is_plain;   /* is_alone, and has no columns: the common case, which is tested first */
	bool was_used;   /* looked up since the last eviction pass */
	uint32_t leaf_count;
	uint32_t top[]; /* first element of start[] in each leaf */
};

static inline struct decoded_leaf *decoded_leaves(struct decoded *decoded)
{
	return (struct decoded_leaf *)(void *)((uint8_t *)decoded + decoded->leaves_at);
}

static inline struct decoded_node *decoded_nodes(struct decoded *decoded)
{
	return (struct decoded_node *)(void *)((uint8_t *)decoded + decoded->nodes_at);
}

static inline const uint32_t *decoded_columns(const struct decoded *decoded)
{
	return (const uint32_t *)(const void *)((const uint8_t *)decoded + decoded->columns_at);
}

/*
 * Names are packed into 8 bytes: the string table offset in the lower 40 bits and, after the first
 * use, the length in the upper 24. Lengths that do not fit are measured each time. Functions whose
 * name lies beyond DECODED_NAME_OFFSETS are not decoded.
 */
#define DECODED_NAME_OFFSETS ((uint64_t)1 << 40)
#define DECODED_NAME_UNMEASURED ((uint64_t)0xffffff << 40)

struct cairn_bytes decoded_name(const struct gsym *gsym, uint64_t *name);

/*
 * Return the index of the last of `count` ascending numbers that is at most `key`. The first number
 * must not be greater than `key`.
 */
static inline uint32_t decoded_last(const uint32_t *numbers, uint32_t count, uint32_t key)
{
	uint32_t at = 0;

	while (count > 1) {
		uint32_t half = count / 2;
		at = numbers[at + half] <= key ? at + half : at;
		count -= half;
	}
	return at;
}

/* Return the piece that contains `offset`, which must be below DECODED_REACH. */
static inline const struct decoded_piece *decoded_find(struct decoded *decoded, uint32_t offset)
{
	uint32_t number = decoded_last(decoded->top, decoded->leaf_count, offset);
	const struct decoded_leaf *leaf = &decoded_leaves(decoded)[number];

	return &leaf->piece[decoded_last(leaf->start, DECODED_LEAF, offset)];
}

static inline uint32_t decoded_piece_column(struct decoded *decoded,
                                            const struct decoded_piece *piece)
{
	const struct decoded_leaf *leaves = decoded_leaves(decoded);
	const size_t at = (size_t)((const uint8_t *)piece - (const uint8_t *)leaves),
		     leaf = at / sizeof(*leaves);

	return decoded->columns_at ? decoded_columns(decoded)[leaf * DECODED_LEAF +
	                                                      (size_t)(piece - leaves[leaf].piece)]
	                           : 0;
}

static inline uint32_t decoded_call_column(const struct decoded *decoded, uint32_t node)
{
	return decoded->columns_at
	               ? decoded_columns(decoded)[(size_t)decoded->leaf_count * DECODED_LEAF + node]
	               : 0;
}

struct gsym_cache_slot {
	struct decoded *decoded;
	uint32_t index;
};

struct gsym_cache_file {
	struct gsym_file file;
	bool known;
};

struct gsym_cache {
	const struct gsym *gsym;
	size_t limit, bytes, peak; /* current and highest number of bytes that the cache uses */
	/* separate limit for temporary memory while a function is decoded */
	size_t work_limit;
	struct gsym_cache_slot *slots;
	/* the table has 2^slot_bits slots; 0 if it has not been allocated yet */
	uint32_t slot_bits, count;
	uint32_t hand; /* slot at which the next eviction pass continues */
	/* lookup counters of functions; in large files, several functions share a counter */
	uint8_t *touches;
	size_t touch_count;
	struct gsym_cache_file *files;
	/* the file returned last; used if `files` could not be allocated */
	struct gsym_cache_file only_file;
	bool files_refused;
	bool is_full;    /* set by the first eviction */
	uint32_t *guide; /* index of the first function in each part of the address table */
	uint32_t guide_parts, guide_shift;
	bool guide_refused;
	uint64_t decodings;
};

/*
 * Initialize a cache that uses at most `limit` bytes. Memory is allocated later. `gsym` must
 * outlive the cache.
 */
void gsym_cache_init(struct gsym_cache *cache, const struct gsym *gsym, size_t limit);
void gsym_cache_finish(struct gsym_cache *cache);

/* Find a function like gsym_search(), but in fewer steps once functions are cached. */
uint32_t gsym_cache_search(const struct gsym_cache *cache, uint64_t va);

struct decoded *gsym_cache_get(const struct gsym_cache *cache, uint32_t index);

/*
 * Return the function from the cache, or decode it if `eager` is set or it has been looked up often
 * enough. Returns NULL otherwise. May evict other functions.
 */
struct decoded *gsym_cache_get_or_decode(struct gsym_cache *cache,
                                         const struct gsym_function *function, bool eager);

/*
 * Return entry `index` of the file table, which must exist. The result is valid until the next
 * call.
 */
const struct gsym_file *gsym_cache_file(struct gsym_cache *cache, uint32_t index);

#endif

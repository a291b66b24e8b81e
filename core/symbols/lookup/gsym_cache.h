/* SPDX-License-Identifier: MIT */
/*
 * Caches decoded functions of one GSYM file in bounded memory.
 *
 * A function is decoded on its fourth lookup, because decoding costs as much as a few lookups and
 * many functions are never looked up again. When the cache is full, functions that were not used
 * since the last pass are evicted (second chance). From then on a function needs many more lookups
 * before it is decoded: if the working set does not fit, decoding its functions in turn would cost
 * more than the cache saves.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_GSYM_CACHE_H
#define CAIRN_SYMBOLS_LOOKUP_GSYM_CACHE_H

#include <cairn.h>

#include "formats/gsym/gsym.h"

/*
 * A decoded GSYM function, its code cut into pieces that each have one answer. A lookup in a
 * decoded function waits for memory rather than computes, so the layout minimizes cache lines:
 * everything is in one block, and the search visits first the array of each leaf's first start,
 * then one leaf.
 *
 *	struct decoded  top[]  leaves[]                     nodes[]                                  columns[]
 *	                       start*8 (file line node)*8   inlined calls, each with its parent      of pieces and nodes, if any
 *
 * A piece holds the answer of gsym_lookup_in_function() for its addresses. Functions with a flaw,
 * and functions that are too large or too odd, are not decoded; each lookup reads them from
 * the file.
 */
enum {
	DECODED_OUTSIDE = 0, /* node number for addresses outside the tree's root */
	DECODED_ROOT = 1,
};

#define DECODED_NO_PLACE UINT32_MAX /* file number if neither file nor line is known */

/* Offsets from the start are 32-bit. The rare lookups beyond this read the file. */
#define DECODED_REACH (UINT32_MAX - 1)

struct decoded_piece {
	uint32_t file, line, node;
};

struct decoded_node {
	uint64_t name;
	uint32_t start; /* offset from the function's start */
	uint32_t parent, call_file, call_line;
};

enum { DECODED_LEAF = 8, DECODED_ALIGN = 128 };

/* Two cache lines. */
struct decoded_leaf {
	/* ascending offsets from the function's start; UINT32_MAX if unused */
	uint32_t start[DECODED_LEAF];
	struct decoded_piece piece[DECODED_LEAF];
};

struct decoded {
	uint64_t start;
	uint64_t name;
	uint32_t index, size;
	uint32_t bytes;    /* size of the whole block */
	uint32_t nodes_at; /* offset in bytes from the start of the block */
	uint32_t leaves_at;
	uint32_t columns_at; /* columns of all pieces, then of all nodes; 0 without columns */
	bool has_folded;     /* other functions share the code of this one */
	bool is_alone;       /* no other function starts at the same address */
	bool is_plain; /* is_alone and has no columns: the usual case, which is tested first */
	bool was_used; /* looked up since the last eviction pass */
	uint32_t leaf_count;
	uint32_t top[]; /* first start of each leaf */
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
 * A name in 8 bytes: its string table offset in the lower 40 bits and, once measured, its length in
 * the upper 24. Lengths that do not fit are measured each time. Functions with a name beyond
 * DECODED_NAME_OFFSETS are not decoded.
 */
#define DECODED_NAME_OFFSETS ((uint64_t)1 << 40)
#define DECODED_NAME_UNMEASURED ((uint64_t)0xffffff << 40)

struct cairn_bytes decoded_name(const struct gsym *gsym, uint64_t *name);

/*
 * Return the index of the last of `count` ascending numbers that is at most `key`. The first number
 * must not exceed `key`.
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

/* Return the piece that holds `offset`, which must be below DECODED_REACH. */
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
	size_t limit, bytes, peak; /* bytes in use by the cache, and their peak */
	size_t work_limit;         /* additional limit for the work memory of one decoding */
	struct gsym_cache_slot *slots;
	uint32_t slot_bits, count; /* the table has 2^slot_bits slots, or none if slot_bits is 0 */
	uint32_t hand;             /* slot where the next eviction pass continues */
	/* number of lookups of each function; in large files several functions share a counter */
	uint8_t *touches;
	size_t touch_count;
	struct gsym_cache_file *files;
	struct gsym_cache_file only_file; /* used if there is no memory for `files` */
	bool files_refused;
	bool is_full;    /* something was evicted */
	uint32_t *guide; /* first function in each part of the address table */
	uint32_t guide_parts, guide_shift;
	bool guide_refused;
	uint64_t decodings;
};

/*
 * Initialize a cache that uses at most `limit` bytes. Allocates nothing yet. `gsym` must outlive
 * the cache.
 */
void gsym_cache_init(struct gsym_cache *cache, const struct gsym *gsym, size_t limit);
void gsym_cache_finish(struct gsym_cache *cache);

/* Find a function like gsym_search(), in fewer steps once functions are cached. */
uint32_t gsym_cache_search(const struct gsym_cache *cache, uint64_t va);

/* Return the function if it is cached, otherwise NULL. */
struct decoded *gsym_cache_get(const struct gsym_cache *cache, uint32_t index);

/*
 * Return the function, decoding it if it was looked up often enough or if `eager`. Returns NULL if
 * it is not cached. May evict other functions.
 */
struct decoded *gsym_cache_get_or_decode(struct gsym_cache *cache,
                                         const struct gsym_function *function, bool eager);

/* Return entry `index` of the file table, which must exist. Valid until the next call. */
const struct gsym_file *gsym_cache_file(struct gsym_cache *cache, uint32_t index);

#endif

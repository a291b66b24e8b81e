/* SPDX-License-Identifier: MIT */
/*
 * The functions of one GSYM file that were asked for often, decoded, in bounded memory.
 *
 * A function is decoded when it is asked for the fourth time: decoding costs as much
 * as a few lookups without it, and many functions are never asked for again.  When the bound is
 * reached, functions that were not used since the last time round are dropped ("second chance"), and
 * from then on a function has to be asked for far more often: where more functions are in use than
 * fit, decoding them in turn would cost more than the cache saves.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_GSYM_CACHE_H
#define CAIRN_SYMBOLS_LOOKUP_GSYM_CACHE_H

#include <cairn.h>

#include "formats/gsym/gsym.h"

/*
 * One function of a GSYM file, decoded for many lookups: its code cut into pieces of one answer
 * each.  What costs time then is not to compute but to wait for memory, so that it is laid out for
 * few cache lines: all in one block, and the search goes over the first start of each leaf, then
 * over one leaf.
 *
 *	struct decoded  top[]  leaves[]                     nodes[]                                  columns[]
 *	                       start*8 (file line node)*8   inlined calls, each with its parent      of pieces and nodes, if any
 *
 * A piece gives what gsym_lookup_in_function() gives for its addresses.  Functions with a flaw, and those
 * too large or too odd, are not decoded: their answers are read from the file each time.
 */

enum {
	DECODED_OUTSIDE = 0, /* as a node: outside the tree's root */
	DECODED_ROOT = 1,    /* the function itself */
};

#define DECODED_NO_PLACE UINT32_MAX /* as a file: neither file nor line is known */

/* Offsets from the start are 32 bits wide; the few lookups past that are read anew. */
#define DECODED_REACH (UINT32_MAX - 1)

struct decoded_piece {
	uint32_t file, line, node;
};

struct decoded_node {
	uint64_t name;  /* see decoded_name() */
	uint32_t start; /* from the function's */
	uint32_t parent, call_file, call_line;
};

enum { DECODED_LEAF = 8, DECODED_ALIGN = 128 };

/* Two lines of a cache. */
struct decoded_leaf {
	uint32_t start[DECODED_LEAF]; /* offsets from the function, ascending; UINT32_MAX: none */
	struct decoded_piece piece[DECODED_LEAF];
};

struct decoded {
	uint64_t start;
	uint64_t name; /* see decoded_name() */
	uint32_t index, size;
	uint32_t bytes;    /* of all of it */
	uint32_t nodes_at; /* in bytes from the beginning */
	uint32_t leaves_at;
	uint32_t columns_at; /* of the pieces, then of the nodes; 0: there are none */
	bool has_folded;     /* others share its code */
	bool is_alone;       /* no other function starts there */
	bool is_plain; /* the same, and it has no columns: the usual case, which is asked for first */
	bool was_used; /* since the last search for something to drop */
	uint32_t leaf_count;
	uint32_t top[]; /* the first start of each leaf */
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
 * A name in 8 bytes: its offset in the string table and, once it has been measured, its length.
 * Longer names are measured each time, names further after are not decoded.
 */
#define DECODED_NAME_OFFSETS ((uint64_t)1 << 40)
#define DECODED_NAME_UNMEASURED ((uint64_t)0xffffff << 40)

struct cairn_bytes decoded_name(const struct gsym *gsym, uint64_t *name);

/* The last of `count` numbers that is not above `key`; the first is not. */
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

/* The piece that holds the offset, which must be below DECODED_REACH. */
static inline const struct decoded_piece *decoded_find(struct decoded *decoded, uint32_t offset)
{
	uint32_t number = decoded_last(decoded->top, decoded->leaf_count, offset);
	const struct decoded_leaf *leaf = &decoded_leaves(decoded)[number];

	return &leaf->piece[decoded_last(leaf->start, DECODED_LEAF, offset)];
}

/* The column of a piece, or of the call that a node stands for; 0: not known. */
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
	struct decoded *decoded; /* NULL: free */
	uint32_t index;
};

/* A file of the table, its texts measured. */
struct gsym_cache_file {
	struct gsym_file file;
	bool known;
};

struct gsym_cache {
	const struct gsym *gsym;
	size_t limit, bytes, peak; /* of all that is kept here */
	size_t work_limit;         /* of one decoding, beside that */
	struct gsym_cache_slot *slots;
	uint32_t slot_bits, count; /* there are 2^slot_bits slots, or none when it is 0 */
	uint32_t hand;             /* where the search for something to drop goes on */
	uint8_t *touches; /* how often each function was asked for; large files share entries */
	size_t touch_count;
	struct gsym_cache_file *files;
	struct gsym_cache_file only_file; /* when there is no room for all */
	bool files_refused;
	bool is_full;    /* something was dropped for something else */
	uint32_t *guide; /* for each part of the address table, the first function in it */
	uint32_t guide_parts, guide_shift;
	bool guide_refused;
	uint64_t decodings;
};

/* Allocates nothing yet; never more than `limit`.  `gsym` must outlive the cache. */
void gsym_cache_init(struct gsym_cache *cache, const struct gsym *gsym, size_t limit);
void gsym_cache_finish(struct gsym_cache *cache);

/* As gsym_search(), in fewer steps once functions are kept. */
uint32_t gsym_cache_search(const struct gsym_cache *cache, uint64_t va);

/* The function when it is here; NULL when not. */
struct decoded *gsym_cache_get(const struct gsym_cache *cache, uint32_t index);

/*
 * The function, decoded now if it is worth that: it was asked for often, or `eager`.  NULL when it
 * is not kept.  Other functions may be dropped by this.
 */
struct decoded *gsym_cache_get_or_decode(struct gsym_cache *cache,
                                         const struct gsym_function *function, bool eager);

/* Entry `index` of the file table, which must exist; good until the next call. */
const struct gsym_file *gsym_cache_file(struct gsym_cache *cache, uint32_t index);

#endif

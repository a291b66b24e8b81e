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
#ifndef CAIRN_SYMBOLS_CACHE_GSYM_CACHE_H
#define CAIRN_SYMBOLS_CACHE_GSYM_CACHE_H

#include "gsym_decode.h"

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

/* SPDX-License-Identifier: MIT */
/*
 * Caches the host's answers, so that a repeated frame costs no more than its text. Bounded: when
 * MARKUP_CACHE_BYTES are full all are forgotten.
 */
#ifndef CAIRN_MARKUP_ANSWER_CACHE_H
#define CAIRN_MARKUP_ANSWER_CACHE_H

#include <cairn.h>

enum { MARKUP_CACHE_SLOTS = 1 << 14, MARKUP_CACHE_BYTES = 6 << 20 };

/* One location; empty texts are not known. */
struct cached_frame {
	struct cairn_bytes function, file;
	uint32_t line, column;
	bool inlined;
	bool plain; /* both texts are printable ASCII */
};

struct cached_answer {
	uint64_t module, va; /* the module's serial number */
	bool has_symbols;    /* of the module, by what the host reports */
	size_t count;        /* 0: nothing is known */
	struct cairn_bytes name;
	struct cached_frame frame[];
};

struct markup_cache {
	struct cached_answer **slot;
	size_t bytes;
};

/* NULL when it was not asked for yet. */
const struct cached_answer *markup_cache_find(const struct markup_cache *cache, uint64_t module,
                                              uint64_t va);

/* Keep a copy of an answer (NULL: there are no symbols) until the next is added.  NULL: no memory.
 */
const struct cached_answer *markup_cache_add(struct markup_cache *cache, uint64_t module,
                                             uint64_t va, const struct cairn_markup_result *answer);

void markup_cache_finish(struct markup_cache *cache);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Caches the answers of the host, so that a repeated frame costs only its output. Everything is
 * dropped when MARKUP_CACHE_BYTES are reached.
 */
#ifndef CAIRN_MARKUP_ANSWER_CACHE_H
#define CAIRN_MARKUP_ANSWER_CACHE_H

#include <cairn.h>

enum { MARKUP_CACHE_SLOTS = 1 << 14, MARKUP_CACHE_BYTES = 6 << 20 };

/* A source location. Empty strings are unknown. */
struct cached_frame {
	struct cairn_bytes function, file;
	uint32_t line, column;
	bool inlined;
	bool plain; /* `function` and `file` are printable ASCII */
};

struct cached_answer {
	uint64_t module, va; /* serial number of the module, and address in it */
	bool has_symbols;
	size_t count; /* number of frames; 0 if nothing is known */
	struct cairn_bytes name;
	struct cached_frame frame[];
};

struct markup_cache {
	struct cached_answer **slot;
	size_t bytes;
};

const struct cached_answer *markup_cache_find(const struct markup_cache *cache, uint64_t module,
                                              uint64_t va);

/*
 * Keep a copy of an answer and return it; borrowed until the next is added. A NULL answer means
 * that the host lacks symbols. Return NULL if memory is short.
 */
const struct cached_answer *markup_cache_add(struct markup_cache *cache, uint64_t module,
                                             uint64_t va, const struct cairn_markup_result *answer);

void markup_cache_finish(struct markup_cache *cache);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A map from addresses or module IDs to pointers. It is sorted by key and consists of a sorted
 * array of sorted blocks. Keys may be added in any order, even descending, at about the same cost.
 */
#ifndef CAIRN_MARKUP_CONTEXT_H
#define CAIRN_MARKUP_CONTEXT_H

#include "formats/markup.h"

#include <cairn.h>

enum { ADDRESS_MAP_BLOCK = 256 };

struct address_map_entry {
	uint64_t key;
	void *value;
};

struct address_map_block {
	size_t count; /* at least 1 */
	struct address_map_entry entry[ADDRESS_MAP_BLOCK];
};

struct address_map {
	struct address_map_block **block;
	size_t blocks, capacity, count;
};

/*
 * Caches the host's symbolization results, so that a repeated frame is not looked up again. When
 * the results exceed MARKUP_CACHE_BYTES, all are dropped.
 */

enum { MARKUP_CACHE_SLOTS = 1 << 14, MARKUP_CACHE_BYTES = 6 << 20 };

struct cached_frame {
	struct cairn_bytes function, file;
	uint32_t line, column;
	bool inlined;
	bool plain; /* `function` and `file` are printable ASCII */
};

struct cached_answer {
	uint64_t module, va;
	bool has_symbols;
	size_t count; /* number of frames; 0 if the address is not covered */
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
 * Keep a copy of a result and return the copy, which is borrowed until the next result is added. If
 * the result is NULL, record that the host has no symbols for the module. Return NULL if allocation
 * fails.
 */
const struct cached_answer *markup_cache_add(struct markup_cache *cache, uint64_t module,
                                             uint64_t va, const struct cairn_markup_result *answer);

void markup_cache_finish(struct markup_cache *cache);

/*
 * The address space described by a log: its modules and mappings.
 *
 * A new element that contradicts an earlier one is reported and ignored. Memory is bounded: a
 * module or mapping that would exceed MARKUP_CONTEXT_BYTES is rejected. Modules that a reset
 * removes stay readable until markup_context_sweep().
 */

enum { MARKUP_CONTEXT_BYTES = 12 << 20 };

struct context_module {
	struct cairn_markup_module told;
	uint64_t serial; /* unique within this filter */
	bool plain;
	struct context_module *next;
};

struct context_mapping {
	uint64_t start, size, relative;
	const struct context_module *module;
	unsigned mode;
	struct context_mapping *next;
};

struct markup_context {
	enum markup_rules rules;
	struct address_map modules, mappings;
	struct context_module *every_module, *trash;
	struct context_mapping *every_mapping;
	size_t bytes;
	uint64_t serial;
	bool no_memory; /* an allocation failed; not set if MARKUP_CONTEXT_BYTES was exceeded */
};

enum context_outcome {
	CONTEXT_NEW,
	CONTEXT_KNOWN,
	CONTEXT_REJECTED,
};

/* Define a module. Set *found to the new module, or to the earlier module with the same ID. */
enum context_outcome markup_context_module(struct markup_context *context,
                                           const struct markup_module *module,
                                           const struct context_module **found,
                                           struct markup_fault *fault);

/*
 * Define a mapping. Set *found to the new mapping, to the earlier mapping that it overlaps, or to
 * NULL if its module is unknown.
 */
enum context_outcome markup_context_mmap(struct markup_context *context,
                                         const struct markup_mmap *mmap,
                                         const struct context_mapping **found,
                                         struct markup_fault *fault);

bool markup_context_has_id(const struct context_module *known, struct cairn_bytes digits);

static inline bool markup_context_is_empty(const struct markup_context *context)
{
	return context->modules.count == 0 && context->mappings.count == 0;
}

const struct context_mapping *markup_context_find(const struct markup_context *context,
                                                  uint64_t address);

void markup_context_reset(struct markup_context *context);
void markup_context_sweep(struct markup_context *context);
void markup_context_finish(struct markup_context *context);

#endif

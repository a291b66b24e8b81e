/* SPDX-License-Identifier: MIT */
/*
 * Records the modules and mappings of a log, and finds the mapping that covers an address. Mappings
 * are kept in a sorted array of blocks. Caches symbolization results, because logs repeat frames.
 */
#include "context.h"

#include "renderer.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static size_t blocks_up_to(const struct address_map *map, uint64_t key)
{
	struct bisection search = bisect_begin(map->blocks);

	while (search.low < search.high)
		bisect_narrow(&search, map->block[search.middle]->entry[0].key <= key);
	return search.low;
}

static size_t entries_up_to(const struct address_map_block *block, uint64_t key)
{
	return SORTED_UP_TO(block->entry, block->count, key, key);
}

/* Return the entry with the largest key <= `key`, or NULL. */
static struct address_map_entry *address_map_find(const struct address_map *map, uint64_t key)
{
	size_t b = blocks_up_to(map, key);

	if (b == 0)
		return NULL;
	struct address_map_block *block = map->block[b - 1];
	return &block->entry[entries_up_to(block, key) - 1];
}

/* Return the entry with the smallest key > `key`, or NULL. */
static struct address_map_entry *address_map_find_after(const struct address_map *map, uint64_t key)
{
	size_t b = blocks_up_to(map, key);

	if (b > 0) {
		struct address_map_block *block = map->block[b - 1];
		size_t e = entries_up_to(block, key);
		if (e < block->count)
			return &block->entry[e];
	}
	return b < map->blocks ? &map->block[b]->entry[0] : NULL;
}

static struct address_map_block *insert_block(struct address_map *map, size_t index)
{
	if (!array_grow(&map->block, &map->capacity, map->blocks + 1, sizeof(*map->block)))
		return NULL;
	struct address_map_block *block = malloc(sizeof(*block));
	if (!block)
		return NULL;
	memmove(&map->block[index + 1], &map->block[index],
	        (map->blocks - index) * sizeof(*map->block));
	block->count = 0;
	map->block[index] = block;
	map->blocks++;
	return block;
}

/*
 * Split the full block at `index` in half. If the new entry would be the last one, move only the
 * block's last entry, so that ascending keys leave full blocks behind.
 */
static bool split_map_block(struct address_map *map, size_t index, size_t at)
{
	struct address_map_block *full = map->block[index];
	size_t keep = at == full->count ? full->count - 1 : full->count / 2;
	struct address_map_block *next = insert_block(map, index + 1);

	if (!next)
		return false;
	next->count = full->count - keep;
	memcpy(next->entry, full->entry + keep, next->count * sizeof(*next->entry));
	full->count = keep;
	return true;
}

static bool address_map_add(struct address_map *map, uint64_t key, void *value)
{
	size_t b = blocks_up_to(map, key);

	if (map->blocks == 0 && !insert_block(map, 0))
		return false;
	b = b > 0 ? b - 1 : 0;
	size_t at = entries_up_to(map->block[b], key);
	if (map->block[b]->count == ADDRESS_MAP_BLOCK) {
		if (!split_map_block(map, b, at))
			return false;
		if (at > map->block[b]->count) {
			at -= map->block[b]->count;
			b++;
		}
	}
	struct address_map_block *block = map->block[b];
	memmove(&block->entry[at + 1], &block->entry[at],
	        (block->count - at) * sizeof(block->entry[0]));
	block->entry[at] = (struct address_map_entry){ key, value };
	block->count++;
	map->count++;
	return true;
}

static void address_map_finish(struct address_map *map)
{
	for (size_t i = 0; i < map->blocks; i++)
		free(map->block[i]);
	free(map->block);
	*map = (struct address_map){ NULL, 0, 0, 0 };
}

enum {
	LOCATIONS = 256,
	KEPT_PATH = 1 << 12,
	KEPT_NAME = 1 << 16, /* maximum size of a name in bytes; C++ names can be long */
};

static size_t hash_address_slot(uint64_t module, uint64_t va)
{
	uint64_t hash = (va + module * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;

	return (size_t)(hash >> 48) % MARKUP_CACHE_SLOTS;
}

static bool is_known_address(const struct cached_answer *known, uint64_t module, uint64_t va)
{
	return known && known->va == va && known->module == module;
}

const struct cached_answer *markup_cache_find(const struct markup_cache *cache, uint64_t module,
                                              uint64_t va)
{
	size_t slot = hash_address_slot(module, va);

	if (!cache->slot)
		return NULL;
	if (is_known_address(cache->slot[slot], module, va))
		return cache->slot[slot];
	return is_known_address(cache->slot[slot ^ 1], module, va) ? cache->slot[slot ^ 1] : NULL;
}

static size_t clamp_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t path_size(const struct cairn_location *location)
{
	return clamp_size(cairn_location_path(location, NULL, 0), KEPT_PATH);
}

static size_t cached_answer_size(const struct cairn_markup_result *answer, size_t count)
{
	size_t size = sizeof(struct cached_answer) + count * sizeof(struct cached_frame) +
	              clamp_size(answer->name.size, KEPT_NAME);

	for (size_t i = 0; i < count; i++)
		size += clamp_size(answer->locations[i].function.size, KEPT_NAME) +
		        path_size(&answer->locations[i]) + 1;
	return size;
}

static struct cairn_bytes append_known_text(char **at, struct cairn_bytes text)
{
	struct cairn_bytes kept = { (uint8_t *)*at, clamp_size(text.size, KEPT_NAME) };

	memcpy(*at, text.data, kept.size);
	*at += kept.size;
	return kept;
}

static void fill_known(struct cached_answer *known, const struct cairn_markup_result *answer)
{
	char *at = (char *)&known->frame[known->count];

	known->name = append_known_text(&at, answer->name);
	for (size_t i = 0; i < known->count; i++) {
		const struct cairn_location *from = &answer->locations[i];
		struct cached_frame *to = &known->frame[i];
		to->function = append_known_text(&at, from->function);
		to->file = (struct cairn_bytes){ (uint8_t *)at, path_size(from) };
		cairn_location_path(from, at, to->file.size + 1);
		at += to->file.size + 1;
		to->line = from->line;
		to->column = from->column;
		to->inlined = from->inlined;
		to->plain = markup_out_is_plain(to->function) && markup_out_is_plain(to->file);
	}
	if (known->count > 0 && known->name.size == 0)
		known->name = known->frame[known->count - 1].function;
}

static void free_cache_slot(struct markup_cache *cache, size_t slot)
{
	free(cache->slot[slot]);
	cache->slot[slot] = NULL;
}

static void clear_answers(struct markup_cache *cache)
{
	for (size_t i = 0; cache->slot && i < MARKUP_CACHE_SLOTS; i++)
		free_cache_slot(cache, i);
	cache->bytes = 0;
}

/*
 * Store a symbolization result in its slot, and move the previous result to the neighboring slot.
 */
static void store_known(struct markup_cache *cache, struct cached_answer *known)
{
	size_t slot = hash_address_slot(known->module, known->va);

	if (cache->slot[slot]) {
		free_cache_slot(cache, slot ^ 1);
		cache->slot[slot ^ 1] = cache->slot[slot];
	}
	cache->slot[slot] = known;
}

const struct cached_answer *markup_cache_add(struct markup_cache *cache, uint64_t module,
                                             uint64_t va, const struct cairn_markup_result *answer)
{
	static const struct cairn_markup_result none = { .name = { (const uint8_t *)"", 0 } };
	bool has_symbols = answer != NULL;

	answer = answer ? answer : &none;
	size_t count = clamp_size(answer->count, LOCATIONS),
	       size = cached_answer_size(answer, count);

	if (!cache->slot)
		cache->slot = calloc(MARKUP_CACHE_SLOTS, sizeof(struct cached_answer *));
	if (!cache->slot)
		return NULL;
	if (cache->bytes + size > MARKUP_CACHE_BYTES)
		clear_answers(cache);
	struct cached_answer *known = malloc(size);
	if (!known)
		return NULL;
	known->module = module;
	known->va = va;
	known->count = count;
	known->has_symbols = has_symbols;
	fill_known(known, answer);
	store_known(cache, known);
	cache->bytes += size;
	return known;
}

void markup_cache_finish(struct markup_cache *cache)
{
	clear_answers(cache);
	free(cache->slot);
	cache->slot = NULL;
}

/* estimated overhead in bytes of each module and mapping, in the map and on the heap */
enum { OVERHEAD = 64 };

static enum context_outcome reject_context_element(struct markup_fault *fault, const char *what,
                                                   struct cairn_bytes found)
{
	*fault = (struct markup_fault){ what, found, found.data };
	return CONTEXT_REJECTED;
}

/*
 * Allocate memory that lives until the next reset. Return NULL if MARKUP_CONTEXT_BYTES would be
 * exceeded or allocation fails.
 */
static void *allocate_until_reset(struct markup_context *c, size_t size)
{
	if (size > MARKUP_CONTEXT_BYTES || c->bytes + size + OVERHEAD > MARKUP_CONTEXT_BYTES)
		return NULL;
	void *memory = malloc(size);
	if (memory)
		c->bytes += size + OVERHEAD;
	c->no_memory = c->no_memory || !memory;
	return memory;
}

static bool add_to_map(struct markup_context *c, struct address_map *map, uint64_t key, void *value)
{
	const bool added = address_map_add(map, key, value);

	c->no_memory = c->no_memory || !added;
	return added;
}

static struct context_module *copy_module(struct markup_context *c,
                                          const struct markup_module *module)
{
	size_t id = (module->build_id.size + 1) / 2;
	struct context_module *m = allocate_until_reset(c, sizeof(*m) + module->name.size + id);

	if (!m)
		return NULL;
	uint8_t *name = (uint8_t *)(m + 1), *bytes = name + module->name.size;
	*m = (struct context_module){ .serial = ++c->serial, .next = c->every_module };
	memcpy(name, module->name.data, module->name.size);
	m->told.id = module->id;
	m->told.name = (struct cairn_bytes){ name, module->name.size };
	m->plain = markup_out_is_plain(m->told.name);
	m->told.build_id = (struct cairn_bytes){ bytes, id };
	if (!markup_build_id(module->build_id, bytes, id, &m->told.build_id.size))
		m->told.build_id.size = 0;
	c->every_module = m;
	return m;
}

bool markup_context_has_id(const struct context_module *known, struct cairn_bytes digits)
{
	size_t odd = digits.size % 2;

	if (known->told.build_id.size != digits.size / 2 + odd)
		return false;
	for (size_t i = 0; i < known->told.build_id.size; i++) {
		struct cairn_bytes part = { digits.data + 2 * i - (i ? odd : 0),
			                    odd && i == 0 ? 1 : 2 };
		uint8_t byte;
		size_t size;
		if (!markup_build_id(part, &byte, 1, &size) || byte != known->told.build_id.data[i])
			return false;
	}
	return true;
}

enum context_outcome markup_context_module(struct markup_context *c,
                                           const struct markup_module *module,
                                           const struct context_module **found,
                                           struct markup_fault *fault)
{
	struct address_map_entry *entry = address_map_find(&c->modules, module->id);
	bool llvm = c->rules == MARKUP_LLVM;

	if (llvm && module->build_id.size == 0)
		return reject_context_element(fault, "expected a build ID", module->build_id);
	if (entry && entry->key == module->id) {
		*found = entry->value;
		if (!llvm && bytes_equal((*found)->told.name, module->name) &&
		    markup_context_has_id(*found, module->build_id))
			return CONTEXT_KNOWN;
		return reject_context_element(fault, "the module ID is already in use",
		                              module->name);
	}
	struct context_module *m = copy_module(c, module);
	if (!m || !add_to_map(c, &c->modules, module->id, m))
		return reject_context_element(fault, "too many modules and mappings", module->name);
	*found = m;
	return CONTEXT_NEW;
}

/*
 * Return true if the range covers `address`. llvm-symbolizer compares with start + size, so a
 * mapping whose end wraps covers nothing.
 */
static bool covers_address(const struct markup_context *c, uint64_t start, uint64_t size,
                           uint64_t address)
{
	if (c->rules == MARKUP_LLVM && start > UINT64_MAX - size)
		return false;
	return address >= start && address - start < size;
}

static bool mapping_covers(const struct markup_context *c, const struct context_mapping *m,
                           uint64_t address)
{
	return covers_address(c, m->start, m->size, address);
}

static const struct context_mapping *find_overlapping_mapping(const struct markup_context *c,
                                                              const struct markup_mmap *mmap)
{
	struct address_map_entry *entry = address_map_find_after(&c->mappings, mmap->start);

	if (entry && covers_address(c, mmap->start, mmap->size, entry->key))
		return entry->value;
	entry = address_map_find(&c->mappings, mmap->start);
	if (entry && mapping_covers(c, entry->value, mmap->start))
		return entry->value;
	return NULL;
}

static bool is_same_mapping(const struct context_mapping *known, const struct markup_mmap *mmap)
{
	return known->start == mmap->start && known->size == mmap->size &&
	       known->mode == mmap->mode && known->relative == mmap->relative &&
	       known->module->told.id == mmap->module;
}

/*
 * Replace an empty mapping with a new one that has the same start. Under the rules of
 * llvm-symbolizer, keep the empty mapping, as llvm-symbolizer does.
 */
static enum context_outcome replace_empty_mapping(struct markup_context *c,
                                                  struct context_mapping *known,
                                                  const struct context_mapping *mapping,
                                                  const struct context_mapping **found)
{
	*found = known;
	if (c->rules == MARKUP_LLVM)
		return CONTEXT_NEW;
	struct context_mapping *next = known->next;
	*known = *mapping;
	known->next = next;
	return CONTEXT_NEW;
}

static enum context_outcome insert_mapping(struct markup_context *c,
                                           const struct context_mapping *mapping,
                                           const struct context_mapping **found,
                                           struct markup_fault *fault)
{
	struct address_map_entry *entry = address_map_find(&c->mappings, mapping->start);

	if (entry && entry->key == mapping->start)
		return replace_empty_mapping(c, entry->value, mapping, found);
	struct context_mapping *m = allocate_until_reset(c, sizeof(*m));
	if (m) {
		*m = *mapping;
		m->next = c->every_mapping;
		c->every_mapping = m;
	}
	if (!m || !add_to_map(c, &c->mappings, m->start, m))
		return reject_context_element(fault, "too many modules and mappings",
		                              (struct cairn_bytes){ fault->where, 0 });
	*found = m;
	return CONTEXT_NEW;
}

enum context_outcome markup_context_mmap(struct markup_context *c, const struct markup_mmap *mmap,
                                         const struct context_mapping **found,
                                         struct markup_fault *fault)
{
	struct address_map_entry *entry = address_map_find(&c->modules, mmap->module);
	struct address_map_entry *same = address_map_find(&c->mappings, mmap->start);
	const struct context_mapping *other;

	*found = NULL;
	fault->where = mmap->module_text.data;
	if (!entry || entry->key != mmap->module)
		return reject_context_element(fault, "no module has this ID", mmap->module_text);
	if (c->rules == MARKUP_KEEP) {
		if (mmap->size > 0 && mmap->size - 1 > UINT64_MAX - mmap->start)
			return reject_context_element(
				fault, "the mapping extends past the end of the address space",
				mmap->module_text);
		if (same && is_same_mapping(same->value, mmap)) {
			*found = same->value;
			return CONTEXT_KNOWN;
		}
	}
	other = find_overlapping_mapping(c, mmap);
	if (other) {
		*found = other;
		return reject_context_element(fault,
		                              "the mapping overlaps an existing mapping of module",
		                              (struct cairn_bytes){ fault->where, 0 });
	}
	const struct context_mapping mapping = { mmap->start,  mmap->size, mmap->relative,
		                                 entry->value, mmap->mode, NULL };
	return insert_mapping(c, &mapping, found, fault);
}

const struct context_mapping *markup_context_find(const struct markup_context *c, uint64_t address)
{
	struct address_map_entry *entry = address_map_find(&c->mappings, address);

	return entry && mapping_covers(c, entry->value, address) ? entry->value : NULL;
}

static void free_modules(struct context_module *module)
{
	while (module) {
		struct context_module *next = module->next;
		free(module);
		module = next;
	}
}

void markup_context_reset(struct markup_context *c)
{
	struct context_module **last = &c->every_module;

	while (c->every_mapping) {
		struct context_mapping *next = c->every_mapping->next;
		free(c->every_mapping);
		c->every_mapping = next;
	}
	while (*last)
		last = &(*last)->next;
	*last = c->trash;
	c->trash = c->every_module;
	c->every_module = NULL;
	address_map_finish(&c->modules);
	address_map_finish(&c->mappings);
	c->bytes = 0;
}

void markup_context_sweep(struct markup_context *c)
{
	free_modules(c->trash);
	c->trash = NULL;
}

void markup_context_finish(struct markup_context *c)
{
	markup_context_reset(c);
	markup_context_sweep(c);
}

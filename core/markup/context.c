/* SPDX-License-Identifier: MIT */
/* Records the modules and mappings of a log, and finds the mapping that covers an address. */
#include "context.h"

#include "base/bytes.h"

#include "output.h"

#include <stdlib.h>
#include <string.h>

/* Estimated cost of each module and mapping in the map and the heap, in bytes. */
enum { OVERHEAD = 64 };

static enum context_outcome reject_context_element(struct markup_fault *fault, const char *what,
                                                   struct cairn_bytes found)
{
	*fault = (struct markup_fault){ what, found, found.data };
	return CONTEXT_REJECTED;
}

/*
 * Allocate memory that lives until the next reset. Return NULL if that would exceed the limit or
 * memory is short.
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
		return reject_context_element(fault, "the module ID is in use", module->name);
	}
	struct context_module *m = copy_module(c, module);
	if (!m || !add_to_map(c, &c->modules, module->id, m))
		return reject_context_element(fault, "no room for more modules and mappings",
		                              module->name);
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
 * Replace an empty mapping by a new mapping with the same start. llvm-symbolizer keeps the empty
 * mapping.
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
		return reject_context_element(fault, "no room for more modules and mappings",
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
			return reject_context_element(fault, "the mapping ends above 2^64",
			                              mmap->module_text);
		if (same && is_same_mapping(same->value, mmap)) {
			*found = same->value;
			return CONTEXT_KNOWN;
		}
	}
	other = find_overlapping_mapping(c, mmap);
	if (other) {
		*found = other;
		return reject_context_element(fault, "overlaps a mapping of module",
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

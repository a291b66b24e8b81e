/* SPDX-License-Identifier: MIT */
/* Searches the writable memory of a snapshot for Swift's tasks. */
#include "task_search.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	ALIGNMENT = 16,
	/* number of bytes to search at once, small enough for the processor's cache */
	BLOCK = 1 << 18,
	PAGE = 4096,
};

bool snapshot_is_code(void *context, uint64_t pc)
{
	const struct snapshot *snapshot = context;
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, pc);

	return mapping && mapping->has_access ? (mapping->access & SNAPSHOT_EXECUTE) != 0
	                                      : snapshot_find_module(snapshot, pc) != NULL;
}

struct search {
	struct swift_runtime *runtime;
	const struct snapshot *snapshot;
	const struct task_copier *copier;
	struct swift_task *tasks;
	size_t count, capacity;
	bool scarce;
	bool is_cut;      /* the search ended at SWIFT_TASKS_MAX, before the end of memory */
	bool has_skipped; /* a mapping was too large, see SWIFT_MAPPING_BITS */
	uint8_t block[BLOCK];
};

static bool has_ended(const struct search *search)
{
	return search->scarce || search->is_cut;
}

static void search_bytes(struct search *search, uint64_t address, struct cairn_bytes bytes)
{
	const uint64_t isa = search->runtime->isa;
	struct swift_task task;

	for (size_t at = -address & (ALIGNMENT - 1);
	     at < bytes.size && bytes.size - at >= sizeof(isa); at += ALIGNMENT) {
		if (bytes_u64(bytes.data + at, false) != isa ||
		    !swift_read_task(search->runtime, address + at, &task))
			continue;
		search->is_cut = search->count == SWIFT_TASKS_MAX;
		search->scarce = !search->is_cut && !ARRAY_APPEND(search->tasks, search->count,
		                                                  search->capacity, task);
		if (has_ended(search))
			return;
	}
}

/*
 * Read and search a mapping. Any page may be unreadable, because the source does not list the
 * captured ranges.
 */
static void search_mapping(struct search *search, const struct snapshot_mapping *mapping)
{
	for (uint64_t at = mapping->low;
	     at >= mapping->low && at < mapping->high && !has_ended(search);) {
		const uint64_t left = mapping->high - at;
		const size_t size = left < BLOCK ? (size_t)left : BLOCK;
		const size_t got =
			memory_read_some(search->runtime->memory, at, search->block, size);
		search_bytes(search, at, (struct cairn_bytes){ search->block, got });
		/* after an unreadable page, continue with the next one */
		at += got == size ? size : got + PAGE - (at + got) % PAGE;
	}
}

static void search_part(struct search *search, uint64_t address, struct cairn_bytes bytes)
{
	const struct task_copier *copier = search->copier;

	for (size_t at = 0, size; at < bytes.size && !has_ended(search); at += size) {
		const size_t left = bytes.size - at;
		size = left < BLOCK ? left : BLOCK;
		struct cairn_bytes block = { bytes.data + at, size };
		if (copier->copy && copier->copy(copier->context, block, search->block))
			block.data = search->block;
		search_bytes(search, address + at, block);
	}
}

static void search_memory(struct search *search)
{
	const struct snapshot *snapshot = search->snapshot;
	const struct snapshot_mapping *mapping;
	struct cairn_range part;
	struct cairn_bytes bytes;

	for (size_t i = 0; !snapshot->find_part && i < snapshot->mapping_count; i++) {
		mapping = &snapshot->mappings[i];
		if (!mapping->has_access || !(mapping->access & SNAPSHOT_WRITE))
			continue;
		if ((mapping->high - mapping->low) >> SWIFT_MAPPING_BITS == 0)
			search_mapping(search, mapping);
		else
			search->has_skipped = true;
	}
	for (uint64_t at = 0; snapshot->find_part &&
	                      snapshot->find_part(snapshot->memory.context, at, &part, &bytes) &&
	                      part.high > at && !has_ended(search);
	     at = part.high) {
		mapping = snapshot_find_mapping(snapshot, part.low);
		if (!mapping || !mapping->has_access || (mapping->access & SNAPSHOT_WRITE))
			search_part(search, part.low, bytes);
	}
}

static int compare_tasks(const void *left, const void *right)
{
	const struct swift_task *a = left, *b = right;

	return ORDER_BY(a->id, b->id,
	                ORDER_BY(b->proven, a->proven, ORDER_BY(a->address, b->address, 0)));
}

bool task_search(struct swift_runtime *runtime, const struct snapshot *snapshot,
                 const struct task_copier *copier, struct swift_task **tasks, size_t *count,
                 bool *is_cut)
{
	struct search *search = calloc(1, sizeof(*search));
	size_t kept = 0;

	*count = 0;
	*is_cut = false;
	if (!search)
		return false;
	search->runtime = runtime;
	search->snapshot = snapshot;
	search->copier = copier;
	search_memory(search);
	if (search->count > 0)
		qsort(search->tasks, search->count, sizeof(*search->tasks), compare_tasks);
	for (size_t i = 0; i < search->count; i++)
		if (kept == 0 || search->tasks[kept - 1].id != search->tasks[i].id)
			search->tasks[kept++] = search->tasks[i];
	*tasks = search->tasks;
	*count = kept;
	*is_cut = search->is_cut || search->has_skipped;
	const bool good = !search->scarce;
	free(search);
	return good;
}

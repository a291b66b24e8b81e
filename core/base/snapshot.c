/* SPDX-License-Identifier: MIT */
/* Stores a snapshot's lists and strings, limits their sizes, and searches the lists by address. */
#include "snapshot.h"

#include "base/allowance.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

struct snapshot_text {
	struct snapshot_text *next;
	uint8_t bytes[];
};

/*
 * Append a zeroed entry to a list. Return NULL, and count the entry in `left_out`, if it does not
 * fit.
 */
static void *add_entry(struct snapshot *snapshot, void *list, size_t *count, size_t *capacity,
                       size_t size, size_t limit)
{
	uint8_t *entries;

	if (*count >= limit || !array_grow(list, capacity, *count + 1, size)) {
		snapshot->left_out++;
		return NULL;
	}
	/* use memcpy(), because `list` points to a pointer of unknown type */
	memcpy(&entries, list, sizeof(entries));
	uint8_t *entry = entries + (*count)++ * size;
	memset(entry, 0, size);
	return entry;
}

struct snapshot_thread *snapshot_add_thread(struct snapshot *snapshot)
{
	return add_entry(snapshot, &snapshot->threads, &snapshot->thread_count,
	                 &snapshot->thread_capacity, sizeof(*snapshot->threads),
	                 SNAPSHOT_THREADS_MAX);
}

struct snapshot_mapping *snapshot_add_mapping(struct snapshot *snapshot)
{
	return add_entry(snapshot, &snapshot->mappings, &snapshot->mapping_count,
	                 &snapshot->mapping_capacity, sizeof(*snapshot->mappings),
	                 SNAPSHOT_MAPPINGS_MAX);
}

struct snapshot_module *snapshot_add_module(struct snapshot *snapshot)
{
	return add_entry(snapshot, &snapshot->modules, &snapshot->module_count,
	                 &snapshot->module_capacity, sizeof(*snapshot->modules),
	                 SNAPSHOT_MODULES_MAX);
}

void snapshot_add_problem(struct snapshot *snapshot, const char *part, struct cairn_fault fault)
{
	if (snapshot->problem_count < SNAPSHOT_PROBLEMS_MAX)
		snapshot->problems[snapshot->problem_count++] =
			(struct snapshot_problem){ part, fault };
}

bool snapshot_take_text(struct snapshot *snapshot, uint64_t size)
{
	static const struct cairn_fault over = {
		CAIRN_MALFORMED, 0,
		"the names and IDs of threads and modules exceed the limit; the rest is omitted"
	};
	const struct allowance all =
		allowance_of(SNAPSHOT_TEXTS_LEAST, SNAPSHOT_TEXTS_TIMES, snapshot->input);

	if (!snapshot->texts_over && size <= all.left - snapshot->texts_taken) {
		snapshot->texts_taken += size;
		return true;
	}
	if (!snapshot->texts_over)
		snapshot_add_problem(snapshot, "texts", over);
	snapshot->texts_over = true;
	return false;
}

struct cairn_bytes snapshot_keep(struct snapshot *snapshot, struct cairn_bytes text)
{
	static const uint8_t nothing[1];
	struct snapshot_text *kept = NULL;

	if (text.size > 0 && text.size < SIZE_MAX - sizeof(*kept) &&
	    snapshot_take_text(snapshot, text.size))
		kept = malloc(sizeof(*kept) + text.size);
	if (!kept)
		return (struct cairn_bytes){ nothing, 0 };
	memcpy(kept->bytes, text.data, text.size);
	kept->next = snapshot->texts;
	snapshot->texts = kept;
	return (struct cairn_bytes){ kept->bytes, text.size };
}

struct cairn_bytes snapshot_keep_string(struct snapshot *snapshot, const char *text)
{
	return snapshot_keep(snapshot, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

static int compare_mappings(const void *left, const void *right)
{
	const struct snapshot_mapping *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(a->high, b->high, 0));
}

void snapshot_sort_mappings(struct snapshot *snapshot)
{
	size_t kept = 0;

	for (size_t i = 0; i < snapshot->mapping_count; i++)
		if (snapshot->mappings[i].low < snapshot->mappings[i].high)
			snapshot->mappings[kept++] = snapshot->mappings[i];
	snapshot->mapping_count = kept;
	if (kept > 0)
		qsort(snapshot->mappings, kept, sizeof(*snapshot->mappings), compare_mappings);
}

static size_t count_mappings_up_to(const struct snapshot *snapshot, uint64_t address)
{
	return SORTED_UP_TO(snapshot->mappings, snapshot->mapping_count, low, address);
}

const struct snapshot_mapping *snapshot_find_mapping(const struct snapshot *snapshot,
                                                     uint64_t address)
{
	size_t count = count_mappings_up_to(snapshot, address);

	if (count == 0 || address >= snapshot->mappings[count - 1].high)
		return NULL;
	return &snapshot->mappings[count - 1];
}

const struct snapshot_mapping *snapshot_next_mapping(const struct snapshot *snapshot,
                                                     uint64_t address)
{
	size_t count = count_mappings_up_to(snapshot, address);

	return count < snapshot->mapping_count ? &snapshot->mappings[count] : NULL;
}

void snapshot_sort_modules(struct snapshot *snapshot)
{
	SORT_BY_FIRST(snapshot->modules, snapshot->module_count, low);
}

const struct snapshot_module *snapshot_find_module(const struct snapshot *snapshot, uint64_t pc)
{
	const size_t next = SORTED_UP_TO(snapshot->modules, snapshot->module_count, low, pc);

	for (size_t i = next; i > 0 && i + 2 > next;
	     i--) /* try two modules, because the vDSO may lie in a gap of another module */
		if (pc < snapshot->modules[i - 1].high)
			return &snapshot->modules[i - 1];
	return NULL;
}

void snapshot_close(struct snapshot *snapshot)
{
	if (snapshot->close_source)
		snapshot->close_source(snapshot->source);
	for (struct snapshot_text *text = snapshot->texts; text;) {
		struct snapshot_text *next = text->next;
		free(text);
		text = next;
	}
	free(snapshot->threads);
	free(snapshot->mappings);
	free(snapshot->modules);
	*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_CORE };
}

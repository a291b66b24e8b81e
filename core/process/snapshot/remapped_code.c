/* SPDX-License-Identifier: MIT */
/* Finds mappings of code that are a second mapping of a module's file. */
#include "remapped_code.h"

#include "base/bytes.h"
#include "base/sort.h"
#include "formats/elf/elf.h"
#include "unwind/target/memory.h"

#include <stdlib.h>

enum { PAGE = 4096 };

/*
 * A module with a path and a build ID, in an array that is sorted because many paths are looked up.
 */
struct named_module {
	struct cairn_bytes path;
	size_t index;
};

static int compare_modules(const void *a, const void *b)
{
	const struct named_module *x = a, *y = b;
	const int order = bytes_order(x->path, y->path);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static struct named_module *sort_by_path(const struct snapshot *snapshot, size_t *count)
{
	struct named_module *list = calloc(snapshot->module_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < snapshot->module_count; i++) {
		const struct snapshot_module *module = &snapshot->modules[i];
		if (module->has_bias && module->path.size > 0 && module->build_id.size > 0)
			list[(*count)++] = (struct named_module){ module->path, i };
	}
	if (*count > 0)
		qsort(list, *count, sizeof(*list), compare_modules);
	return list;
}

static const struct named_module *find_first_of_path(const struct named_module *named, size_t count,
                                                     struct cairn_bytes path)
{
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, bytes_order(named[search.middle].path, path) < 0);
	return search.low < count && bytes_equal(named[search.low].path, path) ? &named[search.low]
	                                                                       : NULL;
}

/*
 * Return true if the mapping may be a second one of code. gcore omits unmodified code from the
 * segments, so its access mode is unknown.
 */
static bool may_be_remapped(const struct snapshot_mapping *mapping)
{
	return mapping->has_file && mapping->offset > 0 && mapping->path.size > 0 &&
	       (!mapping->has_access ||
	        ((mapping->access & SNAPSHOT_EXECUTE) && !(mapping->access & SNAPSHOT_WRITE)));
}

/*
 * Find the whole pages of the segment that are in the mapping, as file offsets. Return false if the
 * mapping contains no whole page of the segment.
 */
static bool find_common_pages(const struct snapshot_mapping *mapping, const struct elf_segment *s,
                              struct cairn_range *common)
{
	const uint64_t size = mapping->high - mapping->low;

	if (s->type != ELF_PT_LOAD || !(s->flags & ELF_PF_EXECUTE) || (s->flags & ELF_PF_WRITE) ||
	    s->file_size > UINT64_MAX - PAGE - s->offset || size > UINT64_MAX - mapping->offset)
		return false;
	const uint64_t start = s->offset - s->offset % PAGE;
	const uint64_t end = (s->offset + s->file_size + PAGE - 1) / PAGE * PAGE;
	*common = (struct cairn_range){ start, end };
	if (common->low < mapping->offset)
		common->low = mapping->offset;
	if (common->high > mapping->offset + size)
		common->high = mapping->offset + size;
	return common->low < common->high;
}

/* Find the code segment that is in the mapping, by the program headers in memory. */
static bool find_segment(const struct snapshot *snapshot, const struct snapshot_module *module,
                         const struct snapshot_mapping *mapping, struct elf_segment *s,
                         struct cairn_range *common)
{
	uint8_t page[PAGE];
	struct elf elf;

	if (!memory_read(&snapshot->memory, module->low, page, sizeof(page)) ||
	    !elf_opens((struct cairn_bytes){ page, sizeof(page) }, &elf))
		return false;
	for (uint32_t i = 0; elf_segment(&elf, i, s); i++)
		if (find_common_pages(mapping, s, common))
			return true;
	return false;
}

static void add_remapped(struct snapshot *snapshot, size_t index,
                         const struct snapshot_mapping *mapping)
{
	const struct snapshot_module first = snapshot->modules[index];
	struct cairn_range common;
	struct elf_segment s;

	if (!find_segment(snapshot, &first, mapping, &s, &common))
		return;
	struct snapshot_module *module = snapshot_add_module(snapshot);
	if (!module)
		return;
	const uint64_t from = mapping->low - mapping->offset; /* address of the file's first byte */
	module->low = from + common.low;
	module->high = from + common.high;
	module->bias = from + s.offset - s.va;
	module->has_bias = true;
	module->remapped = true;
	module->first_low = first.low;
	module->first_bias = first.bias;
	module->path = first.path;
	module->build_id = first.build_id;
	module->package = first.package;
}

/* Both mappings and modules are sorted by address. */
void snapshot_remapped_code_find(struct snapshot *snapshot)
{
	const size_t modules = snapshot->module_count;
	size_t count, next = 0;
	struct named_module *named = sort_by_path(snapshot, &count);

	for (size_t i = 0; count > 0 && i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *mapping = &snapshot->mappings[i];
		while (next < modules && snapshot->modules[next].high <= mapping->low)
			next++;
		if (!may_be_remapped(mapping) ||
		    (next < modules && snapshot->modules[next].low <= mapping->low))
			continue;
		const struct named_module *found = find_first_of_path(named, count, mapping->path);
		if (found)
			add_remapped(snapshot, found->index, mapping);
	}
	free(named);
	snapshot_sort_modules(snapshot);
}

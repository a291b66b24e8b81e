/* SPDX-License-Identifier: MIT */
/*
 * Corrects the ends of modules by the mappings of the process, because LLDB writes only the size of
 * the first segment.
 */
#include "minidump_records.h"

#include "base/bytes.h"

/* Extend the module to the end of the adjacent mappings of its file, or to the next module. */
static void extend_module(const struct snapshot *snapshot, struct snapshot_module *module,
                          uint64_t limit)
{
	const struct snapshot_mapping *first = snapshot_find_mapping(snapshot, module->low);
	const struct snapshot_mapping *at = first, *next;

	if (!first || !first->has_file || first->path.size == 0)
		return;
	while ((next = snapshot_next_mapping(snapshot, at->low)) && next->low == at->high &&
	       next->low < limit && next->has_file && bytes_equal(first->path, next->path))
		at = next;
	const uint64_t end = at->high < limit ? at->high : limit;
	if (at != first && end > module->high)
		module->high = end;
}

void minidump_extend_modules(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->module_count; i++)
		extend_module(snapshot, &snapshot->modules[i],
		              i + 1 < snapshot->module_count ? snapshot->modules[i + 1].low
		                                             : UINT64_MAX);
}

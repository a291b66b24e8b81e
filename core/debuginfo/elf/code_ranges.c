/* SPDX-License-Identifier: MIT */
/* Collects and merges the executable sections or segments of an ELF file. */
#include "code_ranges.h"

#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"

static bool add_span(struct code_ranges *spans, uint64_t va, uint64_t size)
{
	if (size == 0 || va > UINT64_MAX - size)
		return true;
	return ARRAY_APPEND(spans->range, spans->count, spans->room,
	                    (struct cairn_range){ va, va + size });
}

bool code_ranges_add_sections(struct code_ranges *spans, const struct elf *elf)
{
	enum { CODE = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &s) && (s.flags & CODE) == CODE &&
		    !add_span(spans, s.va, s.size))
			return false;
	return true;
}

static bool add_segments(struct code_ranges *spans, const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; i < elf->segments; i++)
		if (elf_segment(elf, i, &s) && s.type == ELF_PT_LOAD &&
		    (s.flags & ELF_PF_EXECUTE) && !add_span(spans, s.va, s.memory_size))
			return false;
	return true;
}

bool code_ranges_read(struct code_ranges *spans, const struct elf *elf)
{
	*spans = (struct code_ranges){ .range = NULL };
	if (!code_ranges_add_sections(spans, elf) ||
	    (spans->count == 0 && !add_segments(spans, elf)) ||
	    (spans->count == 0 && !add_span(spans, 1, UINT64_MAX - 1))) {
		code_ranges_finish(spans);
		return false;
	}
	spans->count = range_merge(spans->range, spans->count);
	return true;
}

void code_ranges_finish(struct code_ranges *spans)
{
	free(spans->range);
	*spans = (struct code_ranges){ .range = NULL };
}

const struct cairn_range *code_ranges_find(const struct code_ranges *spans, uint64_t va)
{
	const size_t next = SORTED_UP_TO(spans->range, spans->count, low, va);

	return next > 0 && va < spans->range[next - 1].high ? &spans->range[next - 1] : NULL;
}

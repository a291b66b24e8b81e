/* SPDX-License-Identifier: MIT */
/* Lists the dumped memory ranges of an ELF core file, and reads target memory from them. */
#include "core_file.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static const struct corefile_range *range_at(const struct corefile *core, uint64_t address)
{
	const size_t next = SORTED_UP_TO(core->range, core->count, address, address);

	return next ? &core->range[next - 1] : NULL;
}

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct corefile *core = context;
	uint8_t *out = buffer;

	while (size > 0) {
		const struct corefile_range *range = range_at(core, address);
		if (!range || address - range->address >= range->bytes.size)
			return CAIRN_UNREADABLE;
		size_t offset = (size_t)(address - range->address);
		size_t left = range->bytes.size - offset;
		size_t part = size < left ? size : left;
		memcpy(out, range->bytes.data + offset, part);
		out += part;
		address += part;
		size -= part;
	}
	return CAIRN_OK;
}

/*
 * Remove from each range the addresses that an earlier range covers. Kernels do not write
 * overlapping ranges, but a damaged core may contain them.
 */
static void trim_overlapping_ranges(struct corefile *core)
{
	size_t kept = 0;

	for (size_t i = 0; i < core->count; i++) {
		struct corefile_range range = core->range[i];
		const struct corefile_range *last = kept ? &core->range[kept - 1] : NULL;
		uint64_t apart = last ? range.address - last->address : 0;
		uint64_t over = last && apart < last->bytes.size ? last->bytes.size - apart : 0;
		if (over >= range.bytes.size)
			continue;
		range.address += over;
		range.bytes.data += over;
		range.bytes.size -= (size_t)over;
		core->range[kept++] = range;
	}
	core->count = kept;
}

struct cairn_bytes corefile_present_bytes(const struct elf *elf, const struct elf_segment *segment)
{
	const struct cairn_bytes all = elf->bytes;

	if (segment->offset >= all.size)
		return (struct cairn_bytes){ all.data, 0 };
	const uint64_t left = all.size - segment->offset;
	return (struct cairn_bytes){ all.data + segment->offset,
		                     (size_t)(segment->file_size < left ? segment->file_size
		                                                        : left) };
}

static bool next_range(const struct elf *elf, uint32_t *at, struct corefile_range *range)
{
	struct elf_segment segment;

	while (elf_segment(elf, *at, &segment)) {
		struct cairn_bytes bytes = corefile_present_bytes(elf, &segment);
		++*at;
		if (segment.va + bytes.size < segment.va)
			bytes.size = (size_t)-segment.va;
		if (segment.type != ELF_PT_LOAD || bytes.size == 0)
			continue;
		*range = (struct corefile_range){ segment.va, bytes, segment.flags & ELF_PF_WRITE };
		return true;
	}
	return false;
}

static void sort_ranges(struct corefile *core)
{
	SORT_BY_FIRST(core->range, core->count, address);
	trim_overlapping_ranges(core);
}

void corefile_adopt(struct corefile *core, struct corefile_range *ranges, size_t count)
{
	*core = (struct corefile){ ranges, count, { read_memory, core } };
	sort_ranges(core);
}

enum cairn_status corefile_open(struct corefile *core, const struct elf *elf)
{
	struct corefile_range range;
	size_t count = 0;

	*core = (struct corefile){ .target = { read_memory, core } };
	if (elf->type != ELF_TYPE_CORE)
		return CAIRN_MALFORMED;
	for (uint32_t at = 0; next_range(elf, &at, &range);)
		count++;
	core->range = calloc(count + 1, sizeof(*core->range));
	if (!core->range)
		return CAIRN_NO_MEMORY;
	for (uint32_t at = 0; next_range(elf, &at, &range);)
		core->range[core->count++] = range;
	sort_ranges(core);
	return CAIRN_OK;
}

void corefile_close(struct corefile *core)
{
	free(core->range);
	core->range = NULL;
	core->count = 0;
}

void corefile_free(void *core)
{
	corefile_close(core);
	free(core);
}

bool corefile_find_part(const void *context, uint64_t address, struct cairn_range *part,
                        struct cairn_bytes *bytes)
{
	const struct corefile *core = context;
	size_t at = SORTED_UP_TO(core->range, core->count, address, address);

	/* the preceding range may contain the address */
	at -= at > 0 && address - core->range[at - 1].address < core->range[at - 1].bytes.size;
	if (at == core->count)
		return false;
	*part = (struct cairn_range){ core->range[at].address,
		                      core->range[at].address + core->range[at].bytes.size };
	*bytes = core->range[at].bytes;
	return true;
}

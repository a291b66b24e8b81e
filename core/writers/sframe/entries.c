/* SPDX-License-Identifier: MIT */
/* Lists the FDEs in .eh_frame and .debug_frame, sorted by code address. */
#include "entries.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/ehframe/ehframe.h"

#include <stdlib.h>

enum {
	WORD = 8,
	TERMINATOR = 4,
	FDE_START_AT = 8, /* offset of the start address, after the length and the CIE pointer */
};

static void count_damage(struct frame_entries *all, const struct cairn_fault *fault)
{
	if (all->damaged++ == 0)
		all->fault = *fault;
}

static bool add_entry(struct frame_entries *all, const struct frame_entry *entry)
{
	if (entry->low >= entry->high) /* the linker discarded the function, or its range wraps */
		return true;
	return ARRAY_APPEND(all->list, all->count, all->capacity, *entry);
}

static struct ehframe_source locate_source(const struct frame_entries *all, uint64_t at)
{
	return (struct ehframe_source){
		.bytes = { all->eh_frame.data + at, all->eh_frame.size - (size_t)at },
		.address = all->eh_address + at,
		.section = all->eh_address,
		.big = all->big,
		.word = WORD,
	};
}

/* Return the size of an FDE or CIE, clipped to the section's end, or 0 if it is damaged. */
static uint64_t measure_entry(const struct ehframe_source *source)
{
	struct ehframe_entry entry;

	if (ehframe_read_entry(source->bytes, source->address, source->big, &entry) != CAIRN_OK)
		return 0;
	return entry.size < source->bytes.size ? entry.size : source->bytes.size;
}

static enum cairn_status read_cie_at(struct frame_entries *all, uint64_t at,
                                     struct cairn_fault *fault)
{
	if (all->has_cie && all->cie_at == at)
		return CAIRN_OK;
	if (at >= all->eh_frame.size)
		return fault_set_at(fault, CAIRN_MALFORMED, at, "a CIE outside the section");
	const struct ehframe_source source = locate_source(all, at);
	all->has_cie = false;
	if (!allowance_draw(&all->work, 1 + measure_entry(&source)))
		return fault_set_at(fault, CAIRN_UNSUPPORTED, at,
		                    "CIEs take more work to read than is allowed");
	enum cairn_status status = ehframe_read_cie(&source, &all->cie, fault);
	all->has_cie = status == CAIRN_OK;
	all->cie_at = at;
	return status;
}

static enum cairn_status read_eh_entry(struct frame_entries *all, uint64_t at,
                                       struct ehframe_fde *fde, struct cairn_fault *fault)
{
	const struct ehframe_source source = locate_source(all, at);
	struct ehframe_entry entry;
	enum cairn_status status =
		ehframe_read_entry(source.bytes, source.address, source.big, &entry);

	if (status != CAIRN_OK || entry.is_cie || entry.size == 0)
		return fault_set_at(fault, CAIRN_MALFORMED, at, "not an FDE");
	status = read_cie_at(all, entry.cie - all->eh_address, fault);
	return status == CAIRN_OK ? ehframe_read_fde(&source, &all->cie, fde, fault) : status;
}

static int compare_relocations(const void *left, const void *right)
{
	const struct frame_relocation *a = left, *b = right;

	return (a->field > b->field) - (a->field < b->field);
}

static bool list_relocations(struct frame_entries *all, const struct elf *elf, uint32_t section)
{
	struct elf_relocation r;
	uint32_t relocations = 0;
	uint64_t at = 0;

	while (elf_next_relocation(elf, section, &relocations, &at, &r)) {
		if (r.section == 0 || r.in_place)
			continue;
		if (!ARRAY_APPEND(
			    all->relocation, all->relocations, all->relocation_capacity,
			    (struct frame_relocation){ r.offset, (uint64_t)r.section << 32 |
		                                                         (r.value & UINT32_MAX) }))
			return false;
	}
	if (all->relocations > 0)
		qsort(all->relocation, all->relocations, sizeof(*all->relocation),
		      compare_relocations);
	return true;
}

/*
 * Set *va to the code address of the FDE at `at`. Returns false if no relocation supplies the
 * address, because the linker discarded the function or the function is in another file.
 */
static bool relocate_start(const struct frame_entries *all, uint64_t at, uint64_t *va)
{
	const struct frame_relocation key = { .field = at + FDE_START_AT };
	const struct frame_relocation *found =
		all->relocations ? bsearch(&key, all->relocation, all->relocations, sizeof(key),
	                                   compare_relocations)
				 : NULL;

	if (!found)
		return false;
	*va = found->va;
	return true;
}

static bool list_eh_entry(struct frame_entries *all, uint64_t at)
{
	struct cairn_fault fault;
	struct ehframe_fde fde;

	if (read_eh_entry(all, at, &fde, &fault) != CAIRN_OK) {
		count_damage(all, &fault);
		return true;
	}
	if (all->relocatable && !relocate_start(all, at, &fde.start))
		return true;
	return add_entry(all, &(struct frame_entry){
				      .low = fde.start, .high = fde.start + fde.size, .at = at });
}

/*
 * List all FDEs up to the first entry of unknown length. A terminator does not end the list,
 * because entries may follow it.
 */
static bool list_eh_frame(struct frame_entries *all)
{
	struct ehframe_entry entry;
	uint64_t at = 0;

	while (all->eh_frame.size - at >= TERMINATOR) {
		const struct ehframe_source source = locate_source(all, at);
		enum cairn_status status =
			ehframe_read_entry(source.bytes, source.address, source.big, &entry);
		if (status != CAIRN_OK || entry.size > source.bytes.size) {
			count_damage(all, &(struct cairn_fault){ CAIRN_MALFORMED, at,
			                                         "an entry that cannot be read" });
			return true;
		}
		if (entry.size > 0 && !entry.is_cie && !list_eh_entry(all, at))
			return false;
		at += entry.size > 0 ? entry.size : TERMINATOR;
	}
	return true;
}

static bool list_debug_frame(struct frame_entries *all)
{
	struct debug_frame frames = debug_frame_open(all->debug_frame, all->big, WORD);
	enum cairn_status status = CAIRN_OK;
	struct cairn_fault fault;
	uint64_t start, size;

	while (status != CAIRN_NOT_FOUND) {
		const size_t before = frames.at;
		status = debug_frame_next(&frames, &start, &size, &fault);
		if (status == CAIRN_OK &&
		    !add_entry(all, &(struct frame_entry){ start, start + size, frames.fde, true,
		                                           false }))
			return false;
		if (status != CAIRN_OK && status != CAIRN_NOT_FOUND) {
			count_damage(all, &fault);
			if (frames.at <= before)
				return true;
		}
	}
	return true;
}

static int compare_entries(const void *left, const void *right)
{
	const struct frame_entry *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(a->debug, b->debug, ORDER_BY(a->at, b->at, 0)));
}

/*
 * Flag overlapping FDEs in the same section, because debuggers may find either one for the shared
 * code.
 */
static void mark_overlaps(struct frame_entries *all)
{
	struct frame_entry *reach[2] = { NULL, NULL };

	for (size_t i = 0; i < all->count; i++) {
		struct frame_entry *entry = &all->list[i], **last = &reach[entry->debug];
		if (*last && entry->low < (*last)->high)
			entry->overlapped = (*last)->overlapped = true;
		if (!*last || entry->high > (*last)->high)
			*last = entry;
	}
}

static void drop_repeated(struct frame_entries *all)
{
	uint64_t reach = 0;
	size_t kept = 0, next = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct frame_entry entry = all->list[i];
		for (next = next > i ? next : i;
		     next < all->count && all->list[next].low < entry.high; next++)
			if (!all->list[next].debug && all->list[next].high > reach)
				reach = all->list[next].high;
		if (!entry.debug || entry.low >= reach)
			all->list[kept++] = entry;
	}
	all->count = kept;
}

static struct cairn_bytes find_section(const struct elf *elf, const char *name, uint64_t *address)
{
	static const uint8_t nothing[1];
	struct elf_section section;

	if (!elf_find_section(elf, name, &section) || section.flags & ELF_SHF_COMPRESSED)
		return (struct cairn_bytes){ nothing, 0 };
	*address = section.va;
	return elf_section_bytes(elf, &section);
}

/*
 * If there are no section headers, locate .eh_frame through .eh_frame_hdr, and assume that it
 * extends to the end of its segment.
 */
static void find_by_header(const struct elf *elf, struct frame_entries *all)
{
	struct ehframe_header header = { .frames = 0 };
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_GNU_EH_FRAME &&
		    ehframe_read_header(elf_segment_bytes(elf, &s), s.va, elf->big, WORD,
		                        &header) == CAIRN_OK)
			break;
	for (uint32_t i = 0; header.frames && elf_segment(elf, i, &s); i++) {
		const struct cairn_bytes bytes = elf_segment_bytes(elf, &s);
		const uint64_t at = header.frames - s.va;
		if (s.type != ELF_PT_LOAD || at >= bytes.size)
			continue;
		all->eh_address = header.frames;
		all->eh_frame = (struct cairn_bytes){ bytes.data + at, bytes.size - (size_t)at };
		return;
	}
}

enum cairn_status frame_entries_open(const struct elf *elf, struct cairn_bytes debug_frame,
                                     struct frame_entries *all)
{
	struct elf_section section;
	uint64_t ignored;

	*all = (struct frame_entries){ .debug_frame = { elf->bytes.data, 0 },
		                       .big = elf->big,
		                       .relocatable = elf->type == ELF_TYPE_REL };
	all->work =
		allowance_of(FRAME_ENTRIES_WORK_BASE, FRAME_ENTRIES_WORK_FACTOR, elf->bytes.size);
	all->eh_frame = find_section(elf, ".eh_frame", &all->eh_address);
	if (elf->sections == 0)
		find_by_header(elf, all);
	if (!all->relocatable)
		all->debug_frame = debug_frame.size ? debug_frame
		                                    : find_section(elf, ".debug_frame", &ignored);
	if ((all->relocatable && elf_find_section(elf, ".eh_frame", &section) &&
	     !list_relocations(all, elf, section.index)) ||
	    !list_eh_frame(all) || !list_debug_frame(all)) {
		frame_entries_finish(all);
		return CAIRN_NO_MEMORY;
	}
	if (all->count > 0)
		qsort(all->list, all->count, sizeof(*all->list), compare_entries);
	mark_overlaps(all);
	drop_repeated(all);
	return CAIRN_OK;
}

void frame_entries_finish(struct frame_entries *all)
{
	free(all->list);
	free(all->relocation);
	all->relocation = NULL;
	all->relocations = 0;
	all->list = NULL;
	all->count = 0;
}

enum cairn_status frame_entries_read(struct frame_entries *all, const struct frame_entry *entry,
                                     const struct ehframe_cie **cie, struct ehframe_fde *fde,
                                     struct cairn_fault *fault)
{
	*cie = &all->cie;
	if (!entry->debug) {
		const enum cairn_status status = read_eh_entry(all, entry->at, fde, fault);
		if (status == CAIRN_OK && all->relocatable)
			fde->start = entry->low;
		return status;
	}
	all->has_cie = false;
	return debug_frame_read(all->debug_frame, all->big, WORD, entry->at, &all->cie, fde, fault);
}

/* SPDX-License-Identifier: MIT */
/* Keeps the wanted memory of a streamed core and skips the rest. */
#include "stream_input.h"

#include <string.h>

enum {
	PAGE = 4096,
	HEADER = 64,
	SMALL = 1 << 16, /* bytes of a segment that is kept as a whole */
	/* Same for a segment with a module's data, which is larger in static programs. */
	MODULE_DATA = 1 << 19,
	HEADERS = 3 << 20, /* bytes of the module budget that are reserved for headers */
	MODULE_NOTES = 1 << 14,
	MODULE_NOTES_MAX = 1 << 12, /* maximum number of note segments of all modules together */
};

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/*
 * Plan the notes of a module, which contain its build ID, if they are not within the `present`
 * first bytes.
 */
static void want_notes(struct core_stream *s, const struct elf *elf, uint64_t bias, size_t present)
{
	struct elf_segment segment;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_NOTE || segment.file_size > MODULE_NOTES ||
		    segment.offset > UINT64_MAX - MODULE_NOTES ||
		    segment.offset + segment.file_size <= present)
			continue;
		if (s->module_notes >= MODULE_NOTES_MAX ||
		    !core_stream_charge(&s->modules_left, segment.file_size))
			return;
		s->module_notes++;
		s->scarce =
			s->scarce || !core_plan_add(&s->plan, segment.va + bias, segment.file_size);
	}
}

/* Find the linked address range of a module. Return false if no segment contains its first byte. */
static bool find_span(const struct elf *elf, struct cairn_range *span)
{
	struct elf_segment segment;
	bool found = false;

	*span = (struct cairn_range){ 0, 0 };
	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_LOAD)
			continue;
		const uint64_t high = segment.va + segment.memory_size;
		if (!found && segment.offset == 0)
			span->low = segment.va;
		found = found || segment.offset == 0;
		span->high = high > span->high ? high : span->high;
	}
	return found && span->low < span->high;
}

static void examine_header(struct core_stream *s, uint64_t address, struct cairn_bytes bytes)
{
	struct cairn_range span;
	struct elf elf;

	if (bytes.size < HEADER || !elf_opens(bytes, &elf) || !find_span(&elf, &span))
		return;
	s->module_low = address;
	s->module_high = address + (span.high - span.low);
	want_notes(s, &elf, address - span.low, bytes.size);
}

/*
 * Charge a whole segment to a budget. Return false if it is not to be kept as a whole. Small data
 * of a module is charged to the module budget, which reserves enough for the headers of other
 * modules.
 */
static bool take_room(struct core_stream *s, const struct core_part *part)
{
	const bool within = part->va - s->module_low < s->module_high - s->module_low;

	if (within && part->size <= MODULE_DATA && s->modules_left >= HEADERS + part->size)
		return core_stream_charge(&s->modules_left, part->size);
	return part->size <= SMALL && core_stream_charge(&s->spare_left, part->size);
}

/*
 * Keep the ranges of a segment that the plan selects. The first `read` bytes of the segment are in
 * `page`.
 */
static void keep_wanted(struct core_stream *s, const struct core_part *part, const uint8_t *page,
                        size_t read)
{
	const uint64_t end = part->va + part->size - 1;
	uint64_t from = part->va;

	for (size_t i = core_plan_first(&s->plan, from);
	     i < s->plan.count && s->plan.wants[i].low <= end && !s->ended; i++) {
		const struct cairn_range *want = &s->plan.wants[i];
		uint64_t low = want->low > from ? want->low : from;
		const uint64_t last = want->high - 1 < end ? want->high - 1 : end;
		if (low - part->va < read) {
			const uint64_t at = low - part->va;
			const uint64_t have = last - low < read - at ? last - low + 1 : read - at;
			core_stream_keep_copy(s, low, page + at, (size_t)have);
			low += have;
		}
		if (low > last || low == 0)
			continue;
		if (core_stream_skip_to(s, part->offset + (low - part->va)))
			core_stream_keep(s, low, last - low + 1);
		from = last;
	}
}

/*
 * Keep a segment completely. Reads it piece by piece because its size may be forged, and compressed
 * input may expand to more than is allowed.
 */
static void keep_whole(struct core_stream *s, const struct core_part *part)
{
	uint8_t piece[CORE_STREAM_PIECE];
	bool good = true;

	for (uint64_t at = 0; good && at < part->size && !s->ended && !s->scarce;
	     at += sizeof(piece)) {
		const uint64_t left = part->size - at;
		const size_t wanted = left < sizeof(piece) ? (size_t)left : sizeof(piece);
		const size_t got = core_stream_read(s, piece, wanted);
		good = got == 0 ||
		       (is_zero(piece, got) ? core_stream_keep_zeros(s, part->va + at, got)
		                            : core_stream_keep_copy(s, part->va + at, piece, got));
	}
}

void core_stream_memory(struct core_stream *s, const struct core_part *part)
{
	uint8_t page[PAGE];

	if (!core_stream_skip_to(s, part->offset))
		return;
	if (s->whole) {
		keep_whole(s, part);
		return;
	}
	if (take_room(s, part)) {
		examine_header(s, part->va, core_stream_keep(s, part->va, part->size));
		return;
	}
	const size_t first = part->size < PAGE ? (size_t)part->size : PAGE;
	const struct cairn_bytes bytes = { page, core_stream_read(s, page, first) };
	if (bytes.size >= HEADER && elf_has_magic(bytes) &&
	    core_stream_charge(&s->modules_left, bytes.size)) {
		core_stream_keep_copy(s, part->va, page, bytes.size);
		examine_header(s, part->va, bytes);
	} else if (core_stream_search(s, part, bytes)) {
		return;
	}
	keep_wanted(s, part, page, bytes.size);
}

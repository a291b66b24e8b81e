/* SPDX-License-Identifier: MIT */
/*
 * Reads an ELF core file from its first byte to its last, and keeps the ranges selected by the
 * plan:
 *
 *	core     = header segments notes memory ...
 *	segments = entries of 32 or 56 bytes
 *
 * If the number of segments does not fit into the header (PN_XNUM), it is in a section header at
 * the end of the file. Therefore the segments are assumed to end where the first part begins, and
 * their number is compared with the section header when it arrives.
 */
#include "stream.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "parts.h"
#include "stream_input.h"

#include <stdlib.h>

enum {
	HEADER_NARROW = 52,
	HEADER_WIDE = 64,
	MANY_SEGMENTS = 0xffff, /* PN_XNUM */
	/* Bytes of modules: enough for 1,000 with a page of headers and one of data. */
	MODULES_MAX = 8 << 20,
	SETS_MAX = 32 << 20,    /* bytes of register sets: enough for 35,000 threads */
	BORROWED_MAX = 5 << 20, /* bytes of borrowed notes: file names and small ones */
};

static enum cairn_status open_header(struct core_stream *s, struct cairn_fault *fault)
{
	uint8_t header[HEADER_WIDE] = { 0 };
	size_t size = core_stream_read(s, header, HEADER_NARROW);

	if (size == HEADER_NARROW && header[4] != 1)
		size += core_stream_read(s, header + HEADER_NARROW, HEADER_WIDE - HEADER_NARROW);
	enum cairn_status status = elf_open((struct cairn_bytes){ header, size }, &s->elf, fault);
	if (status != CAIRN_OK)
		return status;
	if (s->elf.type != ELF_TYPE_CORE)
		return fault_set(fault, CAIRN_MALFORMED, "not a core file");
	if (s->elf.segments_at < s->at)
		return fault_set_at(fault, CAIRN_MALFORMED, s->at,
		                    "the program headers lie within the ELF header");
	return CAIRN_OK;
}

static bool read_segment(struct core_stream *s, struct elf_segment *segment)
{
	uint8_t bytes[ELF_SEGMENT_WIDE];
	size_t size = s->elf.wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	struct elf one = s->elf;

	if (core_stream_read(s, bytes, size) < size)
		return false;
	one.bytes = (struct cairn_bytes){ bytes, size };
	one.segments_at = 0;
	one.segments = 1;
	return elf_segment(&one, 0, segment);
}

static bool add_part(struct core_stream *s, const struct elf_segment *segment)
{
	if (segment->type == ELF_PT_LOAD)
		core_parts_add_segment(s->snapshot, segment);
	if ((segment->type != ELF_PT_LOAD && segment->type != ELF_PT_NOTE) ||
	    segment->file_size == 0)
		return true;
	if (!array_grow(&s->parts, &s->part_room, s->part_count + 1, sizeof(*s->parts)))
		return false;
	/* truncate memory that wraps around the end of the address space */
	uint64_t size = segment->file_size;
	if (segment->type == ELF_PT_LOAD && size > -segment->va && segment->va != 0)
		size = -segment->va;
	s->parts[s->part_count++] = (struct core_part){ segment->offset, segment->va, size,
		                                        segment->type == ELF_PT_NOTE };
	return true;
}

static void read_segments(struct core_stream *s)
{
	const bool many = s->elf.segments == MANY_SEGMENTS;
	const uint64_t count = many ? SNAPSHOT_MAPPINGS_MAX : s->elf.segments;
	const size_t size = s->elf.wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	struct elf_segment segment;
	uint64_t first = UINT64_MAX, i = 0;
	bool good = count == 0 || core_stream_skip_to(s, s->elf.segments_at);

	for (; good && i < count && !(many && first - s->at < size); i++) {
		good = read_segment(s, &segment);
		if (!good)
			break;
		s->scarce = s->scarce || !add_part(s, &segment);
		if (segment.file_size > 0 && segment.offset < first && segment.offset >= s->at)
			first = segment.offset;
	}
	if (!good)
		core_stream_problem(s, "memory", CAIRN_TRUNCATED, "program headers are missing");
	s->segments = i;
	snapshot_sort_mappings(s->snapshot);
}

static void walk_parts(struct core_stream *s)
{
	size_t notes = 0, first = 0; /* number of parts with notes, in all and before any memory */

	for (size_t i = 0; i < s->part_count; i++)
		notes += s->parts[i].notes;
	if (notes == 0)
		core_stream_problem(s, "notes", CAIRN_NOT_FOUND, "the core has no notes");
	SORT_BY_FIRST(s->parts, s->part_count, offset);
	for (; first < s->part_count && s->parts[first].notes; first++)
		core_stream_notes(s, &s->parts[first]);
	s->whole = first < notes;
	s->memory_left =
		s->whole ? CORE_STREAM_WHOLE
			 : CORE_STREAM_STACKS + CORE_STREAM_SPARE + MODULES_MAX + CORE_STREAM_FOUND;
	if (!s->whole) {
		s->scarce = s->scarce ||
		            !core_plan_make(&s->plan, s->snapshot, s->parts, s->part_count);
		SORT_BY_FIRST(s->parts, s->part_count, offset);
	}
	for (size_t i = first; i < s->part_count && !s->ended && !s->scarce; i++)
		if (s->parts[i].notes)
			core_stream_notes(s, &s->parts[i]);
		else
			core_stream_memory(s, &s->parts[i]);
}

/* Skip to the end of the last part, so that truncation is detected. */
static void read_to_end(struct core_stream *s)
{
	uint64_t end = s->at;

	for (size_t i = 0; i < s->part_count; i++) {
		const struct core_part *part = &s->parts[i];
		if (part->offset + part->size > end && part->offset + part->size > part->offset)
			end = part->offset + part->size;
	}
	if (!s->ended)
		core_stream_skip_to(s, end);
	if (s->at < end)
		core_stream_problem(s, "memory", CAIRN_TRUNCATED,
		                    "the file ends before all dumped memory");
	if (s->missed)
		core_stream_problem(
			s, "memory", CAIRN_UNSUPPORTED,
			"parts that overlap others were left out; they can be read of a file");
}

/*
 * Compare the number of segments with section header 0, which comes too late to be used: it is at
 * the end of the core.
 */
static void check_count(struct core_stream *s)
{
	uint8_t bytes[ELF_SECTION_WIDE];
	const size_t size = s->elf.wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW;

	if (s->elf.segments != MANY_SEGMENTS ||
	    (s->elf.sections_at != 0 && s->elf.sections_at < s->at)) /* already skipped */
		return;
	if (s->elf.sections_at == 0 || !core_stream_skip_to(s, s->elf.sections_at) ||
	    core_stream_read(s, bytes, size) < size)
		core_stream_problem(s, "memory", CAIRN_TRUNCATED,
		                    "the number of program headers is missing");
	else if (bytes_u32(bytes + (s->elf.wide ? 44 : 28), s->elf.big) != s->segments)
		core_stream_problem(s, "memory", CAIRN_MALFORMED,
		                    "the number of program headers is not the one recorded");
}

enum cairn_status core_stream_open(struct snapshot *snapshot,
                                   const struct cairn_stacks_stream *input, bool keep_sets,
                                   uint64_t *taken, struct cairn_fault *fault)
{
	struct core_stream s = { .snapshot = snapshot,
		                 .input = input,
		                 .notes_left = BORROWED_MAX,
		                 .sets_left = keep_sets ? SETS_MAX : 0,
		                 .spare_left = CORE_STREAM_SPARE,
		                 .search_left = CORE_STREAM_SEARCH,
		                 .found_left = CORE_STREAM_FOUND,
		                 .modules_left = MODULES_MAX };
	enum cairn_status status = open_header(&s, fault);

	if (status != CAIRN_OK)
		return status;
	core_parts_describe(snapshot, &s.elf);
	s.kept = calloc(1, sizeof(*s.kept));
	if (!s.kept)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	snapshot->source = s.kept;
	snapshot->close_source = core_kept_free;
	read_segments(&s);
	walk_parts(&s);
	read_to_end(&s);
	check_count(&s);
	*taken = s.at;
	core_kept_finish(s.kept);
	snapshot->memory = s.kept->core.target;
	core_parts_find_crash(snapshot);
	free(s.parts);
	core_plan_finish(&s.plan);
	if (!s.scarce)
		return CAIRN_OK;
	snapshot_close(snapshot);
	return fault_set_at(fault, CAIRN_NO_MEMORY, s.at, "out of memory");
}

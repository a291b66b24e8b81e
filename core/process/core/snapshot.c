/* SPDX-License-Identifier: MIT */
/* Fills a snapshot from the segments and notes of an ELF core file. */
#include "snapshot.h"

#include "base/allowance.h"
#include "parts.h"
#include "unwind/target/core_file.h"

#include <stdlib.h>

enum { NOTES_MAX = 64 }; /* segments of notes; kernels write one */

static void read_notes(struct snapshot *snapshot, const struct elf *elf,
                       const struct elf_segment *segment, struct cairn_bytes bytes)
{
	struct core_notes reading = core_notes_begin(snapshot, elf, segment->offset);
	struct corenotes notes = corenotes_open(bytes, elf->big);
	struct corenote note;

	while (corenotes_next(&notes, &note))
		core_notes_take(&reading, &note);
	core_notes_report_foreign(&reading, notes.foreign);
	if (reader_ok(&notes.in) && bytes.size == segment->file_size)
		return;
	struct cairn_fault fault = { CAIRN_TRUNCATED, bytes.size, "the notes are cut off" };
	if (!reader_ok(&notes.in))
		fault = notes.in.fault;
	fault.offset += segment->offset;
	snapshot_add_problem(snapshot, "notes", fault);
}

/*
 * Read all notes, at most as many bytes as the file has: segments that share their bytes would
 * multiply the threads.
 */
static void read_all_notes(struct snapshot *snapshot, const struct elf *elf)
{
	struct allowance left = { .left = elf->bytes.size };
	struct elf_segment segment;
	unsigned runs = 0;

	for (uint32_t i = 0; runs < NOTES_MAX && elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_NOTE)
			continue;
		struct cairn_bytes bytes = corefile_present_bytes(elf, &segment);
		if (!allowance_draw(&left, bytes.size)) {
			snapshot_add_problem(
				snapshot, "notes",
				(struct cairn_fault){
					CAIRN_MALFORMED, (size_t)segment.offset,
					"segments of notes share their bytes; the rest "
					"are left out" });
			break;
		}
		read_notes(snapshot, elf, &segment, bytes);
		runs++;
	}
	if (runs == 0)
		snapshot_add_problem(
			snapshot, "notes",
			(struct cairn_fault){ CAIRN_NOT_FOUND, 0, "the core has no notes" });
}

static void read_mappings(struct snapshot *snapshot, const struct elf *elf)
{
	struct cairn_fault cut = { CAIRN_OK, 0, NULL };
	struct elf_segment segment;
	bool whole = true;
	uint32_t i = 0;

	for (; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_LOAD)
			continue;
		core_parts_add_segment(snapshot, &segment);
		whole = whole && corefile_present_bytes(elf, &segment).size == segment.file_size;
	}
	snapshot_sort_mappings(snapshot);
	if (!whole)
		cut = (struct cairn_fault){ CAIRN_TRUNCATED, elf->bytes.size,
			                    "the file ends before all dumped memory" };
	if (elf->uncounted)
		cut = (struct cairn_fault){ CAIRN_TRUNCATED, elf->sections_at,
			                    "the number of program headers is missing" };
	else if (i < elf->segments)
		cut = (struct cairn_fault){ CAIRN_TRUNCATED, elf->segments_at,
			                    "program headers are missing" };
	if (cut.status != CAIRN_OK)
		snapshot_add_problem(snapshot, "memory", cut);
}

/*
 * Return the ELF file with its number of segments. If that does not fit into the header, it is in a
 * section header at the end, which a truncated core lacks; the segments then end where the first
 * part of the core begins.
 */
static struct elf count_segments(const struct elf *elf)
{
	const uint64_t size = elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	struct elf counted = *elf;
	struct elf_segment segment;
	uint64_t first = UINT64_MAX, end = elf->segments_at;
	uint32_t count = 0;

	if (!elf->uncounted)
		return counted;
	counted.segments = SNAPSHOT_MAPPINGS_MAX;
	for (; first - end >= size && elf_segment(&counted, count, &segment); count++) {
		end += size;
		if (segment.file_size > 0 && segment.offset < first && segment.offset >= end)
			first = segment.offset;
	}
	counted.segments = count;
	return counted;
}

enum cairn_status core_snapshot_open(struct snapshot *snapshot, const struct elf *file,
                                     struct cairn_fault *fault)
{
	const struct elf counted = count_segments(file), *elf = &counted;
	struct corefile *core = malloc(sizeof(*core));
	enum cairn_status status = core ? corefile_open(core, elf) : CAIRN_NO_MEMORY;

	if (status != CAIRN_OK) {
		free(core);
		*fault = (struct cairn_fault){ status, 0,
			                       status == CAIRN_NO_MEMORY ? "out of memory"
			                                                 : "not a core file" };
		return status;
	}
	core_parts_describe(snapshot, elf);
	snapshot->input = elf->bytes.size;
	snapshot->memory = core->target;
	snapshot->source = core;
	snapshot->close_source = corefile_free;
	read_mappings(snapshot, elf);
	read_all_notes(snapshot, elf);
	core_parts_find_crash(snapshot);
	return CAIRN_OK;
}

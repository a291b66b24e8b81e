/* SPDX-License-Identifier: MIT */
/*
 * Lists the parts of a file that identify it, so that they can be read without the rest of the
 * file.
 */
#include "elf.h"

#include "base/bytes_compare.h"

enum step {
	STEP_HEADER,
	STEP_FIRST,
	STEP_SEGMENTS,
	STEP_SECTIONS,
	STEP_NAMES,
	STEP_NOTES,
	STEP_REST
};

static struct cairn_range clip_to_file(struct cairn_bytes bytes, uint64_t offset, uint64_t size)
{
	if (offset >= bytes.size)
		return (struct cairn_range){ 0, 0 };
	uint64_t left = bytes.size - offset;
	return (struct cairn_range){ offset, offset + (size < left ? size : left) };
}

static struct cairn_range names_part(const struct elf *elf)
{
	struct elf_section names;

	if (elf->names == 0 || !elf_section(elf, elf->names, &names))
		return (struct cairn_range){ 0, 0 };
	return clip_to_file(elf->bytes, names.offset, names.size);
}

static struct cairn_range table_part(const struct elf *elf, enum step step)
{
	const uint64_t segment = elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	const uint64_t section = elf->wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW;

	switch (step) {
	case STEP_FIRST:
		return clip_to_file(elf->bytes, elf->sections_at, section);
	case STEP_SEGMENTS:
		return clip_to_file(elf->bytes, elf->segments_at, elf->segments * segment);
	case STEP_SECTIONS:
		return clip_to_file(elf->bytes, elf->sections_at, elf->sections * section);
	case STEP_NAMES:
		return names_part(elf);
	case STEP_HEADER:
	case STEP_NOTES:
	case STEP_REST:
		break;
	}
	return (struct cairn_range){ 0, 0 };
}

/* Limit notes to the bytes that elf_build_id() searches, and .comment to the same size. */
static struct cairn_range clip_run(const struct elf *elf, uint64_t offset, uint64_t size)
{
	return clip_to_file(elf->bytes, offset, size < ELF_NOTES_SIZE ? size : ELF_NOTES_SIZE);
}

static bool next_note_segment(const struct elf *elf, struct elf_parts *parts,
                              struct cairn_range *part)
{
	struct elf_segment s;

	while (parts->runs < ELF_NOTES_RUNS && elf_segment(elf, parts->index, &s)) {
		parts->index++;
		parts->runs += s.type == ELF_PT_NOTE;
		*part = clip_run(elf, s.offset, s.file_size);
		if (s.type == ELF_PT_NOTE && part->low < part->high)
			return true;
	}
	return false;
}

static bool next_section(const struct elf *elf, struct elf_parts *parts, struct cairn_range *part)
{
	struct elf_section s;

	while (parts->index < elf->sections) {
		bool there = elf_section(elf, parts->index++, &s);
		bool notes = there && s.type == ELF_SHT_NOTE && parts->runs < ELF_NOTES_RUNS;
		if (!notes && !(there && bytes_are(s.name, ".comment") && !parts->comment))
			continue;
		parts->runs += notes;
		parts->comment = parts->comment || !notes;
		*part = clip_run(elf, s.offset, s.size);
		if (part->low < part->high)
			return true;
	}
	return false;
}

/* Return the next part that the tables refer to. */
static bool next_listed(const struct elf *elf, struct elf_parts *parts, struct cairn_range *part)
{
	if (parts->step == STEP_NOTES) {
		if (next_note_segment(elf, parts, part))
			return true;
		parts->step = STEP_REST;
		parts->index = 1;
	}
	return next_section(elf, parts, part);
}

bool elf_next_part(struct cairn_bytes bytes, struct elf_parts *parts, struct cairn_range *part)
{
	struct elf elf;

	if (parts->step == STEP_HEADER) {
		parts->step++;
		*part = clip_to_file(bytes, 0, ELF_HEADER_MAX);
		return part->low < part->high;
	}
	if (!elf_opens(bytes, &elf))
		return false;
	while (parts->step < STEP_NOTES) {
		*part = table_part(&elf, (enum step)parts->step++);
		if (part->low < part->high)
			return true;
	}
	return next_listed(&elf, parts, part);
}

bool elf_load_span(const struct elf *elf, struct cairn_range *span)
{
	struct elf_segment s;

	*span = (struct cairn_range){ 0, 0 };
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || s.memory_size == 0 ||
		    s.memory_size > UINT64_MAX - s.va)
			continue;
		const uint64_t high = s.va + s.memory_size;
		const bool first = span->low == span->high;
		span->low = first || s.va < span->low ? s.va : span->low;
		span->high = first || high > span->high ? high : span->high;
	}
	return span->low < span->high;
}

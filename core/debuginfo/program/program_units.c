/* SPDX-License-Identifier: MIT */
/*
 * Finds the units with the code of a few ranges: those that .debug_aranges names, or those whose first entries
 * claim it.
 */
#include "program.h"

#include "program_parts.h"

#include "base/order.h"
#include "base/range.h"
#include "debuginfo/dwarf/die_ranges.h"
#include "debuginfo/elf/section.h"
#include "formats/dwarf/aranges.h"
#include "os/file/file.h"

#include <stdlib.h>

/* What is listed before its first entries are looked at, so that its pages are fetched once. */
enum {
	ARANGE_BYTES = 16, /* of one range of .debug_aranges */
	STEP_BYTES = 4 << 20,
	STEP_UNITS =
		64, /* so many in a step, and there is less between them than a disk reads in the time of a seek */
};

static int compare_places(const void *left, const void *right)
{
	const struct program_row_range *a = left, *b = right;

	return ORDER_BY(a->range.low, b->range.low, ORDER_BY(a->unit, b->unit, 0));
}

void program_sort_ranges(struct program_row_range *range, size_t count)
{
	uint64_t reach = 0;

	if (count > 1)
		qsort(range, count, sizeof(*range), compare_places);
	for (size_t i = 0; i < count; i++) {
		reach = range[i].range.high > reach ? range[i].range.high : reach;
		range[i].reach = reach;
	}
}

bool program_may_hold_code(const struct dwarf_unit *unit)
{
	return unit->version != 0 && unit->type != DWARF_UT_TYPE &&
	       unit->type != DWARF_UT_SPLIT_TYPE && unit->type != DWARF_UT_PARTIAL;
}

void program_drop_unit_list(struct program *program)
{
	for (size_t i = 0; program->places && i < program->main.units.count; i++)
		free(program->places[i].range);
	free(program->places);
	free(program->index);
	program->places = NULL;
	program->index = NULL;
	program->index_count = 0;
	program->has_index = false;
	program->missed = false;
	dies_free_units(&program->main);
}

bool program_make_places(struct program *program)
{
	program->places = calloc(program->main.units.count + 1, sizeof(*program->places));
	return program->places != NULL;
}

static int compare_offsets(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

struct cairn_bytes program_aranges(struct program *program)
{
	const struct elf *elf = &program->plain.elf;
	struct elf_section section;
	size_t size;

	if (program->has_aranges)
		return program->aranges;
	program->has_aranges = true;
	program->aranges = (struct cairn_bytes){ (const uint8_t *)"", 0 };
	if (elf->type == ELF_TYPE_REL || !elf_find_section(elf, ".debug_aranges", &section))
		return program->aranges;
	if (!(section.flags & ELF_SHF_COMPRESSED))
		program->aranges = elf_section_bytes(elf, &section);
	else if (debuginfo_decompress(program->input.debug, ".debug_aranges",
	                              &program->aranges_memory, &size) == CAIRN_OK &&
	         budget_inflate(&program->budget, size))
		program->aranges = (struct cairn_bytes){ program->aranges_memory, size };
	return program->aranges;
}

/* Offsets of units that .debug_aranges names for the ranges, each once; SIZE_MAX: that is not known. */
static size_t find_named_offsets(struct program *program, const struct cairn_range *asked,
                                 size_t count, uint64_t offset[PROGRAM_UNITS_FOUND_MAX])
{
	const struct cairn_bytes bytes = program_aranges(program);
	struct dwarf_arange range;
	size_t found = 0;

	if (bytes.size == 0 || !budget_work(&program->budget, bytes.size / ARANGE_BYTES))
		return SIZE_MAX;
	if (program->input.mapped && !program->aranges_memory)
		os_file_read_soon(bytes);
	struct dwarf_aranges in = dwarf_aranges_open(bytes, program->plain.elf.big);
	while (dwarf_aranges_next_near(&in, range_hull(asked, count), &range)) {
		const struct cairn_range code = { range.low, range.high };
		if (!range_touches(code, asked, count) ||
		    (found > 0 && offset[found - 1] == range.unit))
			continue;
		if (found == PROGRAM_UNITS_FOUND_MAX)
			return SIZE_MAX;
		offset[found++] = range.unit;
	}
	if (!reader_ok(&in.in))
		return SIZE_MAX;
	qsort(offset, found, sizeof(*offset), compare_offsets);
	return found;
}

bool program_find_named_units(struct program *program, const struct cairn_range *asked,
                              size_t count, struct program_unit_list *found)
{
	uint64_t offset[PROGRAM_UNITS_FOUND_MAX];
	const size_t named = find_named_offsets(program, asked, count, offset);

	found->count = 0;
	if (named == SIZE_MAX || named == 0)
		return false;
	program_drop_unit_list(program);
	program->main.missed = &program->missed;
	for (size_t i = 0; i < named; i++) {
		if (i > 0 && offset[i] == offset[i - 1])
			continue;
		if (!dies_add_unit(&program->main, offset[i], &program->budget))
			return false;
		found->unit[found->count] = found->count;
		found->count++;
	}
	return program_make_places(program) && !program->budget.exhausted;
}

bool program_missed_units(const struct program *program)
{
	return program->missed;
}

/* The search over all units, while they are listed. */
struct search {
	struct program *program;
	const struct cairn_range *asked;
	size_t count;
	struct dies_unit root;
	struct program_unit_list *found;
};

static bool look_at_unit(struct search *s, size_t number)
{
	const struct dies_file *file = &s->program->main;
	const struct dwarf_unit *unit = &file->units.unit[number];
	struct cairn_fault fault;
	const char *where;

	if (!program_may_hold_code(unit))
		return true;
	if (dies_load_root(&s->root, file, unit, &fault, &where) != CAIRN_OK)
		return false;
	if (!die_touches(&s->root, &s->root.root, s->asked, s->count))
		return true;
	if (s->found->count == PROGRAM_UNITS_FOUND_MAX)
		return false;
	s->found->unit[s->found->count++] = number;
	return true;
}

static void release_listed_pages(const struct program *program, uint64_t from, uint64_t to)
{
	const struct cairn_bytes info = program->main.sections.info;

	if (program_is_mapped(program, DWARF_SECTION_INFO) && from < to && to <= info.size)
		os_file_release_pages(
			(struct cairn_bytes){ info.data + from, (size_t)(to - from) });
}

/* Units that are small are all on the way, and of large ones only the beginnings. */
static void fetch_small_units(const struct program *program, uint64_t from, size_t units)
{
	const struct cairn_bytes info = program->main.sections.info;
	const uint64_t left = info.size - from;

	if (program_is_mapped(program, DWARF_SECTION_INFO) && units >= STEP_UNITS)
		os_file_read_soon((struct cairn_bytes){
			info.data + from, (size_t)(left < STEP_BYTES ? left : STEP_BYTES) });
}

/* Reads ahead the sections in which each unit has some bytes. */
static void fetch_lists(const struct program *program)
{
	static const enum dwarf_section_kind kinds[] = { DWARF_SECTION_ABBREV, DWARF_SECTION_RANGES,
		                                         DWARF_SECTION_RNGLISTS };
	struct dwarf_sections sections = program->main.sections;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (program_is_mapped(program, kinds[i]))
			os_file_read_soon(*dwarf_sections_get(&sections, kinds[i]));
}

/* Lists the units and looks at each, some of them at a time. */
static bool look_at_all_units(struct search *s)
{
	struct program *program = s->program;
	struct dies_file *file = &program->main;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	size_t next = 0, units = STEP_UNITS;

	fetch_lists(program);
	for (uint64_t from = 0, to; from < file->sections.info.size; from = to) {
		fetch_small_units(program, from, units);
		const size_t before = file->units.count;
		if (!dies_read_units_until(file, from + STEP_BYTES, &program->budget, &fault) ||
		    fault.status != CAIRN_OK)
			return false; /* what is read whole reports the damage */
		to = file->units.read;
		units = file->units.count - before;
		for (; next < file->units.count; next++)
			if (!look_at_unit(s, next))
				return false;
		release_listed_pages(program, from, to);
	}
	return true;
}

bool program_find_units(struct program *program, const struct cairn_range *asked, size_t count,
                        struct program_unit_list *found)
{
	struct search search = {
		.program = program, .asked = asked, .count = count, .found = found
	};

	found->count = 0;
	program_drop_unit_list(program);
	program->main.missed = NULL;
	search.root.budget = &program->budget;
	const bool ok = look_at_all_units(&search);
	dies_unload(&search.root);
	return program_make_places(program) && ok && !program->budget.exhausted;
}

/* SPDX-License-Identifier: MIT */
/* Reads the functions of one unit. */
#include "program.h"

#include "program_parts.h"

#include "base/fault.h"
#include "base/invariant.h"
#include "debuginfo/functions/unit_walk.h"
#include "os/file/file.h"

#include <stdlib.h>
#include <string.h>

/* What is remembered of a sequence: its range, and its place in the index of all. */
enum { PLACE_COST = sizeof(struct cairn_range) + sizeof(struct program_row_range) };

static const uint8_t nothing[1];

struct program_reader *program_reader_new(struct program *program)
{
	struct program_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->program = program;
	reader->lines_unit = reader->kept_unit = SIZE_MAX;
	reader->lines.every_row = reader->kept.every_row = program->input.every_row;
	reader->lines.columns = reader->kept.columns = program->input.columns;
	reader->lines.relative = reader->kept.relative = program->input.relative;
	reader->builder.names = program->input.names;
	reader->builder.lends = program->input.unlisted;
	reader->memory = program->pool.left[BUDGET_MEMORY];
	reader->builder.aliases = program->input.aliases;
	reader->builder.text = &program->text;
	reader->builder.lines = &reader->lines;
	reader->builder.summary = &reader->summary;
	reader->budget.pool = &program->pool;
	reader->texts.budget = reader->builder.budget = &reader->budget;
	reader->lines.budget = reader->kept.budget = &reader->budget;
	if (dies_init(&reader->dies, &reader->texts, &program->main,
	              program->input.unlisted && !program->code))
		return reader;
	program_reader_free(reader);
	return NULL;
}

void program_focus(struct program_reader *reader, const struct function_builder_focus *focus)
{
	reader->builder.focus = focus;
	reader->lines.every_row = reader->kept.every_row = false;
	reader->lines.asked = reader->kept.asked = focus ? focus->range : NULL;
	reader->lines.asked_count = reader->kept.asked_count = focus ? focus->count : 0;
}

void program_give_once(struct program_reader *reader, struct given_functions *given)
{
	reader->given = given;
}

void program_reader_free(struct program_reader *reader)
{
	if (!reader)
		return;
	dies_finish(&reader->dies);
	lines_finish(&reader->lines);
	lines_finish(&reader->kept);
	function_builder_finish(&reader->builder);
	program_close_dwo(reader);
	string_store_finish(&reader->texts);
	/* lookups have one reader after another */
	if (reader->program->input.unlisted && !reader->budget.exhausted)
		reader->program->pool.left[BUDGET_MEMORY] = reader->memory;
	free(reader);
}

/* Reports damage of a unit when it is the first. */
static void note_unit_damage(struct program_reader *reader, size_t unit,
                             const struct cairn_fault *fault, const char *section)
{
	struct program_damage *first = &reader->summary.damage;

	if (first->fault.status == CAIRN_OK || unit < first->unit)
		*first = (struct program_damage){ *fault, section, unit };
}

/* Before the next table takes the place of this one. */
static void keep_large_lines(struct program_reader *reader)
{
	const struct lines free_one = reader->kept;
	uint64_t all = reader->program->main.sections.line.size;

	if (reader->lines_unit == SIZE_MAX || reader->lines.bytes <= all / 2)
		return;
	reader->kept = reader->lines;
	reader->kept_unit = reader->lines_unit;
	reader->lines = free_one;
	/* no number of a table comes twice, whose memory it may be */
	if (reader->lines.file_set < reader->kept.file_set)
		reader->lines.file_set = reader->kept.file_set;
	reader->lines_unit = SIZE_MAX;
}

static bool read_source_lines(struct program_reader *reader, const struct lines_source *source,
                              uint64_t offset)
{
	keep_large_lines(reader);
	reader->lines_unit = SIZE_MAX;
	if (source)
		return lines_read(&reader->lines, source, offset);
	lines_clear(&reader->lines);
	return true;
}

static bool read_unit_lines(struct program_reader *reader, const struct dies_unit *unit)
{
	const struct die *root = &unit->root;
	struct lines_source source = { .sections = &unit->file->sections,
		                       .unit = &unit->unit,
		                       .bases = &unit->bases,
		                       .text = &reader->program->text,
		                       .comp_dir = { nothing, 0 },
		                       .texts = &reader->texts };

	if (reader->builder.focus && die_has(root, DIES_LINES))
		program_fetch_lines(reader->program, root->at[DIES_LINES].number);
	if (die_has(root, DIES_COMP_DIR))
		source.comp_dir = dies_text(unit, &root->at[DIES_COMP_DIR]);
	if (!budget_text(&reader->budget, source.comp_dir.size))
		return false;
	return read_source_lines(reader, die_has(root, DIES_LINES) ? &source : NULL,
	                         die_has(root, DIES_LINES) ? root->at[DIES_LINES].number : 0);
}

/* Remembers where the unit's rows are. */
static bool store_line_ranges(struct program_reader *reader, size_t unit)
{
	struct program_row_ranges *places = &reader->program->places[unit];
	const struct lines *lines = &reader->lines;

	if (lines->sequences == 0 || places->range)
		return true;
	if (budget_memory(&reader->budget, (uint64_t)lines->sequences * PLACE_COST))
		places->range = calloc(lines->sequences, sizeof(*places->range));
	if (!places->range)
		return false;
	for (size_t i = 0; i < lines->sequences; i++)
		places->range[i] =
			(struct cairn_range){ lines->sequence[i].low, lines->sequence[i].high };
	places->count = lines->sequences;
	return true;
}

/* After the rows were read; false when memory is short. */
static bool finish_unit_lines(struct program_reader *reader, size_t unit)
{
	const struct cairn_fault *fault = &reader->lines.fault;

	if (fault->status != CAIRN_OK)
		note_unit_damage(reader, unit, fault, dwarf_sections_name(DWARF_SECTION_LINE));
	return store_line_ranges(reader, unit);
}

static void begin_unit_builder(struct program_reader *reader, const struct dwarf_unit *unit,
                               const struct function_sink *sink)
{
	enum { ENTRY_BYTES = 4 };

	function_builder_begin(&reader->builder, unit, sink);
	/* when it is used up, the first entry of interest ends the walk */
	(void)!budget_work(&reader->budget, (unit->end - unit->offset) / ENTRY_BYTES);
}

/*
 * A partial unit, by which dwz shares what several units have in common: types, and functions without addresses.  It names
 * the line table of one of these units, which would be read for nothing, and often.  *fault is of the walk.
 */
static bool is_shared_part(const struct dies_unit *unit, struct cairn_fault *fault)
{
	struct dwarf_entries entries =
		dwarf_entries(&unit->file->sections, &unit->unit, &unit->abbrevs, unit->unit.first);

	if (unit->root.tag != DWARF_TAG_PARTIAL_UNIT ||
	    dwarf_next_marked(&entries, DWARF_MARK_CODE, 0))
		return false;
	*fault = entries.fault;
	return true;
}

static bool has_code(const struct dwarf_unit *unit)
{
	return unit->type != DWARF_UT_TYPE && unit->type != DWARF_UT_SPLIT_TYPE;
}

static enum cairn_status read_unit(struct program_reader *reader, size_t number,
                                   const struct function_sink *sink, struct cairn_fault *fault,
                                   const char **section)
{
	INVARIANT(number < program_units(reader->program));
	struct dies *dies = &reader->dies;
	struct unit_walk scan = { dies, &reader->builder, &reader->lines,
		                  reader->program->input.call_sites };
	const struct dwarf_unit *unit = &reader->program->main.units.unit[number];

	*section = dwarf_sections_name(DWARF_SECTION_INFO);
	if (unit->version == 0)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, unit->offset,
		                    "a unit of unknown version");
	if (reader->builder.focus)
		program_fetch_unit(reader->program, unit);
	enum cairn_status status =
		dies_load(&dies->main, &reader->program->main, unit, fault, section);

	if (status != CAIRN_OK)
		return status;
	if (is_shared_part(&dies->main, fault)) {
		reader->lines.fault =
			(struct cairn_fault){ CAIRN_OK, 0, NULL }; /* of another unit */
		begin_unit_builder(reader, unit, sink);
		return fault->status;
	}
	if (!read_unit_lines(reader, &dies->main) || !finish_unit_lines(reader, number))
		return CAIRN_NO_MEMORY;
	reader->lines_unit = number;
	/* A module of Clang's names its file (.pcm) in the same way, but it has no code, hence no functions. */
	if (die_has(&dies->main.root, DIES_DWO_NAME) &&
	    (die_has(&dies->main.root, DIES_LOW) || die_has(&dies->main.root, DIES_RANGES))) {
		status = program_load_dwo(reader, fault, section);
		reader->summary.no_split += status == CAIRN_NOT_FOUND;
		/* without its other half a skeleton may still have some functions */
		if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
			return status;
	}
	begin_unit_builder(reader, &dies->main.unit, sink);
	/* there a function is in one unit, and none need be remembered */
	const bool is_c = dies_is_in(dies_language(&dies->main.root), DIES_C);
	reader->builder.earlier = is_c ? NULL : reader->given;
	return unit_walk_read(&scan, fault, section);
}

enum cairn_status program_reload_lines(struct program_reader *reader, size_t number)
{
	const struct program *program = reader->program;
	const struct dwarf_unit *unit = &program->main.units.unit[number];
	struct cairn_fault fault;
	const char *section;

	if (dies_load_root(&reader->dies.main, &program->main, unit, &fault, &section) != CAIRN_OK)
		return CAIRN_NOT_FOUND;
	const bool ok = read_unit_lines(reader, &reader->dies.main);
	reader->dies.main.file = NULL; /* nobody shall look for its other entries */
	return ok ? CAIRN_OK : CAIRN_NO_MEMORY;
}

/* The pages of a unit that was read are not needed again soon. */
static void release_unit_pages(const struct program_reader *reader, const struct dwarf_unit *unit)
{
	const struct program *program = reader->program;
	struct cairn_bytes part = { program->main.sections.info.data + unit->offset,
		                    (size_t)(unit->end - unit->offset) };

	if (program_is_mapped(program, DWARF_SECTION_INFO))
		os_file_release_pages(part);
}

enum cairn_status program_end_budget(struct program_reader *reader, size_t number)
{
	uint64_t offset = reader->program->main.units.unit[number].offset;
	struct program_damage *damage = &reader->exhausted;

	if (damage->section)
		return CAIRN_MALFORMED;
	*damage = (struct program_damage){ .section = dwarf_sections_name(DWARF_SECTION_INFO),
		                           .unit = number };
	return program_exhausted(&reader->budget, offset, &damage->fault);
}

enum cairn_status program_read(struct program_reader *reader, size_t number,
                               const struct function_sink *sink)
{
	const struct dwarf_unit *unit = &reader->program->main.units.unit[number];
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	const char *section;

	if (unit->version != 0 && !has_code(unit))
		return CAIRN_OK;
	reader->summary.units++;
	reader->builder.unit = number;
	reader->builder.status = CAIRN_OK;
	enum cairn_status status = read_unit(reader, number, sink, &fault, &section);
	release_unit_pages(reader, unit);
	if (reader->budget.exhausted)
		return program_end_budget(reader, number);
	if (reader->builder.status != CAIRN_OK)
		return reader->builder.status;
	if (status == CAIRN_NO_MEMORY)
		return status;
	if (status != CAIRN_OK)
		note_unit_damage(reader, number, &fault, section);
	reader->summary.broken += status != CAIRN_OK || reader->lines.fault.status != CAIRN_OK;
	return CAIRN_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Split DWARF: a unit of the program, the skeleton, has the addresses and the line table; its
 * functions are in a file of their own (.dwo) or in a package of all (.dwp).
 */
#include "program_parts.h"

#include "base/fault.h"
#include "base/reader.h"
#include "formats/dwarf/package.h"

#include <stdlib.h>

/* What looking for a split file costs: its name is kept, and several places are tried. */
enum { FIND_MEMORY = 5000, FIND_WORK = 2000 };

static const uint8_t nothing[1];

void program_close_dwo(struct program_reader *reader)
{
	while (reader->split) {
		struct program_dwo_file *next = reader->split->next;
		dies_free_units(&reader->split->file);
		dwarf_sections_close(&reader->split->plain);
		free(reader->split);
		reader->split = next;
	}
}

static uint64_t read_dwo_id(const struct dies_unit *skeleton)
{
	if (skeleton->unit.version >= 5)
		return skeleton->unit.id;
	return die_has(&skeleton->root, DIES_DWO_ID) ? skeleton->root.at[DIES_DWO_ID].number : 0;
}

/* A file of the reader's, kept until the reader is freed: texts in it have been given away. */
static struct program_dwo_file *add_split_file(struct program_reader *reader)
{
	struct program_dwo_file *file = NULL;

	if (budget_memory(&reader->budget, sizeof(*file)))
		file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->next = reader->split;
	reader->split = file;
	return file;
}

static struct cairn_bytes slice_contribution(struct cairn_bytes whole, struct cairn_range part)
{
	struct cairn_bytes bytes = { nothing, 0 };

	if (!bytes_slice(whole, part.low, part.high - part.low, &bytes))
		return (struct cairn_bytes){ nothing, 0 };
	return bytes;
}

/* The unit among those of a package: its sections are parts of those of the package. */
static enum cairn_status find_packed(struct program_reader *reader, uint64_t id,
                                     struct program_dwo_file *file, struct cairn_fault *fault)
{
	struct program *program = reader->program;
	const struct dwarf_sections *whole = &program->package.sections;
	struct dwarf_sections *sections = &file->file.sections;
	struct dwarf_package_unit unit;
	enum cairn_status status =
		dwarf_find_in_package(program->package_plain.package, whole->big, id, &unit, fault);

	if (!budget_work(&reader->budget, unit.looked))
		return CAIRN_NO_MEMORY;
	if (status != CAIRN_OK)
		return status;
	*sections = *whole;
	sections->info = slice_contribution(whole->info, unit.info);
	sections->abbrev = slice_contribution(whole->abbrev, unit.abbrev);
	sections->str_offsets = slice_contribution(whole->str_offsets, unit.str_offsets);
	sections->rnglists = slice_contribution(whole->rnglists, unit.rnglists);
	return CAIRN_OK;
}

static enum cairn_status find_file(struct program_reader *reader, uint64_t id,
                                   struct program_dwo_file *file, struct cairn_fault *fault,
                                   const char **section)
{
	const struct program_dwo_source *split = &reader->program->input.split;
	const struct dies_unit *skeleton = &reader->dies.main;
	struct cairn_bytes directory = { nothing, 0 };
	struct program_damage damage;

	if (!split->find)
		return CAIRN_NOT_FOUND;
	if (!budget_memory(&reader->budget, FIND_MEMORY) ||
	    !budget_work(&reader->budget, FIND_WORK))
		return CAIRN_NO_MEMORY;
	if (die_has(&skeleton->root, DIES_COMP_DIR))
		directory = dies_text(skeleton, &skeleton->root.at[DIES_COMP_DIR]);
	struct cairn_bytes bytes =
		split->find(split->context, directory,
	                    dies_text(skeleton, &skeleton->root.at[DIES_DWO_NAME]), id);
	if (bytes.size == 0)
		return CAIRN_NOT_FOUND;
	if (!budget_credit(&reader->program->pool, bytes))
		return CAIRN_NO_MEMORY;
	const struct dwarf_sections_how how = { .split = true,
		                                .mapped = reader->program->input.mapped };
	enum cairn_status status =
		dwarf_sections_open(bytes, how, &reader->budget, &file->plain, &damage);
	file->file.sections = file->plain.dwarf;
	*fault = damage.fault;
	*section = damage.section;
	return status;
}

/* The compile unit of the split file that belongs to the skeleton. */
static const struct dwarf_unit *find_unit(const struct dies_file *file, uint64_t id,
                                          struct cairn_fault *fault)
{
	for (size_t i = 0; i < file->units.count; i++) {
		const struct dwarf_unit *unit = &file->units.unit[i];
		bool is_new = unit->version >= 5;
		if (is_new ? unit->type == DWARF_UT_SPLIT_COMPILE && unit->id == id
		           : unit->version > 0)
			return unit;
	}
	*fault = (struct cairn_fault){ CAIRN_MISMATCH, 0,
		                       "a split file that belongs to another build" };
	return NULL;
}

/* What a split unit takes from its skeleton. */
static void inherit_skeleton_bases(struct dies_unit *unit, const struct dies_unit *skeleton)
{
	unit->bases.addr = skeleton->bases.addr;
	unit->bases.low_pc = skeleton->bases.low_pc;
	if (die_has(&skeleton->root, DIES_RANGES_BASE))
		unit->bases.ranges = skeleton->root.at[DIES_RANGES_BASE].number;
}

static enum cairn_status load_split_unit(struct program_reader *reader,
                                         struct program_dwo_file *file, uint64_t id,
                                         struct cairn_fault *fault, const char **section)
{
	struct dies_unit *main = &reader->dies.main;
	struct dies_unit skeleton = { .unit = main->unit,
		                      .bases = main->bases,
		                      .root = main->root };

	*section = ".debug_info.dwo";
	file->file.sections.addr = reader->program->main.sections.addr;
	file->file.sections.ranges = reader->program->main.sections.ranges;
	if (!dies_read_units(&file->file, &reader->budget, fault))
		return CAIRN_NO_MEMORY;
	const struct dwarf_unit *unit = find_unit(&file->file, id, fault);
	if (!unit)
		return fault->status;
	enum cairn_status status = dies_load(main, &file->file, unit, fault, section);
	if (status != CAIRN_OK)
		return status == CAIRN_UNSUPPORTED ? CAIRN_MALFORMED : status;
	inherit_skeleton_bases(main, &skeleton);
	/* before DWARF 5 the ID of a split unit is an attribute */
	if (main->unit.version >= 5 || read_dwo_id(main) == id)
		return CAIRN_OK;
	return fault_set(fault, CAIRN_MISMATCH, "a split file that belongs to another build");
}

enum cairn_status program_load_dwo(struct program_reader *reader, struct cairn_fault *fault,
                                   const char **section)
{
	uint64_t id = read_dwo_id(&reader->dies.main);
	struct program_dwo_file *file = add_split_file(reader);
	enum cairn_status status = CAIRN_NOT_FOUND;

	if (!file)
		return CAIRN_NO_MEMORY;
	*section = ".debug_cu_index";
	if (reader->program->has_package)
		status = find_packed(reader, id, file, fault);
	if (status == CAIRN_NOT_FOUND)
		status = find_file(reader, id, file, fault, section);
	if (status == CAIRN_OK)
		status = load_split_unit(reader, file, id, fault, section);
	return status;
}

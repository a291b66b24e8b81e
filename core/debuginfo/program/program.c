/* SPDX-License-Identifier: MIT */
/*
 * Opens the DWARF sections of a program, its dwz file and its .dwp package and sets the work
 * budget.
 */
#include "program.h"

#include "base/fault.h"
#include "base/text_table.h"

#include "program_parts.h"

#include <stdlib.h>

static enum cairn_status report_no_units_memory(struct program_damage *damage)
{
	return fault_set(&damage->fault, CAIRN_NO_MEMORY, "no memory for a list of units");
}

enum cairn_status program_exhausted(const struct budget *budget, uint64_t offset,
                                    struct cairn_fault *fault)
{
	return fault_set_at(fault, CAIRN_MALFORMED, offset, budget_kind_text(budget->spent));
}

static enum cairn_status open_file(struct program *program, struct dwarf_file *plain,
                                   struct dies_file *file, struct program_damage *damage)
{
	*damage = (struct program_damage){ .section = dwarf_sections_name(DWARF_SECTION_INFO) };
	file->sections = plain->dwarf;
	if (program->input.unlisted && file == &program->main)
		return CAIRN_OK;
	bool ok = dies_read_units(file, &program->budget, &damage->fault);
	return ok ? CAIRN_OK : report_no_units_memory(damage);
}

static enum cairn_status open_main(struct program *program, struct program_damage *damage)
{
	const struct program_input *input = &program->input;
	const struct dwarf_sections_how how = { .mapped = input->mapped,
		                                .threads = input->threads };
	enum cairn_status status =
		dwarf_sections_open(input->debug, how, &program->budget, &program->plain, damage);

	if (status != CAIRN_OK)
		return status;
	if (program->plain.elf.type == ELF_TYPE_REL && !elf_has_one_text(&program->plain.elf))
		return fault_set(&damage->fault, CAIRN_UNSUPPORTED,
		                 "a relocatable file with more than one section of instructions");
	struct program_damage first = *damage; /* of a section that can be done without */
	status = open_file(program, &program->plain, &program->main, damage);
	program->damage = first.fault.status != CAIRN_OK ? first : *damage;
	if (status == CAIRN_OK && program->main.units.count == 0 && !input->unlisted)
		return damage->fault.status != CAIRN_OK ? damage->fault.status : CAIRN_NOT_FOUND;
	return status;
}

/* A file beside the main one; what is wrong with it is not the program's end. */
static bool open_beside(struct cairn_bytes bytes, bool split, struct dwarf_file *plain,
                        struct dies_file *file, struct program *program)
{
	struct program_damage damage;

	if (bytes.size == 0)
		return false;
	const struct dwarf_sections_how how = { split, program->input.mapped,
		                                program->input.threads };
	enum cairn_status status =
		dwarf_sections_open(bytes, how, &program->budget, plain, &damage);
	if (status == CAIRN_OK)
		status = open_file(program, plain, file, &damage);
	if (status != CAIRN_OK && program->damage.fault.status == CAIRN_OK)
		program->damage = damage;
	return status == CAIRN_OK;
}

static enum cairn_status open_all(struct program *program, struct program_damage *damage)
{
	const struct program_input *input = &program->input;
	enum cairn_status status = open_main(program, damage);

	if (status != CAIRN_OK)
		return status;
	program->has_alt =
		open_beside(input->alt, false, &program->alt_plain, &program->alt, program);
	program->main.alt = program->has_alt ? &program->alt : NULL;
	program->has_package = open_beside(input->split.package, true, &program->package_plain,
	                                   &program->package, program);
	if (program->has_package && program->package_plain.package.size == 0) {
		program->has_package = false;
		program->damage = (struct program_damage){ { CAIRN_NOT_FOUND, 0, "not a package" },
			                                   ".debug_cu_index",
			                                   0 };
	}
	if ((!input->unlisted && !program_make_places(program)) ||
	    !code_ranges_read(&program->text, &program->plain.elf))
		return report_no_units_memory(damage);
	return CAIRN_OK;
}

/* All files that are known from the start count for what may be read. */
static bool open_budget(struct program *program)
{
	const struct program_input *input = &program->input;

	budget_pool_open(&program->pool);
	program->budget.pool = &program->pool;
	return budget_credit(&program->pool, input->debug) &&
	       budget_credit(&program->pool, input->alt) &&
	       budget_credit(&program->pool, input->split.package);
}

enum cairn_status program_open(const struct program_input *input, struct program **program,
                               struct program_damage *damage)
{
	struct program *made = calloc(1, sizeof(*made));

	if (!made) {
		damage->section = NULL;
		return report_no_units_memory(damage);
	}
	made->input = *input;
	enum cairn_status status =
		open_budget(made) ? open_all(made, damage) : report_no_units_memory(damage);
	if (made->budget.exhausted)
		status = program_exhausted(&made->budget, damage->fault.offset, &damage->fault);
	if (status == CAIRN_OK)
		*program = made;
	else
		program_close(made);
	return status;
}

void program_close(struct program *program)
{
	if (!program)
		return;
	program_drop_unit_list(program);
	free(program->code);
	free(program->aranges_memory);
	dies_free_units(&program->alt);
	dies_free_units(&program->package);
	dwarf_sections_close(&program->plain);
	dwarf_sections_close(&program->alt_plain);
	dwarf_sections_close(&program->package_plain);
	code_ranges_finish(&program->text);
	budget_pool_close(&program->pool);
	free(program);
}

size_t program_units(const struct program *program)
{
	return program->main.units.count;
}

const char *program_flaw(const struct program *program)
{
	return program->budget.exhausted ? budget_kind_text(program->budget.spent) : NULL;
}

uint64_t program_memory(const struct program *program)
{
	return budget_drawn(&program->pool, BUDGET_MEMORY) +
	       budget_drawn(&program->pool, BUDGET_INFLATED);
}

const char *program_drop_text(enum program_drop drop)
{
	static const char texts[][TEXT_ROOM] = {
		[PROGRAM_DROP_EMPTY] = "empty ranges",
		[PROGRAM_DROP_TOMBSTONE] = "ranges of code that the linker dropped",
		[PROGRAM_DROP_OUTSIDE] = "ranges outside of sections with instructions",
		[PROGRAM_DROP_NAMELESS] = "functions without a name",
		[PROGRAM_DROP_INLINE] = "inlined calls without an address",
	};

	return TEXT_AT(texts, drop, "");
}

void program_add_summary(const struct program_reader *reader, struct program_summary *sum)
{
	const struct program_summary *s = &reader->summary;
	const struct program_damage *damage = &reader->program->damage;

	sum->units += s->units;
	sum->broken += s->broken;
	sum->no_split += s->no_split;
	sum->functions += s->functions;
	sum->rows += s->rows;
	sum->inlines += s->inlines;
	sum->calls += s->calls;
	sum->repeated += s->repeated;
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		sum->dropped[i] += s->dropped[i];
	if (s->damage.fault.status != CAIRN_OK &&
	    (sum->damage.fault.status == CAIRN_OK || s->damage.unit < sum->damage.unit))
		sum->damage = s->damage;
	if (sum->damage.fault.status == CAIRN_OK)
		sum->damage = *damage;
	if (reader->exhausted.section) {
		sum->damage = reader->exhausted;
		sum->exhausted = true;
	}
}

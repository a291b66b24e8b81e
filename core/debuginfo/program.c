/* SPDX-License-Identifier: MIT */
/*
 * Opens the DWARF of a program, its dwz file and its .dwp package, and finds the units that contain
 * given addresses, either through .debug_aranges or through the ranges in the units' roots.
 */
#include "program.h"
#include "program_state.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/range.h"
#include "base/sort.h"
#include "base/text_table.h"
#include "debuginfo/dies.h"
#include "debuginfo/unpack.h"
#include "formats/dwarf/dwarf.h"
#include "os/file.h"

#include <stdlib.h>

static void fetch_part(const struct program *program, enum dwarf_section_kind which,
                       struct cairn_bytes section, uint64_t offset, uint64_t size)
{
	if (!program_is_mapped(program, which) || offset >= section.size)
		return;
	const uint64_t left = section.size - offset;
	os_file_read_soon(
		(struct cairn_bytes){ section.data + offset, (size_t)(size < left ? size : left) });
}

void program_fetch_lines(const struct program *program, uint64_t offset)
{
	const struct cairn_bytes line = program->main.sections.line;

	if (offset <= line.size && line.size - offset >= sizeof(uint32_t))
		fetch_part(program, DWARF_SECTION_LINE, line, offset,
		           sizeof(uint32_t) +
		                   bytes_u32(line.data + offset, program->main.sections.big));
}

void program_fetch_unit(const struct program *program, const struct dwarf_unit *unit)
{
	enum { ABBREVS_USUAL = 16 << 10 };

	fetch_part(program, DWARF_SECTION_INFO, program->main.sections.info, unit->offset,
	           unit->end - unit->offset);
	fetch_part(program, DWARF_SECTION_ABBREV, program->main.sections.abbrev, unit->abbrevs,
	           ABBREVS_USUAL);
}

/*
 * Units are listed in batches, and the roots of one batch are read before the next batch is listed,
 * so that each page is loaded only once.
 */
enum {
	ARANGE_BYTES = 16,
	STEP_BYTES = 4 << 20,
	/*
	 * prefetch a batch if the previous one had at least this many units, because reading the
	 * bytes between their roots is then faster than seeking
	 */
	STEP_UNITS = 64,
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

static void program_drop_unit_list(struct program *program)
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

static bool program_make_places(struct program *program)
{
	program->places = calloc(program->main.units.count + 1, sizeof(*program->places));
	return program->places != NULL;
}

static int compare_offsets(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Return .debug_aranges, or empty bytes if it is missing or requires relocation. */
static struct cairn_bytes program_aranges(struct program *program)
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

/*
 * Store the offsets of the units that .debug_aranges lists for the ranges, and return their number.
 * The offsets are sorted and may contain duplicates. Returns SIZE_MAX if the section is missing or
 * damaged, or names too many units.
 */
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

static void fetch_lists(const struct program *program)
{
	static const enum dwarf_section_kind kinds[] = { DWARF_SECTION_ABBREV, DWARF_SECTION_RANGES,
		                                         DWARF_SECTION_RNGLISTS };
	struct dwarf_sections sections = program->main.sections;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (program_is_mapped(program, kinds[i]))
			os_file_read_soon(*dwarf_sections_get(&sections, kinds[i]));
}

static bool look_at_all_units(struct search *s)
{
	struct program *program = s->program;
	struct dies_file *file = &program->main;
	const struct cairn_bytes info = file->sections.info;
	const bool is_mapped = program_is_mapped(program, DWARF_SECTION_INFO);
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	size_t next = 0, units = STEP_UNITS;

	fetch_lists(program);
	for (uint64_t from = 0, to; from < info.size; from = to) {
		const uint64_t left = info.size - from;
		/* only the starts of large units are needed */
		if (is_mapped && units >= STEP_UNITS)
			os_file_read_soon((struct cairn_bytes){
				info.data + from,
				(size_t)(left < STEP_BYTES ? left : STEP_BYTES) });
		const size_t before = file->units.count;
		if (!dies_read_units_until(file, from + STEP_BYTES, &program->budget, &fault) ||
		    fault.status != CAIRN_OK)
			return false;
		to = file->units.read;
		units = file->units.count - before;
		for (; next < file->units.count; next++)
			if (!look_at_unit(s, next))
				return false;
		if (is_mapped && from < to && to <= info.size)
			os_file_release_pages(
				(struct cairn_bytes){ info.data + from, (size_t)(to - from) });
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

static bool add_code(struct program *program, struct cairn_range range, size_t unit)
{
	if (range.low >= range.high)
		return true;
	if (!budget_work(&program->budget, 1) ||
	    !budget_capacity(&program->budget, &program->code, &program->code_capacity,
	                     program->code_count + 1, sizeof(*program->code)))
		return false;
	program->code[program->code_count++] =
		(struct program_row_range){ .range = range, .unit = unit };
	return true;
}

static bool add_root(struct program *program, const struct dies_unit *root, size_t unit)
{
	struct cairn_range range;

	if (!die_has(&root->root, DIES_RANGES))
		return !die_pc_bounds(root, &root->root, &range) || add_code(program, range, unit);
	if (!die_has_range_list(&root->root))
		return true;
	struct dwarf_ranges ranges = dwarf_open_ranges(&root->file->sections, &root->unit,
	                                               &root->bases, &root->root.at[DIES_RANGES]);
	while (dwarf_next_range(&ranges, &range))
		if (!add_code(program, range, unit))
			return false;
	return true;
}

/*
 * Add the address ranges of all units. A unit whose root is unreadable is added for all addresses.
 */
static bool add_roots(struct program *program)
{
	struct dies_unit root = { .budget = &program->budget };
	struct cairn_fault fault;
	const char *where;
	bool ok = true;

	for (size_t i = 0; ok && i < program->main.units.count; i++) {
		const struct dwarf_unit *unit = &program->main.units.unit[i];
		if (!program_may_hold_code(unit))
			continue;
		if (dies_load_root(&root, &program->main, unit, &fault, &where) == CAIRN_OK)
			ok = add_root(program, &root, i);
		else
			ok = add_code(program, (struct cairn_range){ 0, UINT64_MAX }, i);
	}
	dies_unload(&root);
	return ok && !program->budget.exhausted;
}

bool program_index_units(struct program *program)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	program_drop_unit_list(program);
	program->main.missed = NULL;
	program->code_count = 0;
	if (!dies_read_units(&program->main, &program->budget, &fault))
		return false;
	if (fault.status != CAIRN_OK)
		program->damage =
			(struct program_damage){ fault, dwarf_sections_name(DWARF_SECTION_INFO),
			                         0 };
	const bool ok = program_make_places(program) && add_roots(program);
	program_sort_ranges(program->code, program->code_count);
	return ok;
}

static bool add_found(struct program_unit_list *found, size_t unit)
{
	size_t at = found->count;

	while (at > 0 && found->unit[at - 1] > unit)
		at--;
	if (at > 0 && found->unit[at - 1] == unit)
		return true;
	if (found->count == PROGRAM_UNITS_FOUND_MAX)
		return false;
	for (size_t i = found->count++; i > at; i--)
		found->unit[i] = found->unit[i - 1];
	found->unit[at] = unit;
	return true;
}

bool program_find_indexed_units(const struct program *program, struct cairn_range asked,
                                struct program_unit_list *found)
{
	found->count = 0;
	size_t first = SORTED_BELOW(program->code, program->code_count, range.low, asked.high);
	for (; first > 0 && program->code[first - 1].reach > asked.low; first--)
		if (program->code[first - 1].range.high > asked.low &&
		    !add_found(found, program->code[first - 1].unit))
			return false;
	return true;
}

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
		                 "relocatable files with several code sections are not supported");
	struct program_damage first = *damage; /* damage to a nonessential section */
	status = open_file(program, &program->plain, &program->main, damage);
	program->damage = first.fault.status != CAIRN_OK ? first : *damage;
	if (status == CAIRN_OK && program->main.units.count == 0 && !input->unlisted)
		return damage->fault.status != CAIRN_OK ? damage->fault.status : CAIRN_NOT_FOUND;
	return status;
}

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
	static const char texts[][TEXT_CAPACITY] = {
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

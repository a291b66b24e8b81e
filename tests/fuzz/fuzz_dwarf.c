/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of any bytes whose DWARF is read, unit after unit, by our own decoder.  Always:
 *   - what base/function.h promises of a function holds;
 *   - a second reader, asked for the units from the last to the first, gives the same, unless they
 *     have used up what the program may take;
 *   - rows that are asked for again are inside the function that they were asked for;
 *   - a fault has a reason, and its section a name.
 */
#include "fuzz.h"

#include "debuginfo/function_builder.h"
#include "debuginfo/program.h"
#include "debuginfo/symbol_table.h"

#include <string.h>

enum { UNITS = 64 };

struct sums {
	uint64_t hash[UNITS];
	uint64_t current;
	bool exhausted; /* the budget of the program */
};

static void add(struct sums *sums, uint64_t number)
{
	sums->current = (sums->current ^ number) * 0x100000001b3;
}

static void add_text(struct sums *sums, struct cairn_bytes text)
{
	ALWAYS(text.data);
	for (size_t i = 0; i < text.size; i++)
		add(sums, text.data[i]);
	add(sums, text.size);
}

static void check_rows(struct sums *sums, const struct function *f)
{
	ALWAYS(f->row_count == 0 || f->rows[0].va == f->start);
	for (size_t i = 0; i < f->row_count; i++) {
		const struct function_row *row = &f->rows[i];
		ALWAYS(row->va - f->start < f->size);
		ALWAYS(i == 0 || row->va > row[-1].va);
		ALWAYS(row->file < f->file_count || row->file == 0);
		add(sums, row->va);
		add(sums, row->line);
		if (row->file) {
			add_text(sums, f->files[row->file].directory);
			add_text(sums, f->files[row->file].name);
		}
	}
}

static bool is_inside(const struct function *f, const struct cairn_range *range,
                      const struct function_inline *outer)
{
	if (!outer)
		return range->low >= f->start && range->high - f->start <= f->size;
	for (uint32_t i = 0; i < outer->ranges; i++)
		if (range->low >= f->range[outer->range + i].low &&
		    range->high <= f->range[outer->range + i].high)
			return true;
	return false;
}

static const struct function_inline *outer_of(const struct function *f, size_t at)
{
	for (size_t i = at; i-- > 0;)
		if (f->inlines[i].depth < f->inlines[at].depth)
			return &f->inlines[i];
	return NULL;
}

static void check_inlines(struct sums *sums, const struct function *f)
{
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct function_inline *call = &f->inlines[i];
		const struct function_inline *outer = outer_of(f, i);
		ALWAYS(call->depth == (outer ? outer->depth + 1 : 1));
		ALWAYS(call->ranges > 0);
		ALWAYS(call->call_file < f->file_count || call->call_file == 0);
		for (uint32_t r = 0; r < call->ranges; r++) {
			const struct cairn_range *range = &f->range[call->range + r];
			ALWAYS(range->low < range->high);
			ALWAYS(r == 0 || range->low > range[-1].high);
			ALWAYS(is_inside(f, range, outer));
			add(sums, range->low);
			add(sums, range->high);
		}
		add_text(sums, call->name);
		add(sums, call->call_line);
	}
}

static enum cairn_status take(void *context, const struct function *f)
{
	struct sums *sums = context;

	ALWAYS(f->size > 0 && f->start + f->size > f->start);
	ALWAYS(f->name.size > 0);
	add(sums, f->start);
	add(sums, f->size);
	add_text(sums, f->name);
	check_rows(sums, f);
	check_inlines(sums, f);
	for (size_t i = 0; i < f->call_count; i++) {
		ALWAYS(f->calls[i].return_offset > 0 && f->calls[i].return_offset <= f->size);
		for (uint32_t n = 0; n < f->calls[i].callees; n++)
			add_text(sums, f->calls[i].callee[n]);
	}
	return CAIRN_OK;
}

static void read_one(struct program_reader *reader, size_t unit, struct sums *sums)
{
	struct function_sink sink = { take, sums };

	sums->current = 0xcbf29ce484222325;
	enum cairn_status status = program_read(reader, unit, &sink);
	ALWAYS(status == CAIRN_OK || status == CAIRN_MALFORMED);
	sums->hash[unit % UNITS] = sums->current;
	sums->exhausted = sums->exhausted || status != CAIRN_OK;
}

static void check_summary(const struct program_reader *reader)
{
	struct program_summary sum = { .units = 0 };

	program_add_summary(reader, &sum);
	ALWAYS(sum.broken <= sum.units);
	if (sum.damage.fault.status != CAIRN_OK)
		ALWAYS(sum.damage.fault.what);
}

static void ask_rows(struct program_reader *reader, uint64_t start, uint64_t size)
{
	struct function f = { .start = start, .size = size };
	struct sums sums = { .current = 0 };

	if (program_rows_at(reader, &f) == CAIRN_OK) {
		ALWAYS(f.row_count > 0);
		check_rows(&sums, &f);
	}
}

static void check_found(const struct program *program, const struct program_unit_list *found)
{
	ALWAYS(found->count <= PROGRAM_UNITS_FOUND_MAX);
	for (size_t i = 0; i < found->count; i++)
		ALWAYS(found->unit[i] < program_units(program) &&
		       (i == 0 || found->unit[i - 1] < found->unit[i]));
}

static bool name_nothing(void *context, uint64_t va)
{
	(void)context;
	(void)va;
	return true;
}

/* The functions that are asked for. */
static void read_found(struct program *program, const struct cairn_range *asked, size_t count,
                       const struct program_unit_list *found, bool outside)
{
	static struct sums sums;
	const struct function_builder_focus focus = { asked, count, outside, name_nothing, NULL };
	struct program_reader *reader = program_reader_new(program);

	ALWAYS(reader);
	check_found(program, found);
	program_focus(reader, &focus);
	sums.exhausted = false;
	for (size_t i = 0; i < found->count && found->unit[i] < UNITS; i++)
		read_one(reader, found->unit[i], &sums);
	(void)program_missed_units(program);
	program_reader_free(reader);
}

static void find_units(struct program *program)
{
	static const struct cairn_range asked[] = {
		{ 0, 1 }, { 0x28, 0x29 }, { 0x401000, 0x401100 }, { UINT64_MAX - 1, UINT64_MAX }
	};
	const size_t count = sizeof(asked) / sizeof(asked[0]);
	struct program_unit_list found;

	if (program_find_named_units(program, asked, count, &found))
		read_found(program, asked, count, &found, true);
	if (program_find_units(program, asked, count, &found))
		read_found(program, asked, count, &found, false);
}

static void read_twice(struct program *program)
{
	static struct sums first, second;
	struct program_reader *one = program_reader_new(program);
	struct program_reader *two = program_reader_new(program);
	size_t units = program_units(program) < UNITS ? program_units(program) : UNITS;

	ALWAYS(one && two);
	first.exhausted = second.exhausted = false;
	for (size_t i = 0; i < units; i++)
		read_one(one, i, &first);
	for (size_t i = units; i-- > 0;)
		read_one(two, i, &second);
	if (!first.exhausted && !second.exhausted)
		ALWAYS(memcmp(first.hash, second.hash, units * sizeof(*first.hash)) == 0);
	check_summary(one);
	ask_rows(two, 0, 0x20);
	ask_rows(two, 0x28, UINT64_MAX - 0x28);
	ask_rows(two, 0x401000, 0x100);
	program_reader_free(one);
	program_reader_free(two);
}

static void read_symbols(struct aliases *aliases, struct cairn_bytes bytes)
{
	struct cairn_fault fault;

	for (unsigned table = ALIASES_SYMTAB; table <= ALIASES_DYNSYM; table++)
		if (aliases_read(aliases, bytes, (enum aliases_table)table, &fault) != CAIRN_OK)
			ALWAYS(fault.offset <= bytes.size && fault.what);
	aliases_sort(aliases);
	for (size_t i = 0; i < aliases->count; i++) {
		const struct alias *best = aliases_best(aliases, aliases->entry[i].va, NULL, 0);
		ALWAYS(best && best->va == aliases->entry[i].va);
		ALWAYS(aliases_compare(aliases, best->va, best->name, aliases->entry[i].name) <= 0);
	}
}

/* Those of a range are among all. */
static void pick_symbols(const struct aliases *all, struct cairn_bytes bytes)
{
	static const struct cairn_range range = { 0x28, 0x401000 };
	struct symbol_tables tables = { .count = 0 };
	struct aliases picked = { .entry = NULL };
	struct cairn_fault fault;

	for (unsigned table = ALIASES_SYMTAB; table <= ALIASES_DYNSYM; table++)
		(void)!symbol_tables_add(&tables, bytes, (enum aliases_table)table, &fault);
	if (symbol_tables_pick(&tables, &range, 1, &picked)) {
		aliases_sort(&picked);
		for (size_t i = 0; i < picked.count && i < UNITS; i++)
			ALWAYS(picked.entry[i].va <= range.high &&
			       aliases_best(all, picked.entry[i].va, NULL, 0));
	}
	aliases_finish(&picked);
}

/* The other half of a split unit may be in the same file. */
static struct cairn_bytes find(void *context, struct cairn_bytes directory, struct cairn_bytes name,
                               uint64_t id)
{
	const struct cairn_bytes *bytes = context;

	(void)id;
	ALWAYS(directory.data && name.data);
	return *bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data, size };
	struct aliases aliases = { .entry = NULL };
	struct program_input input = { .debug = bytes,
		                       .alt = bytes,
		                       .split = { find, &bytes, bytes },
		                       .aliases = &aliases,
		                       .call_sites = true };
	struct program_damage damage = { .section = NULL };
	struct program *program;

	read_symbols(&aliases, bytes);
	pick_symbols(&aliases, bytes);
	enum cairn_status status = program_open(&input, &program, &damage);
	if (status == CAIRN_OK) {
		read_twice(program);
		find_units(program);
		program_close(program);
	} else {
		ALWAYS(status == CAIRN_NOT_FOUND || damage.fault.what);
	}
	aliases_finish(&aliases);
	return 0;
}

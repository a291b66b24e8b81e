/* SPDX-License-Identifier: MIT */
/* Functions of whole units, which are read when their code is first asked for, and what only symbols know beside them. */
#include "address_parts.h"

#include "base/bisect.h"
#include "base/range.h"
#include "debuginfo/program/code_symbols.h"

#include <stdlib.h>
#include <string.h>

bool unit_functions_open(struct address_functions *f)
{
	kept_functions_clear(&f->kept);
	if (!symbol_set_sort(&f->symbols))
		return false;
	f->is_indexed = true;
	if (!f->program)
		return true;
	f->damaged |= !program_index_units(f->program);
	f->flaw = program_flaw(f->program);
	f->reader = program_reader_new(f->program);
	f->was_read = calloc(program_units(f->program) + 1, sizeof(*f->was_read));
	return f->reader && f->was_read;
}

void unit_functions_close(struct address_functions *f)
{
	program_reader_free(f->reader);
	free(f->was_read);
	kept_functions_close(&f->near);
	f->reader = NULL;
	f->was_read = NULL;
	f->is_indexed = false;
}

static void note_damage(struct address_functions *f)
{
	struct program_summary sum = { .units = 0 };

	program_add_summary(f->reader, &sum);
	f->damaged |= sum.broken > 0 || sum.no_split > 0 || sum.damage.fault.status != CAIRN_OK;
	if (sum.exhausted)
		f->flaw = sum.damage.fault.what;
}

enum { READS_MAX = 2 }; /* of each unit, for addresses that are in no order after all */

static bool are_sorted(const uint64_t *vas, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (vas[i] < vas[i - 1])
			return false;
	return true;
}

void unit_functions_begin(struct address_functions *f, const uint64_t *vas, size_t count)
{
	const size_t units = f->program ? program_units(f->program) : 0;

	if (!f->files.in_order || !f->was_read)
		return;
	if (f->asked_count > 0) {
		kept_functions_clear(&f->kept);
		memset(f->was_read, 0, units * sizeof(*f->was_read));
	}
	f->asked = vas;
	f->asked_count = f->reads < READS_MAX * units && are_sorted(vas, count) ? count : 0;
}

static bool is_asked_for(const struct address_functions *f, const struct function *function)
{
	struct bisection search = bisect_begin(f->asked_count);

	while (search.low < search.high)
		bisect_narrow(&search, f->asked[search.middle] < function->start);
	return search.low < f->asked_count &&
	       f->asked[search.low] - function->start < function->size;
}

/* Takes functions whole that an address is in; of others it keeps that they are there. */
static enum cairn_status take_asked(void *context, const struct function *function)
{
	struct address_functions *f = context;
	const struct function_sink sink = kept_functions_sink(&f->kept);
	struct function bare = *function;

	if (is_asked_for(f, function))
		return sink.take(sink.context, function);
	bare.row_count = bare.inline_count = bare.call_count = 0;
	return sink.take(sink.context, &bare);
}

/* Units of a program that takes more than its size allows are not read any more. */
static void read_unit(struct address_functions *f, size_t unit)
{
	const struct function_sink sink = f->asked_count > 0
	                                          ? (struct function_sink){ take_asked, f }
	                                          : kept_functions_sink(&f->kept);

	if (f->was_read[unit] || f->flaw)
		return;
	f->was_read[unit] = true;
	f->reads++;
	if (program_read(f->reader, unit, &sink) != CAIRN_OK)
		f->damaged = true;
	note_damage(f);
}

static void read_units(struct address_functions *f, struct cairn_range range)
{
	struct program_unit_list units;

	if (!f->reader || !f->was_read)
		return;
	(void)!program_find_indexed_units(f->program, range, &units);
	for (size_t i = 0; i < units.count; i++)
		read_unit(f, units.unit[i]);
}

void unit_functions_read(struct address_functions *f, const uint64_t *vas, size_t count)
{
	for (size_t i = 0; i < count; i++)
		read_units(f, range_of_byte(vas[i]));
	kept_functions_sort(&f->kept);
}

/* With lines, if a table has some for it. */
static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct address_functions *f = context;
	const struct function_sink sink = kept_functions_sink(&f->near);
	struct function with_rows = *function;

	if (f->reader)
		(void)!program_rows_at(f->reader, &with_rows);
	return sink.take(sink.context, &with_rows);
}

/*
 * The window of all addresses that no symbol is between is that of the first: whichever symbol holds another one holds it, too.
 */
static bool open_window(struct address_functions *f, uint64_t va, struct cairn_range *window)
{
	struct cairn_range gap;

	f->gap = (struct cairn_range){ 0, 0 };
	if (!address_window(&f->symbols, va, window, &gap))
		return false;
	return gap.low >= gap.high || address_window(&f->symbols, gap.low, window, &f->gap);
}

/* The functions that symbols around the address know, beside those that DWARF knows. */
static bool read_near_symbols(struct address_functions *f, uint64_t va)
{
	const struct function_sink sink = { take_symbol, f };
	struct code_symbols symbols = { .known = NULL };
	struct cairn_range window, *known = NULL;
	size_t room = 0;

	if (va - f->gap.low < f->gap.high - f->gap.low)
		return true;
	kept_functions_clear(&f->near);
	if (!open_window(f, va, &window))
		return false;
	read_units(f, window);
	kept_functions_sort(&f->kept);
	const struct aliases aliases = symbol_set_near(&f->symbols, window);
	bool ok = kept_functions_list(&f->kept, window, &known, &symbols.known_count, &room);
	symbols.aliases = &aliases;
	symbols.known = known;
	ok = ok && code_symbols_emit(&symbols, f->files.own, &sink) == CAIRN_OK;
	free(known);
	kept_functions_sort(&f->near);
	return ok;
}

/* Where the line of the code is known, and nothing else. */
static size_t find_line_alone(struct address_functions *f, uint64_t va,
                              struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	struct function one = { .start = va, .size = 1, .name = { (const uint8_t *)"", 0 } };
	const struct function_sink sink = kept_functions_sink(&f->near);

	kept_functions_clear(&f->near);
	f->gap = (struct cairn_range){ 0, 0 };
	if (!f->reader || program_rows_at(f->reader, &one) != CAIRN_OK || one.rows[0].file == 0 ||
	    sink.take(sink.context, &one) != CAIRN_OK)
		return 0;
	return kept_functions_locate(&f->near, f->near.function, va, locations);
}

/* Is the symbol nearer than the function of DWARF?  It begins later, or there and is smaller; at equal ranges DWARF is nearer. */
static bool is_nearer(const struct kept_function *symbol, const struct kept_function *dwarf)
{
	if (symbol->range.low != dwarf->range.low)
		return symbol->range.low > dwarf->range.low;
	return symbol->range.high < dwarf->range.high;
}

size_t unit_functions_find(struct address_functions *f, uint64_t va,
                           struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	const struct kept_function *found, *symbol;

	found = address_kept_at(f, &f->kept, va);
	if (found && address_is_held(&f->symbols, found->range, va, false))
		return kept_functions_locate(&f->kept, found, va, locations);
	symbol = read_near_symbols(f, va) ? address_kept_at(f, &f->near, va) : NULL;
	found = address_kept_at(f, &f->kept, va);
	if (symbol && (!found || is_nearer(symbol, found)))
		return kept_functions_locate(&f->near, symbol, va, locations);
	if (found)
		return kept_functions_locate(&f->kept, found, va, locations);
	return f->files.lines_alone ? find_line_alone(f, va, locations) : 0;
}

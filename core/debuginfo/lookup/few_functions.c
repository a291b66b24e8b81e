/* SPDX-License-Identifier: MIT */
/*
 * Functions around a few addresses.  Mostly it is enough to read those that hold one, and to see that no symbol knows the
 * address better.  Elsewhere there is a window for each address: from the symbol before it to the one after it, and as
 * far as symbols with a size reach that hold it.  All functions of DWARF that touch the window and the symbols in it
 * decide which functions are there, as those of the whole program would.
 */
#include "address_parts.h"

#include "base/range.h"
#include "debuginfo/functions/function_builder.h"
#include "debuginfo/program/code_symbols.h"

#include <stdlib.h>
#include <string.h>

/* For so many addresses the tables of symbols are gone over again and again; for more they are sorted. */
enum { PASSES_OVER_SYMBOLS = 32 };

/* How much is read. */
enum reach {
	/* functions that hold an address, by .debug_aranges where it knows them, not inside of types or other functions */
	REACH_OUTSIDE,
	REACH_HOLDING, /* these too */
	REACH_AROUND,  /* what is between the symbols around it, too */
	REACHES
};

struct gathering {
	struct address_functions *f;
	const uint64_t *vas;
	size_t count;
	struct cairn_range window[ADDRESS_FEW]; /* of each address */
	/* the same, ascending, and one of those that touch each other */
	struct cairn_range near[ADDRESS_FEW];
	size_t near_count;
	struct cairn_range
		pick[4 * ADDRESS_FEW]; /* where symbols are wanted: the windows, and more */
	size_t picks;
	struct function_sink sink;
	struct program_reader *reader;  /* NULL: none was needed yet */
	struct program_unit_list units; /* that it reads */
	size_t listed;                  /* addresses for which they were listed */
	bool by_name;                   /* .debug_aranges listed them */
};

static bool add_pick(struct gathering *g, struct cairn_range range)
{
	if (g->picks == sizeof(g->pick) / sizeof(*g->pick))
		return false;
	g->pick[g->picks++] = range;
	return true;
}

/* If only the address is asked for, no symbols are wanted before its function is known. */
static bool open_windows(struct gathering *g, enum reach reach)
{
	struct cairn_range gap;

	g->picks = 0;
	for (size_t i = 0; i < g->count; i++) {
		g->window[i] = range_of_byte(g->vas[i]);
		if (reach == REACH_AROUND &&
		    (!address_window(&g->f->symbols, g->vas[i], &g->window[i], &gap) ||
		     !add_pick(g, g->window[i])))
			return false;
	}
	memcpy(g->near, g->window, g->count * sizeof(*g->window));
	g->near_count = range_merge(g->near, g->count);
	return symbol_set_pick(&g->f->symbols, g->pick, g->picks);
}

/* Where a function begins, which may be before its window. */
static bool name_symbols(void *context, uint64_t va)
{
	struct gathering *g = context;

	for (size_t i = 0; i < g->picks; i++)
		if (va >= g->pick[i].low && va <= g->pick[i].high)
			return true;
	const struct cairn_range here = { va, va };
	return add_pick(g, here) && symbol_set_pick_more(&g->f->symbols, here);
}

static bool is_near(const struct gathering *g, const struct function *function)
{
	const struct cairn_range range = { function->start, function->start + function->size };

	return range_touches(range, g->near, g->near_count);
}

static enum cairn_status take_function(void *context, const struct function *function)
{
	struct gathering *g = context;

	return is_near(g, function) ? g->sink.take(g->sink.context, function) : CAIRN_OK;
}

static bool holds_address(const struct function *function, const struct gathering *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->vas[i] - function->start < function->size)
			return true;
	return false;
}

/* With lines, if a table has some for it, where it is asked for. */
static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct gathering *g = context;
	struct function with_rows = *function;
	enum cairn_status status = CAIRN_NOT_FOUND;

	if (!holds_address(function, g))
		return CAIRN_OK;
	if (g->reader)
		status = program_rows_at(g->reader, &with_rows);
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return status;
	return g->sink.take(g->sink.context, &with_rows);
}

/* Nothing was damaged, and nothing was missed. */
static bool is_reading_clean(const struct gathering *g)
{
	struct program_summary sum = { .units = 0 };

	program_add_summary(g->reader, &sum);
	return sum.broken == 0 && sum.no_split == 0 && sum.damage.fault.status == CAIRN_OK &&
	       !program_missed_units(g->f->program);
}

static bool read_units(struct gathering *g, enum reach reach)
{
	const struct function_builder_focus focus = { g->near, g->near_count,
		                                      reach == REACH_OUTSIDE, name_symbols, g };
	const struct function_sink sink = { take_function, g };
	enum cairn_status status = CAIRN_OK;

	program_focus(g->reader, &focus);
	for (size_t i = 0; status == CAIRN_OK && i < g->units.count; i++)
		status = program_read(g->reader, g->units.unit[i], &sink);
	program_focus(g->reader, NULL);
	return status == CAIRN_OK && is_reading_clean(g);
}

/* No reader may be there while units are listed.  `quick`: units are not looked at for it. */
static bool list_units(struct gathering *g, enum reach reach, bool quick)
{
	struct program *program = g->f->program;

	program_reader_free(g->reader);
	g->reader = NULL;
	g->listed = g->count;
	g->by_name = reach != REACH_AROUND &&
	             program_find_named_units(program, g->near, g->near_count, &g->units);
	if (!g->by_name &&
	    (quick || !program_find_units(program, g->near, g->near_count, &g->units)))
		return false;
	g->reader = program_reader_new(program);
	return g->reader != NULL;
}

/* The units that hold the same addresses are the same, however much of them is read; fewer addresses are in fewer. */
static bool read_dwarf(struct gathering *g, enum reach reach)
{
	const bool known = reach == REACH_HOLDING && g->reader;

	if (!g->f->program)
		return true;
	if (!(known && (!g->by_name || g->listed == g->count)) && !list_units(g, reach, known))
		return false;
	return read_units(g, reach);
}

static bool read_near_symbols(struct gathering *g)
{
	const struct function_sink sink = { take_symbol, g };
	struct code_symbols symbols = { .aliases = &g->f->symbols.aliases };
	struct cairn_range *known = NULL;
	size_t room = 0;
	bool ok = true;

	kept_functions_sort(&g->f->kept);
	for (size_t i = 0; ok && i < g->near_count; i++)
		ok = kept_functions_list(&g->f->kept, g->near[i], &known, &symbols.known_count,
		                         &room);
	symbols.known = known;
	ok = ok && code_symbols_emit(&symbols, g->f->files.own, &sink) == CAIRN_OK;
	free(known);
	return ok;
}

static bool is_answered(const struct gathering *g, uint64_t va, enum reach reach)
{
	const struct kept_function *found = address_kept_at(g->f, &g->f->kept, va);

	return reach == REACH_AROUND ||
	       (found && address_is_held(&g->f->symbols, found->range, va, reach == REACH_OUTSIDE));
}

/* Gives what is known, and goes on with the other addresses, for which an index may know a line. */
static size_t give_answers(struct gathering *g, struct few_addresses *asked, enum reach reach)
{
	size_t left = 0;

	kept_functions_sort(&g->f->kept);
	for (size_t i = 0; i < g->count; i++) {
		if (is_answered(g, g->vas[i], reach) &&
		    (few_functions_answer(g->f, g->vas[i], asked->index[i], asked->taker) ||
		     !g->f->files.lines_alone))
			continue;
		asked->va[left] = asked->va[i];
		asked->index[left++] = asked->index[i];
	}
	return left;
}

static bool read_reach(struct gathering *g, enum reach reach)
{
	kept_functions_clear(&g->f->kept);
	g->sink = kept_functions_sink(&g->f->kept);
	return open_windows(g, reach) && read_dwarf(g, reach) &&
	       (reach != REACH_AROUND || read_near_symbols(g));
}

void few_functions_find(struct address_functions *f, struct few_addresses *asked)
{
	/* its arrays are large, and are not read before they are filled */
	struct gathering *g = malloc(sizeof(*g));

	if (!g)
		return;
	g->f = f;
	g->vas = asked->va;
	g->reader = NULL;
	if (asked->count > PASSES_OVER_SYMBOLS && !f->symbols.reach)
		(void)symbol_set_sort(&f->symbols);
	for (unsigned reach = REACH_OUTSIDE; asked->count > 0 && reach < REACHES; reach++) {
		if (!f->program && reach != REACH_AROUND)
			continue; /* only symbols are there */
		g->count = asked->count;
		const bool good = read_reach(g, (enum reach)reach);
		f->passes++;
		if (good)
			asked->count = give_answers(g, asked, (enum reach)reach);
	}
	program_reader_free(g->reader);
	free(g);
}

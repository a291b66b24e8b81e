/* SPDX-License-Identifier: MIT */
/*
 * Functions of an ELF file around a few addresses. Mostly it is enough to read those that hold one, and to see that no
 * symbol knows the address better. Elsewhere there is a window for each address: from the symbol before it to the one
 * after it, and as far as symbols with a size reach that hold it. All functions of DWARF that touch the window and the
 * symbols in it decide which functions are there, as those of the whole program would.
 */
#include "elf_source.h"

#include "base/array_grow.h"
#include "base/range.h"
#include "debuginfo/functions/function_builder.h"
#include "debuginfo/program/code_symbols.h"

#include <ctype.h>
#include <stdlib.h>

struct gathering {
	struct function_source *origin;
	const uint64_t *vas;
	size_t count;
	struct cairn_range *window; /* for each address */
	struct cairn_range *pick;   /* where symbols are wanted: the windows, and more */
	size_t picks, pick_room;
	struct cairn_range *known; /* functions of DWARF */
	size_t knowns, known_room;
	const struct function_source_sinks *takers;
	struct function_sink sink;
	struct program_reader *reader; /* NULL: there is no DWARF */
	bool is_any_given;
};

static bool holds_address(struct cairn_range range, const struct gathering *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->vas[i] - range.low < range.high - range.low)
			return true;
	return false;
}

static struct cairn_range range_of(const struct function *function)
{
	return (struct cairn_range){ function->start, function->start + function->size };
}

/* The symbols around one address. */
struct surroundings {
	uint64_t va;
	struct cairn_range near;  /* from the one before it to the one after it */
	struct cairn_range sized; /* as far as those with a size that hold it reach */
	bool any;                 /* one begins there or before */
};

static bool look_around(void *context, const struct alias *symbol)
{
	struct surroundings *s = context;

	if (symbol->va > s->va) {
		s->near.high = symbol->va < s->near.high ? symbol->va : s->near.high;
		return true;
	}
	s->any = true;
	s->near.low = symbol->va > s->near.low ? symbol->va : s->near.low;
	if (s->va - symbol->va >= symbol->size || symbol->size > UINT64_MAX - symbol->va)
		return true;
	const uint64_t end = symbol->va + symbol->size;
	s->sized.low = symbol->va < s->sized.low ? symbol->va : s->sized.low;
	s->sized.high = end > s->sized.high ? end : s->sized.high;
	return true;
}

/* How far symbols decide what is at an address. */
static bool find_window(const struct symbol_tables *symbols, uint64_t va,
                        struct cairn_range *window)
{
	const struct cairn_range everywhere = { 0, UINT64_MAX };
	struct surroundings s = { .va = va, .near = everywhere, .sized = { va, va } };

	if (!symbol_tables_visit(symbols, everywhere, look_around, &s))
		return false;
	window->low = s.sized.low < s.near.low ? s.sized.low : s.near.low;
	window->high = s.sized.high > s.near.high ? s.sized.high : s.near.high;
	if (!s.any) /* the first symbol, so that there is one */
		*window = (struct cairn_range){ va, s.near.high + (s.near.high < UINT64_MAX) };
	return true;
}

static bool add_pick(struct gathering *g, struct cairn_range range)
{
	if (!array_grow(&g->pick, &g->pick_room, g->picks + 1, sizeof(range)))
		return false;
	g->pick[g->picks++] = range;
	return true;
}

static bool pick_symbols(struct gathering *g)
{
	struct elf_source *elf = g->origin->elf;

	aliases_finish(&elf->aliases);
	const bool ok = symbol_tables_pick(&elf->tables, g->pick, g->picks, &elf->aliases);
	aliases_sort(&elf->aliases);
	return ok;
}

/* If only the address is asked for, no symbols are wanted before its function is known. */
static bool open_windows(struct gathering *g, enum elf_source_reach reach)
{
	g->window = calloc(g->count, sizeof(*g->window));
	if (!g->window)
		return false;
	for (size_t i = 0; i < g->count; i++) {
		g->window[i] = (struct cairn_range){ g->vas[i], g->vas[i] + 1 };
		if (reach != ELF_SOURCE_AROUND)
			continue;
		if (!find_window(&g->origin->elf->tables, g->vas[i], &g->window[i]) ||
		    !add_pick(g, g->window[i]))
			return false;
	}
	return pick_symbols(g);
}

/* Where a function begins, which may be before its window. */
static bool name_symbols(void *context, uint64_t va)
{
	struct gathering *g = context;

	for (size_t i = 0; i < g->picks; i++)
		if (va >= g->pick[i].low && va <= g->pick[i].high)
			return true;
	return add_pick(g, (struct cairn_range){ va, va }) && pick_symbols(g);
}

static bool is_near(const struct gathering *g, const struct function *function)
{
	return range_touches(range_of(function), g->window, g->count);
}

static enum cairn_status give_function(struct gathering *g, const struct function *function)
{
	g->is_any_given = true;
	return g->sink.take(g->sink.context, function);
}

static enum cairn_status take_function(void *context, const struct function *function)
{
	struct gathering *g = context;

	if (!is_near(g, function))
		return CAIRN_OK;
	if (!array_grow(&g->known, &g->known_room, g->knowns + 1, sizeof(*g->known)))
		return CAIRN_NO_MEMORY;
	g->known[g->knowns++] = range_of(function);
	return give_function(g, function);
}

/* With lines, if a table has some for it, where it is asked for. */
static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct gathering *g = context;
	struct function with_rows = *function;
	enum cairn_status status = CAIRN_NOT_FOUND;

	if (!is_near(g, function))
		return CAIRN_OK;
	if (g->reader && holds_address(range_of(function), g))
		status = program_rows_at(g->reader, &with_rows);
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return status;
	return give_function(g, &with_rows);
}

/* If functions lie inside each other, a lookup takes the one that begins last.  An empty range: none holds it. */
static struct cairn_range find_holder(const struct gathering *g, uint64_t va)
{
	struct cairn_range best = { 0, 0 };

	for (size_t i = 0; i < g->knowns; i++) {
		const struct cairn_range *known = &g->known[i];
		if (va < known->low || va >= known->high)
			continue;
		if (best.high == 0 || known->low > best.low ||
		    (known->low == best.low && known->high < best.high))
			best = *known;
	}
	return best;
}

/* The symbols where a function begins. */
struct start {
	uint64_t va;
	struct cairn_bytes name; /* of the first, with all text from there on */
	size_t symbols;
};

/* `C1` and `C2`, or `D0`, `D1` and `D2`, of one class: one function under several names. */
static bool is_same_but_for_kind(struct cairn_bytes a, struct cairn_bytes b)
{
	enum { NAME_MAX_READ = 4096 };
	const size_t common = a.size < b.size ? a.size : b.size;
	unsigned others = 0;
	size_t i = 0;

	for (; i < common && i < NAME_MAX_READ && others < 2; i++) {
		if (a.data[i] == b.data[i] && a.data[i] == 0)
			return others == 1;
		if (a.data[i] == b.data[i])
			continue;
		others++;
		if (i == 0 || (a.data[i - 1] != 'C' && a.data[i - 1] != 'D') ||
		    !isdigit(a.data[i]) || !isdigit(b.data[i]))
			return false;
	}
	return false;
}

static bool look_at_start(void *context, const struct alias *symbol)
{
	struct start *start = context;

	if (symbol->va != start->va)
		return true;
	if (start->symbols++ == 0)
		start->name = symbol->name;
	else if (start->symbols > 3 || !is_same_but_for_kind(start->name, symbol->name))
		return false;
	return true;
}

struct holder {
	struct cairn_range found;
	uint64_t va;
	struct start start;
	bool alone; /* no other function may be where it begins */
};

/*
 * Can the symbol not begin a function of its own between the start of what was found and the address? Of two functions
 * that were laid out at one place the linker leaves the symbols of both.
 */
static bool leaves_holder(void *context, const struct alias *symbol)
{
	struct holder *h = context;

	if (h->alone && !look_at_start(&h->start, symbol))
		return false;
	return symbol->va > h->va || symbol->va < h->found.low ||
	       (symbol->va == h->found.low && symbol->size <= h->found.high - h->found.low);
}

static bool is_held(const struct gathering *g, uint64_t va, enum elf_source_reach reach)
{
	struct holder h = { .found = find_holder(g, va),
		            .va = va,
		            .alone = reach == ELF_SOURCE_OUTSIDE };

	h.start.va = h.found.low;
	return h.found.high != 0 &&
	       symbol_tables_visit(&g->origin->elf->tables, (struct cairn_range){ h.found.low, va },
	                           leaves_holder, &h) &&
	       (!h.alone || h.start.symbols > 0);
}

static bool is_all_held(const struct gathering *g, enum elf_source_reach reach)
{
	for (size_t i = 0; i < g->count; i++)
		if (!is_held(g, g->vas[i], reach))
			return false;
	return true;
}

/* Nothing was damaged, nothing was missed, and nothing was read in another way than by our own decoder. */
static bool is_reading_clean(const struct elf_source *elf, const struct program_reader *reader)
{
	struct program_summary sum = { .units = 0 };

	program_add_summary(reader, &sum);
	return sum.broken == 0 && sum.no_split == 0 && sum.by_libdw == 0 &&
	       sum.damage.fault.status == CAIRN_OK && !program_missed_units(elf->program);
}

static enum cairn_status read_units(struct gathering *g, enum elf_source_reach reach,
                                    const struct program_unit_list *units)
{
	struct elf_source *elf = g->origin->elf;
	const struct function_builder_focus focus = { g->window, g->count,
		                                      reach == ELF_SOURCE_OUTSIDE, name_symbols,
		                                      g };
	const struct function_sink sink = { take_function, g };
	enum cairn_status status = CAIRN_OK;

	elf->reader = calloc(1, sizeof(struct program_reader *));
	if (!elf->reader || !(elf->reader[0] = program_reader_new(elf->program)))
		return CAIRN_NOT_FOUND;
	elf->readers = 1;
	g->reader = elf->reader[0];
	program_focus(g->reader, &focus);
	for (size_t i = 0; status == CAIRN_OK && i < units->count; i++) {
		g->takers->unit(g->takers->context, 0, (uint32_t)units->unit[i]);
		status = program_read(g->reader, units->unit[i], &sink);
	}
	program_focus(g->reader, NULL);
	return status == CAIRN_OK && is_reading_clean(elf, g->reader) ? CAIRN_OK : CAIRN_NOT_FOUND;
}

static bool find_units(struct gathering *g, enum elf_source_reach reach,
                       struct program_unit_list *units)
{
	struct program *program = g->origin->elf->program;

	return (reach != ELF_SOURCE_AROUND &&
	        program_find_named_units(program, g->window, g->count, units)) ||
	       program_find_units(program, g->window, g->count, units);
}

static enum cairn_status read_dwarf(struct gathering *g, enum elf_source_reach reach)
{
	struct program_unit_list units;

	if (!g->origin->elf->program)
		return CAIRN_OK;
	return find_units(g, reach, &units) ? read_units(g, reach, &units) : CAIRN_NOT_FOUND;
}

/* Reads the functions of a Go program without DWARF; if it has DWARF, what is missing there is found by reading all. */
static enum cairn_status read_go(struct gathering *g)
{
	const struct elf_source *elf = g->origin->elf;
	const struct function_sink sink = { take_function, g };

	if (!elf->has_go || elf->program)
		return CAIRN_OK;
	g->takers->unit(g->takers->context, 0, ELF_SOURCE_GO_UNIT);
	return elf_go_read_at(g->origin, g->window, g->count, &sink);
}

static enum cairn_status read_near_symbols(struct gathering *g)
{
	struct elf_source *elf = g->origin->elf;
	struct code_symbols symbols = { .aliases = &elf->aliases,
		                        .known = g->known,
		                        .known_count = g->knowns,
		                        .folded = g->origin->options.folded };
	const struct function_sink sink = { take_symbol, g };

	g->takers->unit(g->takers->context, 0, ELF_SOURCE_SYMBOLS_UNIT);
	const enum cairn_status status = code_symbols_emit(&symbols, g->origin->file.bytes, &sink);
	return status == CAIRN_OK && g->is_any_given ? CAIRN_OK : CAIRN_NOT_FOUND;
}

static enum cairn_status gather_functions(struct gathering *g, enum elf_source_reach reach)
{
	const bool has_go = g->origin->elf->has_go;

	if (!open_windows(g, reach) || !g->takers->sink(g->takers->context, 0, &g->sink))
		return CAIRN_NOT_FOUND;
	enum cairn_status status = read_dwarf(g, reach);
	if (status == CAIRN_OK && reach != ELF_SOURCE_AROUND)
		status = read_go(g);
	if (status != CAIRN_OK || (reach != ELF_SOURCE_AROUND && is_all_held(g, reach)))
		return status;
	return reach == ELF_SOURCE_AROUND && !has_go ? read_near_symbols(g) : CAIRN_NOT_FOUND;
}

enum cairn_status elf_source_read_at(struct function_source *origin, enum elf_source_reach reach,
                                     const uint64_t *vas, size_t count,
                                     const struct function_source_sinks *takers)
{
	struct gathering g = { .origin = origin, .vas = vas, .count = count, .takers = takers };

	if (!elf_source_prepare_part(origin))
		return CAIRN_UNREADABLE; /* a message was printed */
	elf_source_free_readers(origin->elf);
	const enum cairn_status status = gather_functions(&g, reach);
	free(g.window);
	free(g.pick);
	free(g.known);
	return status;
}

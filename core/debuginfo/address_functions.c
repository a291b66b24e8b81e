/* SPDX-License-Identifier: MIT */
/*
 * Looks up addresses in DWARF and symbols. For the first few addresses, only the functions around
 * them are read. After that, an index of all units is built, all symbols are sorted, and each unit
 * is read completely, once.
 */
#include "address_functions.h"

#include "base/range.h"
#include "base/sort.h"
#include "code_symbols.h"
#include "debuginfo/string_store.h"
#include "debuginfo/symbol_table.h"
#include "debuginfo/unpack.h"
#include "function_builder.h"
#include "symbols/function_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * Code symbols of a program. At first each lookup scans the tables, which is fastest for a few
 * addresses. For many lookups, all symbols are sorted.
 */
struct symbol_set {
	struct symbol_tables tables;
	struct symbol_set_table {
		struct cairn_bytes file;
		enum aliases_table which;
	} table[SYMBOL_TABLES_MAX];
	size_t table_count;
	void *unpacked;
	/* sorted; either all symbols, or only the symbols near recent addresses */
	struct aliases aliases;
	/* reach[i] is the highest end of symbols 0 to i; NULL unless all symbols are loaded */
	uint64_t *reach;
};

/* Add a table. If it is damaged, the symbols before the damage are used. */
static void add_table(struct symbol_set *set, struct cairn_bytes file, enum aliases_table which)
{
	const size_t before = set->tables.count;
	struct cairn_fault fault;

	(void)!symbol_tables_add(&set->tables, file, which, &fault);
	if (set->tables.count > before)
		set->table[set->table_count++] = (struct symbol_set_table){ file, which };
}

/*
 * Open .symtab in the program or the debug file. Without .symtab, open .dynsym and .gnu_debugdata.
 * The files are borrowed. Returns false if allocation fails.
 */
static bool symbol_set_open(struct symbol_set *set, struct cairn_bytes own,
                            struct cairn_bytes debug)
{
	struct cairn_fault fault;
	size_t size;

	*set = (struct symbol_set){ .table_count = 0 };
	add_table(set, own, ALIASES_SYMTAB);
	if (set->tables.count == 0 && debug.data != own.data)
		add_table(set, debug, ALIASES_SYMTAB);
	if (set->tables.count > 0)
		return true;
	add_table(set, own, ALIASES_DYNSYM);
	const enum cairn_status status = minidebug_read(own, &set->unpacked, &size, &fault);
	if (status == CAIRN_OK)
		add_table(set, (struct cairn_bytes){ set->unpacked, size }, ALIASES_SYMTAB);
	return status != CAIRN_NO_MEMORY;
}

/*
 * Read all symbols into set->aliases and sort them. If allocation fails, return false and change
 * nothing.
 */
static bool symbol_set_sort(struct symbol_set *set)
{
	struct aliases all = { .entry = NULL };
	uint64_t highest = 0;
	enum cairn_status status = CAIRN_OK;
	struct cairn_fault fault;

	for (size_t i = 0; i < set->table_count && status != CAIRN_NO_MEMORY; i++)
		status = aliases_read(&all, set->table[i].file, set->table[i].which, &fault);
	uint64_t *reach = calloc(all.count + 1, sizeof(*reach));
	if (!reach || status == CAIRN_NO_MEMORY) {
		free(reach);
		aliases_finish(&all);
		return false;
	}
	aliases_sort(&all);
	for (size_t i = 0; i < all.count; i++) {
		const uint64_t va = all.entry[i].va, size = all.entry[i].size,
			       end = size <= UINT64_MAX - va ? va + size : UINT64_MAX;
		highest = end > highest ? end : highest;
		reach[i] = highest;
	}
	aliases_finish(&set->aliases);
	free(set->reach);
	set->aliases = all;
	set->reach = reach;
	return true;
}

static size_t find_end(const struct symbol_set *set, struct cairn_range range)
{
	return range.high == UINT64_MAX ? set->aliases.count
	                                : aliases_at(&set->aliases, range.high + 1);
}

/* Visit symbols like symbol_tables_visit(), but in any order. */
static bool symbol_set_visit(const struct symbol_set *set, struct cairn_range near,
                             bool (*visit)(void *context, const struct alias *symbol),
                             void *context)
{
	const struct alias *entry = set->aliases.entry;

	if (!set->reach)
		return symbol_tables_visit(&set->tables, near, visit, context);
	for (size_t i = find_end(set, near);
	     i > 0 && (entry[i - 1].va >= near.low || set->reach[i - 1] > near.low); i--)
		if (symbol_is_near(entry[i - 1].va, entry[i - 1].size, near) &&
		    !visit(context, &entry[i - 1]))
			return false;
	return true;
}

/*
 * Visit the symbols that contain `va`, and the symbols before and after it. May visit other symbols
 * as well.
 */
static bool symbol_set_look_around(const struct symbol_set *set, uint64_t va,
                                   bool (*visit)(void *context, const struct alias *symbol),
                                   void *context)
{
	const struct cairn_range everywhere = { 0, UINT64_MAX }, here = { va, va };

	if (!set->reach)
		return symbol_tables_visit(&set->tables, everywhere, visit, context);
	const size_t next = find_end(set, here);
	return (next == set->aliases.count || visit(context, &set->aliases.entry[next])) &&
	       (next == 0 || visit(context, &set->aliases.entry[next - 1])) &&
	       symbol_set_visit(set, here, visit, context);
}

/*
 * Replace set->aliases with the symbols near the ranges, unless all symbols are loaded. Returns the
 * result of symbol_tables_pick().
 */
static bool symbol_set_pick(struct symbol_set *set, const struct cairn_range *range, size_t count)
{
	if (set->reach)
		return true;
	aliases_finish(&set->aliases);
	const bool ok = symbol_tables_pick(&set->tables, range, count, &set->aliases);
	aliases_sort(&set->aliases);
	return ok;
}

static void drop_repeated(struct aliases *aliases)
{
	size_t kept = 0;

	for (size_t i = 0; i < aliases->count; i++) {
		const struct alias *symbol = &aliases->entry[i];
		const struct alias *last = kept > 0 ? &aliases->entry[kept - 1] : NULL;
		if (!last || last->va != symbol->va || last->name.data != symbol->name.data ||
		    last->size != symbol->size)
			aliases->entry[kept++] = *symbol;
	}
	aliases->count = kept;
}

static bool symbol_set_pick_more(struct symbol_set *set, struct cairn_range range)
{
	if (set->reach)
		return true;
	const bool ok = symbol_tables_pick(&set->tables, &range, 1, &set->aliases);
	aliases_sort(&set->aliases);
	drop_repeated(&set->aliases);
	return ok;
}

static struct aliases symbol_set_near(const struct symbol_set *set, struct cairn_range range)
{
	size_t first = 0, end = set->aliases.count;

	if (set->reach) {
		first = end = find_end(set, range);
		while (first > 0 && (set->aliases.entry[first - 1].va >= range.low ||
		                     set->reach[first - 1] > range.low))
			first--;
	}
	if (first == end)
		return (struct aliases){ .entry = NULL };
	return (struct aliases){ .entry = set->aliases.entry + first, .count = end - first };
}

struct address_functions {
	struct address_files files;
	struct symbol_set symbols;
	struct program *program;
	bool is_open, damaged;
	const char *flaw;
	unsigned passes;
	size_t few_asked; /* number of addresses looked up without an index */
	struct budget_pool pool;
	struct budget budget;
	struct string_store texts; /* strings in results, which outlive the readers */
	/*
	 * functions from the last partial read of units or, with an index, from all units read so
	 * far
	 */
	struct function_table kept;

	/* the fields below are used once all units are listed */
	bool is_indexed;
	struct program_reader *reader;
	bool *was_read;
	size_t reads;
	/*
	 * sorted addresses of the current call; details are kept only for functions that contain
	 * such an address, or for all functions if the count is 0
	 */
	const uint64_t *asked;
	size_t asked_count;
	struct function_table near; /* functions created from the symbols around the last address */
	/*
	 * possibly empty gap between two symbols; `near` contains all functions for the addresses
	 * in it
	 */
	struct cairn_range gap;
};

/*
 * Limits for reading only parts of units. Beyond these limits, building an index and reading whole
 * units is faster.
 */
enum {
	ADDRESS_FEW = 2048, /* maximum number of addresses per call */
	/* build the index once earlier calls have looked up this many addresses */
	ADDRESS_SEVERAL = 256,
	ADDRESS_PASSES = 8, /* maximum number of times that units are read partially */
};

struct few_addresses {
	uint64_t va[ADDRESS_FEW];
	size_t index[ADDRESS_FEW];
	size_t count;
	const struct cairn_symbol_taker *sink;
};

struct surroundings {
	uint64_t va;
	/*
	 * range from the start of the last symbol at or before `va` to the start of the next
	 * symbol
	 */
	struct cairn_range near;
	/* smallest range that covers all sized symbols that contain `va`; may be empty */
	struct cairn_range sized;
	bool any;
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

/*
 * Set *window to a range around `va` whose symbols suffice to determine its function, and *gap to
 * the range between the previous and the next symbol, or to an empty range if no symbol precedes
 * `va`. Returns false if a table is damaged.
 */
static bool address_window(const struct symbol_set *symbols, uint64_t va,
                           struct cairn_range *window, struct cairn_range *gap)
{
	struct surroundings s = { .va = va, .near = { 0, UINT64_MAX }, .sized = { va, va } };

	if (!symbol_set_look_around(symbols, va, look_around, &s))
		return false;
	*gap = s.any ? s.near : (struct cairn_range){ 0, 0 };
	window->low = s.sized.low < s.near.low ? s.sized.low : s.near.low;
	window->high = s.sized.high > s.near.high ? s.sized.high : s.near.high;
	if (!s.any)
		*window = (struct cairn_range){ va, s.near.high + (s.near.high < UINT64_MAX) };
	return true;
}

struct start {
	uint64_t va;
	/* name of the first symbol found; may extend past its NUL */
	struct cairn_bytes name;
	size_t symbols;
};

/*
 * Return true if the names differ only in the kind of constructor (`C1`, `C2`) or destructor (`D0`,
 * `D1`, `D2`). They are then names of one function.
 */
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
	return a.size == b.size && i == common && others == 1;
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
	bool alone; /* require that no other function begins at the same address */
};

/*
 * Return true unless the symbol begins a different function between the start of the found function
 * and the address. A different function may begin there if the linker folded two functions, because
 * the symbols of both remain.
 */
static bool leaves_holder(void *context, const struct alias *symbol)
{
	struct holder *h = context;

	if (h->alone && !look_at_start(&h->start, symbol))
		return false;
	return symbol->va > h->va || symbol->va < h->found.low ||
	       (symbol->va == h->found.low && symbol->size <= h->found.high - h->found.low);
}

/*
 * Return true if no symbol fits the address better than the found function. `alone` also requires
 * that no other function has been folded into it.
 */
static bool address_is_held(const struct symbol_set *symbols, struct cairn_range found, uint64_t va,
                            bool alone)
{
	struct holder h = { .found = found, .va = va, .alone = alone };

	h.start.va = found.low;
	return found.high != 0 &&
	       symbol_set_visit(symbols, (struct cairn_range){ found.low, va }, leaves_holder,
	                        &h) &&
	       (!alone || h.start.symbols > 0);
}

/* Copy a string so that it outlives its reader. Returns an empty string if allocation fails. */
static struct cairn_bytes keep_text(struct address_functions *f, struct cairn_bytes text)
{
	struct cairn_bytes kept;

	return string_store_add(&f->texts, &text, 1, &kept)
	               ? kept
	               : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

static void address_give(const struct cairn_location *locations, size_t count, size_t index,
                         const struct cairn_symbol_taker *sink)
{
	const struct cairn_symbol_found found = { .locations = locations,
		                                  .count = count,
		                                  .all = count };

	if (count > 0)
		sink->take(sink->context, index, &found);
}

static int compare_symbol_names(const void *aliases, uint64_t va, struct cairn_bytes a,
                                struct cairn_bytes b)
{
	return aliases_compare(aliases, va, a, b);
}

static const struct table_function *address_kept_at(const struct address_functions *f,
                                                    const struct function_table *kept, uint64_t va)
{
	const struct function_order order = { compare_symbol_names, &f->symbols.aliases };

	return function_table_at(kept, va, &order);
}

/*
 * Lookups of a few addresses. Usually it suffices to read the functions that contain an address,
 * and to check that no symbol fits better. Otherwise each address gets a window from the symbol
 * before the address to the symbol after it, extended by the sized symbols that contain the
 * address. The DWARF functions that overlap the window and the symbols in the window then give the
 * same result as the whole program would.
 */

/* Maximum number of addresses for which symbol tables are scanned instead of sorted. */
enum { PASSES_OVER_SYMBOLS = 32 };

enum reach {
	/*
	 * functions that contain an address, except those inside types or other functions; uses
	 * .debug_aranges if possible
	 */
	REACH_OUTSIDE,
	REACH_HOLDING,
	REACH_AROUND, /* all functions between the symbols around an address */
	REACHES
};

struct gathering {
	struct address_functions *f;
	const uint64_t *vas;
	size_t count;
	struct cairn_range window[ADDRESS_FEW];
	struct cairn_range near[ADDRESS_FEW];
	size_t near_count;
	/* ranges whose symbols are loaded; they cover the windows */
	struct cairn_range pick[4 * ADDRESS_FEW];
	size_t picks;
	struct function_sink sink;
	struct program_reader *reader;
	struct program_unit_list units;
	size_t listed; /* number of addresses for which `units` was created */
	bool by_name;  /* `units` was created from .debug_aranges */
};

static bool add_pick(struct gathering *g, struct cairn_range range)
{
	if (g->picks == sizeof(g->pick) / sizeof(*g->pick))
		return false;
	g->pick[g->picks++] = range;
	return true;
}

/*
 * Compute the windows. Only REACH_AROUND needs them now; otherwise symbols are not needed until a
 * function is found.
 */
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

/* Load the symbols at the start of a function, which may be outside its window. */
static bool name_symbols(void *context, uint64_t va)
{
	struct gathering *g = context;

	for (size_t i = 0; i < g->picks; i++)
		if (va >= g->pick[i].low && va <= g->pick[i].high)
			return true;
	const struct cairn_range here = { va, va };
	return add_pick(g, here) && symbol_set_pick_more(&g->f->symbols, here);
}

static enum cairn_status take_function(void *context, const struct function *function)
{
	struct gathering *g = context;

	const struct cairn_range range = { function->start, function->start + function->size };

	return range_touches(range, g->near, g->near_count)
	               ? g->sink.take(g->sink.context, function)
	               : CAIRN_OK;
}

static bool holds_address(const struct function *function, const struct gathering *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->vas[i] - function->start < function->size)
			return true;
	return false;
}

static enum cairn_status take_symbol_in_window(void *context, const struct function *function)
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

static bool read_listed_units(struct gathering *g, enum reach reach)
{
	const struct function_builder_focus focus = { g->near, g->near_count,
		                                      reach == REACH_OUTSIDE, name_symbols, g };
	const struct function_sink sink = { take_function, g };
	enum cairn_status status = CAIRN_OK;

	program_focus(g->reader, &focus);
	for (size_t i = 0; status == CAIRN_OK && i < g->units.count; i++)
		status = program_read(g->reader, g->units.unit[i], &sink);
	program_focus(g->reader, NULL);
	/* fail if a unit is damaged or was missed, because functions may then be missing */
	struct program_summary sum = { .units = 0 };
	program_add_summary(g->reader, &sum);
	return status == CAIRN_OK && sum.broken == 0 && sum.no_split == 0 &&
	       sum.damage.fault.status == CAIRN_OK && !program_missed_units(g->f->program);
}

/*
 * List the units to read, and create a reader for them. Returns false on failure or, with `quick`,
 * if all units would have to be examined.
 */
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

/*
 * Read the units on the list. REACH_HOLDING reuses the unit list of the previous pass unless that
 * list was created from .debug_aranges for other addresses.
 */
static bool read_dwarf(struct gathering *g, enum reach reach)
{
	const bool known = reach == REACH_HOLDING && g->reader;

	if (!g->f->program)
		return true;
	if (!(known && (!g->by_name || g->listed == g->count)) && !list_units(g, reach, known))
		return false;
	return read_listed_units(g, reach);
}

static bool read_window_symbols(struct gathering *g)
{
	const struct function_sink sink = { take_symbol_in_window, g };
	struct code_symbols symbols = { .aliases = &g->f->symbols.aliases };
	struct cairn_range *known = NULL;
	size_t capacity = 0;
	bool ok = true;

	function_table_sort(&g->f->kept);
	for (size_t i = 0; ok && i < g->near_count; i++)
		ok = function_table_list(&g->f->kept, g->near[i], &known, &symbols.known_count,
		                         &capacity);
	symbols.known = known;
	ok = ok && code_symbols_emit(&symbols, g->f->files.own, &sink) == CAIRN_OK;
	free(known);
	return ok;
}

/*
 * Pass the results found so far to the callback, and return the number of addresses left. With
 * lines_alone, addresses without a function are also left, because the index may find their line.
 */
static size_t give_answers(struct gathering *g, struct few_addresses *asked, enum reach reach)
{
	struct cairn_location locations[KEPT_LOCATIONS_MAX];
	struct address_functions *f = g->f;
	size_t left = 0;

	function_table_sort(&f->kept);
	for (size_t i = 0; i < g->count; i++) {
		const uint64_t va = g->vas[i];
		const struct table_function *found = address_kept_at(f, &f->kept, va);
		if (reach == REACH_AROUND ||
		    (found &&
		     address_is_held(&f->symbols, found->range, va, reach == REACH_OUTSIDE))) {
			const size_t count =
				found ? function_table_locate(&f->kept, found, va, locations) : 0;
			for (size_t k = 0; k < count; k++) {
				locations[k].function = keep_text(f, locations[k].function);
				locations[k].directory = keep_text(f, locations[k].directory);
				locations[k].file = keep_text(f, locations[k].file);
			}
			address_give(locations, count, asked->index[i], asked->sink);
			if (count > 0 || !f->files.lines_alone)
				continue;
		}
		asked->va[left] = va;
		asked->index[left++] = asked->index[i];
	}
	return left;
}

static void few_functions_find(struct address_functions *f, struct few_addresses *asked)
{
	/* not initialized because the arrays are large */
	struct gathering *g = malloc(sizeof(*g));

	if (!g)
		return;
	g->f = f;
	g->vas = asked->va;
	g->sink = function_table_sink(&f->kept);
	g->reader = NULL;
	if (asked->count > PASSES_OVER_SYMBOLS && !f->symbols.reach)
		(void)symbol_set_sort(&f->symbols);
	for (unsigned reach = REACH_OUTSIDE; asked->count > 0 && reach < REACHES; reach++) {
		if (!f->program && reach != REACH_AROUND)
			continue;
		g->count = asked->count;
		function_table_clear(&f->kept);
		const bool good = open_windows(g, (enum reach)reach) &&
		                  read_dwarf(g, (enum reach)reach) &&
		                  (reach != REACH_AROUND || read_window_symbols(g));
		f->passes++;
		if (good)
			asked->count = give_answers(g, asked, (enum reach)reach);
	}
	program_reader_free(g->reader);
	free(g);
}

static bool unit_functions_open(struct address_functions *f)
{
	function_table_clear(&f->kept);
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

/* once units have been read this often on average, keep details even if addresses ascend */
enum { READS_MAX = 2 };

static bool are_sorted(const uint64_t *vas, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (vas[i] < vas[i - 1])
			return false;
	return true;
}

/*
 * Prepare for the addresses of a call. If the host promised ascending addresses, discard the
 * units that earlier calls read, and keep details only of functions that contain one of these
 * addresses.
 */
static void unit_functions_begin(struct address_functions *f, const uint64_t *vas, size_t count)
{
	const size_t units = f->program ? program_units(f->program) : 0;

	if (!f->files.in_order || !f->was_read)
		return;
	if (f->asked_count > 0) {
		function_table_clear(&f->kept);
		memset(f->was_read, 0, units * sizeof(*f->was_read));
	}
	f->asked = vas;
	f->asked_count = f->reads < READS_MAX * units && are_sorted(vas, count) ? count : 0;
}

/* Store a function, but its details only if it contains a requested address. */
static enum cairn_status take_asked(void *context, const struct function *function)
{
	struct address_functions *f = context;
	const struct function_sink sink = function_table_sink(&f->kept);
	struct bisection search = bisect_begin(f->asked_count);
	struct function bare = *function;

	while (search.low < search.high)
		bisect_narrow(&search, f->asked[search.middle] < function->start);
	if (search.low < f->asked_count && f->asked[search.low] - function->start < function->size)
		return sink.take(sink.context, function);
	bare.row_count = bare.inline_count = bare.call_count = 0;
	return sink.take(sink.context, &bare);
}

static void read_unit(struct address_functions *f, size_t unit)
{
	struct program_summary sum = { .units = 0 };
	const struct function_sink sink = f->asked_count > 0
	                                          ? (struct function_sink){ take_asked, f }
	                                          : function_table_sink(&f->kept);

	if (f->was_read[unit] || f->flaw)
		return;
	f->was_read[unit] = true;
	f->reads++;
	if (program_read(f->reader, unit, &sink) != CAIRN_OK)
		f->damaged = true;
	program_add_summary(f->reader, &sum);
	f->damaged |= sum.broken > 0 || sum.no_split > 0 || sum.damage.fault.status != CAIRN_OK;
	if (sum.exhausted)
		f->flaw = sum.damage.fault.what;
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

static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct address_functions *f = context;
	const struct function_sink sink = function_table_sink(&f->near);
	struct function with_rows = *function;

	if (f->reader)
		(void)!program_rows_at(f->reader, &with_rows);
	return sink.take(sink.context, &with_rows);
}

static bool read_near_symbols(struct address_functions *f, uint64_t va)
{
	const struct function_sink sink = { take_symbol, f };
	struct code_symbols symbols = { .known = NULL };
	struct cairn_range window, gap, *known = NULL;
	size_t capacity = 0;

	if (va - f->gap.low < f->gap.high - f->gap.low)
		return true;
	function_table_clear(&f->near);
	/*
	 * all addresses in a gap have the same window, because a symbol that contains one address
	 * in the gap contains the whole gap
	 */
	f->gap = (struct cairn_range){ 0, 0 };
	if (!address_window(&f->symbols, va, &window, &gap) ||
	    (gap.low < gap.high && !address_window(&f->symbols, gap.low, &window, &f->gap)))
		return false;
	read_units(f, window);
	function_table_sort(&f->kept);
	const struct aliases aliases = symbol_set_near(&f->symbols, window);
	bool ok = function_table_list(&f->kept, window, &known, &symbols.known_count, &capacity);
	symbols.aliases = &aliases;
	symbols.known = known;
	ok = ok && code_symbols_emit(&symbols, f->files.own, &sink) == CAIRN_OK;
	free(known);
	function_table_sort(&f->near);
	return ok;
}

static size_t find_line_alone(struct address_functions *f, uint64_t va,
                              struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	struct function one = { .start = va, .size = 1, .name = { (const uint8_t *)"", 0 } };
	const struct function_sink sink = function_table_sink(&f->near);

	function_table_clear(&f->near);
	f->gap = (struct cairn_range){ 0, 0 };
	if (!f->reader || program_rows_at(f->reader, &one) != CAIRN_OK || one.rows[0].file == 0 ||
	    sink.take(sink.context, &one) != CAIRN_OK)
		return 0;
	return function_table_locate(&f->near, f->near.function, va, locations);
}

/*
 * Look up an address whose units have been read, and return the number of locations. They are valid
 * until the next call.
 */
static size_t unit_functions_find(struct address_functions *f, uint64_t va,
                                  struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	const struct table_function *found, *symbol;

	found = address_kept_at(f, &f->kept, va);
	if (found && address_is_held(&f->symbols, found->range, va, false))
		return function_table_locate(&f->kept, found, va, locations);
	symbol = read_near_symbols(f, va) ? address_kept_at(f, &f->near, va) : NULL;
	found = address_kept_at(f, &f->kept, va);
	/* prefer the function that begins last, then the smaller one, then the DWARF function */
	if (symbol &&
	    (!found || symbol->range.low > found->range.low ||
	     (symbol->range.low == found->range.low && symbol->range.high < found->range.high)))
		return function_table_locate(&f->near, symbol, va, locations);
	if (found)
		return function_table_locate(&f->kept, found, va, locations);
	return f->files.lines_alone ? find_line_alone(f, va, locations) : 0;
}

static bool grow_counted(void *budget, void *array, size_t *capacity, size_t need, size_t size)
{
	return budget_grow(budget, array, capacity, need, size);
}

struct address_functions *address_functions_open(const struct address_files *files)
{
	struct address_functions *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->files = *files;
	budget_pool_open(&f->pool);
	f->budget.pool = &f->pool;
	/* names in other styles differ from symbol names, so they cannot be ranked among them */
	f->kept.last_counts = f->near.last_counts = files->names >= CAIRN_NAMES_SHORT;
	f->texts.budget = &f->budget;
	f->kept.grow = f->near.grow = grow_counted;
	f->kept.context = f->near.context = &f->budget;
	if (budget_credit(&f->pool, files->debug) && budget_credit(&f->pool, files->own))
		return f;
	address_functions_close(f);
	return NULL;
}

void address_functions_close(struct address_functions *f)
{
	if (!f)
		return;
	program_reader_free(f->reader);
	free(f->was_read);
	function_table_close(&f->near);
	function_table_close(&f->kept);
	string_store_finish(&f->texts);
	program_close(f->program);
	aliases_finish(&f->symbols.aliases);
	free(f->symbols.reach);
	free(f->symbols.unpacked);
	budget_pool_close(&f->pool);
	free(f);
}

static void open_files(struct address_functions *f)
{
	const struct program_input input = { .debug = f->files.debug,
		                             .alt = f->files.alt,
		                             .split = f->files.split,
		                             .aliases = &f->symbols.aliases,
		                             .columns = true,
		                             .mapped = f->files.mapped,
		                             .names = f->files.names,
		                             .relative = f->files.relative,
		                             .unlisted = true };
	struct program_damage damage;

	f->is_open = true;
	f->damaged |= !symbol_set_open(&f->symbols, f->files.own, f->files.debug);
	const enum cairn_status status = program_open(&input, &f->program, &damage);
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		f->damaged = true;
	if (status == CAIRN_MALFORMED && damage.fault.what)
		f->flaw = damage.fault.what;
}

static void find_indexed(struct address_functions *f, const uint64_t *vas, const size_t *index,
                         size_t count, const struct cairn_symbol_taker *sink)
{
	struct cairn_location locations[KEPT_LOCATIONS_MAX];

	if (count == 0 || (!f->is_indexed && !unit_functions_open(f)))
		return;
	unit_functions_begin(f, vas, count);
	for (size_t i = 0; i < count; i++)
		read_units(f, range_of_byte(vas[i]));
	function_table_sort(&f->kept);
	for (size_t i = 0; i < count; i++)
		address_give(locations, unit_functions_find(f, vas[i], locations),
		             index ? index[i] : i, sink);
}

void address_functions_find(struct address_functions *f, const uint64_t *vas, size_t count,
                            const struct cairn_symbol_taker *sink)
{
	/* not initialized because the arrays are large */
	struct few_addresses few;

	few.sink = sink;
	if (!f->is_open)
		open_files(f);
	if (f->is_indexed || count > ADDRESS_FEW || f->few_asked >= ADDRESS_SEVERAL ||
	    f->passes >= ADDRESS_PASSES) {
		find_indexed(f, vas, NULL, count, sink);
		return;
	}
	f->few_asked += count;
	for (few.count = 0; few.count < count; few.count++) {
		few.va[few.count] = vas[few.count];
		few.index[few.count] = few.count;
	}
	few_functions_find(f, &few);
	find_indexed(f, few.va, few.index, few.count, sink);
}

const char *address_functions_flaw(const struct address_functions *f)
{
	return f->flaw;
}

bool address_functions_damaged(const struct address_functions *f)
{
	return f->damaged;
}

uint64_t address_functions_memory(const struct address_functions *f)
{
	const struct symbol_set *set = &f->symbols;

	return set->aliases.capacity * sizeof(*set->aliases.entry) +
	       (set->reach ? set->aliases.count * sizeof(*set->reach) : 0) +
	       budget_drawn(&f->pool, BUDGET_MEMORY) +
	       (f->program ? program_memory(f->program) : 0);
}

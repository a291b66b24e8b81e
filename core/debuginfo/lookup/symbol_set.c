/* SPDX-License-Identifier: MIT */
/* Chooses the symbol tables of a program, and searches them as they are or sorted. */
#include "symbol_set.h"

#include "debuginfo/elf/minidebug.h"

#include <stdlib.h>

/* A table with damage has the symbols before it. */
static void add_table(struct symbol_set *set, struct cairn_bytes file, enum aliases_table which)
{
	const size_t before = set->tables.count;
	struct cairn_fault fault;

	(void)!symbol_tables_add(&set->tables, file, which, &fault);
	if (set->tables.count > before)
		set->table[set->table_count++] = (struct symbol_set_table){ file, which };
}

bool symbol_set_open(struct symbol_set *set, struct cairn_bytes own, struct cairn_bytes debug)
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

void symbol_set_close(struct symbol_set *set)
{
	aliases_finish(&set->aliases);
	free(set->reach);
	free(set->unpacked);
	*set = (struct symbol_set){ .table_count = 0 };
}

static void fill_reach(const struct aliases *all, uint64_t *reach)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < all->count; i++) {
		const uint64_t va = all->entry[i].va, size = all->entry[i].size,
			       end = size <= UINT64_MAX - va ? va + size : UINT64_MAX;
		highest = end > highest ? end : highest;
		reach[i] = highest;
	}
}

bool symbol_set_sort(struct symbol_set *set)
{
	struct aliases all = { .entry = NULL };
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
	fill_reach(&all, reach);
	aliases_finish(&set->aliases);
	free(set->reach);
	set->aliases = all;
	set->reach = reach;
	return true;
}

/* Past the last symbol that begins in the range. */
static size_t find_end(const struct symbol_set *set, struct cairn_range range)
{
	return range.high == UINT64_MAX ? set->aliases.count
	                                : aliases_at(&set->aliases, range.high + 1);
}

bool symbol_set_visit(const struct symbol_set *set, struct cairn_range near,
                      bool (*visit)(void *context, const struct alias *symbol), void *context)
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

bool symbol_set_look_around(const struct symbol_set *set, uint64_t va,
                            bool (*visit)(void *context, const struct alias *symbol), void *context)
{
	const struct cairn_range everywhere = { 0, UINT64_MAX }, here = { va, va };

	if (!set->reach)
		return symbol_tables_visit(&set->tables, everywhere, visit, context);
	const size_t next = find_end(set, here);
	return (next == set->aliases.count || visit(context, &set->aliases.entry[next])) &&
	       (next == 0 || visit(context, &set->aliases.entry[next - 1])) &&
	       symbol_set_visit(set, here, visit, context);
}

bool symbol_set_pick(struct symbol_set *set, const struct cairn_range *range, size_t count)
{
	if (set->reach)
		return true;
	aliases_finish(&set->aliases);
	const bool ok = symbol_tables_pick(&set->tables, range, count, &set->aliases);
	aliases_sort(&set->aliases);
	return ok;
}

/* Forgets the second of two entries for one symbol, which is near several of the places that were asked for. */
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

bool symbol_set_pick_more(struct symbol_set *set, struct cairn_range range)
{
	if (set->reach)
		return true;
	const bool ok = symbol_tables_pick(&set->tables, &range, 1, &set->aliases);
	aliases_sort(&set->aliases);
	drop_repeated(&set->aliases);
	return ok;
}

struct aliases symbol_set_near(const struct symbol_set *set, struct cairn_range range)
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

uint64_t symbol_set_memory(const struct symbol_set *set)
{
	return set->aliases.room * sizeof(*set->aliases.entry) +
	       (set->reach ? set->aliases.count * sizeof(*set->reach) : 0);
}

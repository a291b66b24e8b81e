/* SPDX-License-Identifier: MIT */
/* The symbols around a few addresses, read from the tables of a program for each question. */
#include "symbol_table.h"

#include "base/invariant.h"
#include "base/range.h"

#include <string.h>

static const struct cairn_range everywhere = { 0, UINT64_MAX };

enum cairn_status symbol_tables_add(struct symbol_tables *tables, struct cairn_bytes file,
                                    enum aliases_table which, struct cairn_fault *fault)
{
	INVARIANT(tables->count < SYMBOL_TABLES_MAX);
	struct symbol_table *table = &tables->table[tables->count];
	enum cairn_status status = symbol_table_open(table, file, which, fault);
	struct alias symbol;

	if (status != CAIRN_OK)
		return status;
	struct symbol_table look = *table;
	tables->count += symbol_table_next(&look, everywhere, &symbol) || look.exhausted;
	return CAIRN_OK;
}

bool symbol_tables_visit(const struct symbol_tables *tables, struct cairn_range near,
                         bool (*visit)(void *context, const struct alias *symbol), void *context)
{
	struct alias symbol;

	for (size_t i = 0; i < tables->count; i++) {
		struct symbol_table table = tables->table[i];
		while (symbol_table_next(&table, near, &symbol))
			if (!visit(context, &symbol))
				return false;
		if (table.exhausted)
			return false;
	}
	return true;
}

struct picking {
	struct symbol_table *table;
	const struct cairn_range *range;
	size_t count;
	struct aliases *picked;
};

static bool is_picked(const struct picking *p, const struct alias *symbol)
{
	for (size_t i = 0; i < p->count; i++)
		if (symbol_is_near(symbol->va, symbol->size, p->range[i]))
			return true;
	return false;
}

/* With its name, which is all text from there on before. */
static bool pick_symbol(const struct picking *p, struct alias symbol)
{
	uint64_t *left = &p->table->names_left;
	const bool enough = symbol.name.size <= *left;
	const uint8_t *nul = memchr(symbol.name.data, 0, enough ? symbol.name.size : (size_t)*left);

	if (!nul)
		return enough;
	symbol.name.size = (size_t)(nul - symbol.name.data);
	*left -= symbol.name.size;
	return aliases_add(p->picked, symbol);
}

static bool pick_of_table(const struct picking *p, struct cairn_range hull)
{
	struct symbol_table table = *p->table;
	struct alias symbol;

	while (symbol_table_next(&table, hull, &symbol))
		if (is_picked(p, &symbol) && !pick_symbol(p, symbol))
			return false;
	return !table.exhausted;
}

bool symbol_tables_pick(struct symbol_tables *tables, const struct cairn_range *range, size_t count,
                        struct aliases *picked)
{
	const struct cairn_range hull = range_hull(range, count);
	bool ok = true;

	for (size_t i = 0; ok && count > 0 && i < tables->count; i++)
		ok = pick_of_table(&(struct picking){ &tables->table[i], range, count, picked },
		                   hull);
	return ok;
}

/* SPDX-License-Identifier: MIT */
/* Opens the symbols and the DWARF of a program at the first question, and chooses how a question is answered. */
#include "address_parts.h"

#include <stdlib.h>

static bool grow_counted(void *budget, void *array, size_t *room, size_t need, size_t size)
{
	return budget_grow(budget, array, room, need, size);
}

struct address_functions *address_functions_open(const struct address_files *files)
{
	struct address_functions *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->files = *files;
	budget_pool_open(&f->pool);
	f->budget.pool = &f->pool;
	/* names that are not those of symbols have no order */
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
	unit_functions_close(f);
	kept_functions_close(&f->kept);
	string_store_finish(&f->texts);
	program_close(f->program);
	symbol_set_close(&f->symbols);
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

/* Answers what can be without an index, and leaves the others in the list. */
static void find_few(struct address_functions *f, const uint64_t *vas, size_t count,
                     struct few_addresses *few)
{
	for (size_t i = 0; i < count; i++) {
		few->va[i] = vas[i];
		few->index[i] = i;
	}
	few->count = count;
	few_functions_find(f, few);
}

static void find_indexed(struct address_functions *f, const uint64_t *vas, const size_t *index,
                         size_t count, const struct cairn_symbol_taker *taker)
{
	struct cairn_location locations[KEPT_LOCATIONS_MAX];

	if (count == 0 || (!f->is_indexed && !unit_functions_open(f)))
		return;
	unit_functions_begin(f, vas, count);
	unit_functions_read(f, vas, count);
	for (size_t i = 0; i < count; i++)
		address_give(locations, unit_functions_find(f, vas[i], locations),
		             index ? index[i] : i, taker);
}

void address_functions_find(struct address_functions *f, const uint64_t *vas, size_t count,
                            const struct cairn_symbol_taker *taker)
{
	struct few_addresses
		few; /* its arrays are large, and are not read before they are filled */

	few.taker = taker;
	if (!f->is_open)
		open_files(f);
	if (f->is_indexed || count > ADDRESS_FEW || f->few_asked >= ADDRESS_SEVERAL ||
	    f->passes >= ADDRESS_PASSES) {
		find_indexed(f, vas, NULL, count, taker);
		return;
	}
	f->few_asked += count;
	find_few(f, vas, count, &few);
	find_indexed(f, few.va, few.index, few.count, taker);
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
	return symbol_set_memory(&f->symbols) + budget_drawn(&f->pool, BUDGET_MEMORY) +
	       (f->program ? program_memory(f->program) : 0);
}

/* SPDX-License-Identifier: MIT */
/* Sorts symbols by address, and ranks symbols at the same address. */
#include "aliases.h"
#include "symbol_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/sort.h"

#include <string.h>

enum { LOCAL = 0 };

bool aliases_add(struct aliases *aliases, struct alias alias)
{
	const uint8_t *version =
		alias.name.size > 0 ? memchr(alias.name.data + 1, '@', alias.name.size - 1) : NULL;

	if (version)
		alias.name.size = (size_t)(version - alias.name.data);
	return ARRAY_APPEND(aliases->entry, aliases->count, aliases->room, alias);
}

void aliases_finish(struct aliases *aliases)
{
	free(aliases->entry);
	*aliases = (struct aliases){ .entry = NULL };
}

/* Return the class that outranks the spelling; 0 is best. */
static unsigned classify_alias(const struct alias *alias)
{
	return (alias->binding == LOCAL ? 2u : 0u) + (alias->size == 0 ? 1u : 0u);
}

static int compare_alias_preference(const struct alias *a, const struct alias *b)
{
	if (classify_alias(a) != classify_alias(b))
		return classify_alias(a) < classify_alias(b) ? -1 : 1;
	return name_order_compare(a->name, b->name);
}

static int compare_aliases_by_va(const void *left, const void *right)
{
	const struct alias *a = left, *b = right;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	int order = compare_alias_preference(a, b);
	if (order != 0)
		return order;
	return a->size < b->size ? -1 : a->size > b->size;
}

void aliases_sort(struct aliases *aliases)
{
	if (aliases->count > 1)
		qsort(aliases->entry, aliases->count, sizeof(*aliases->entry),
		      compare_aliases_by_va);
}

size_t aliases_at(const struct aliases *aliases, uint64_t va)
{
	return SORTED_BELOW(aliases->entry, aliases->count, va, va);
}

/*
 * Return an index past the symbols at the address of `first`. The step doubles, so the result may
 * be well past the last.
 */
static size_t find_group_end(const struct aliases *aliases, size_t first)
{
	uint64_t va = aliases->entry[first].va;
	size_t step = 1;

	while (step < aliases->count - first && aliases->entry[first + step].va == va)
		step *= 2;
	return step < aliases->count - first ? first + step : aliases->count;
}

/*
 * Return the first index at or after `low` whose symbol is not before one of this class and name at
 * its address.
 */
static size_t find_spelling(const struct aliases *aliases, size_t low, const struct alias *like)
{
	const size_t end = low < aliases->count ? find_group_end(aliases, low) : low;
	struct bisection search = bisect_begin(end - low);

	while (search.low < search.high) {
		const struct alias *entry = &aliases->entry[low + search.middle];
		bisect_narrow(&search,
		              entry->va < like->va || (entry->va == like->va &&
		                                       compare_alias_preference(entry, like) < 0));
	}
	return low + search.low;
}

static bool is_same(const struct alias *a, const struct alias *b)
{
	return a->va == b->va && compare_alias_preference(a, b) == 0;
}

const struct alias *aliases_best(const struct aliases *aliases, uint64_t va,
                                 const struct cairn_bytes *named, size_t count)
{
	size_t first = aliases_at(aliases, va), found = aliases->count;

	if (first == aliases->count || aliases->entry[first].va != va)
		return NULL;
	struct alias like = aliases->entry[first];
	/* fast path: most symbols are alone at their address */
	bool alone = first + 1 == aliases->count || aliases->entry[first + 1].va != va;
	for (size_t i = 0; i < count && !alone; i++) {
		like.name = named[i];
		size_t at = find_spelling(aliases, first, &like);
		if (at < found && is_same(&aliases->entry[at], &like))
			found = at;
	}
	return &aliases->entry[found < aliases->count ? found : first];
}

static const struct alias classes[] = {
	{ .binding = LOCAL + 1, .size = 1 },
	{ .binding = LOCAL + 1, .size = 0 },
	{ .binding = LOCAL, .size = 1 },
	{ .binding = LOCAL, .size = 0 },
};

/* Return the rank of a name. Names that are not symbols at `va` rank last. */
static size_t find_name_rank(const struct aliases *aliases, uint64_t va, struct cairn_bytes name)
{
	size_t first = aliases_at(aliases, va);

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		struct alias like = classes[i];
		like.va = va;
		like.name = name;
		size_t at = find_spelling(aliases, first, &like);
		if (at < aliases->count && is_same(&aliases->entry[at], &like))
			return at;
	}
	return aliases->count;
}

int aliases_compare(const struct aliases *aliases, uint64_t va, struct cairn_bytes a,
                    struct cairn_bytes b)
{
	size_t left = find_name_rank(aliases, va, a), right = find_name_rank(aliases, va, b);

	if (left != right)
		return left < right ? -1 : 1;
	return name_order_compare(a, b);
}

enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                               enum aliases_table which, struct cairn_fault *fault)
{
	struct symbol_table table;
	struct alias symbol;
	enum cairn_status status = symbol_table_open(&table, file, which, fault);

	if (status != CAIRN_OK)
		return status;
	table.with_names = true;
	const uint64_t first = (uint64_t)(table.entries.data - file.data);
	while (symbol_table_next(&table, (struct cairn_range){ 0, UINT64_MAX }, &symbol)) {
		const uint64_t at = first + table.at - symbol_table_step(&table);
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, at, "no memory for symbols" };
		if (!aliases_add(aliases, symbol))
			return CAIRN_NO_MEMORY;
	}
	if (!table.exhausted) {
		*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
		return CAIRN_OK;
	}
	return fault_set_at(fault, CAIRN_MALFORMED, first + table.at - symbol_table_step(&table),
	                    "symbol names share so much text that the rest is left out, "
	                    "beginning with the symbol");
}

/* SPDX-License-Identifier: MIT */
/*
 * Creates functions from symbols that DWARF does not describe, and records the functions passed to
 * the sink.
 */
#include "code_symbols.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "base/table.h"
#include "debuginfo/symbol_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_NONE = 0, TYPE_FUNCTION = 2 };

/* State while symbols, functions from DWARF and sections are merged; all are in ascending order. */
struct pass {
	struct code_symbols *symbols;
	const struct function_sink *sink;
	struct code_ranges sections;
	size_t next_known;
	/*
	 * highest end of the functions from DWARF, and of the sized symbols, that begin at or
	 * before the current symbol
	 */
	uint64_t known_reach, sized_reach;
	size_t same_end;
};

static void sort_ranges(struct cairn_range *range, size_t count)
{
	if (count > 1)
		qsort(range, count, sizeof(*range), range_compare);
}

static void advance_to_symbol(struct pass *p, size_t i)
{
	const struct aliases *aliases = p->symbols->aliases;
	const struct cairn_range *known = p->symbols->known;
	uint64_t va = aliases->entry[i].va;

	for (; p->next_known < p->symbols->known_count && known[p->next_known].low <= va;
	     p->next_known++)
		if (known[p->next_known].high > p->known_reach)
			p->known_reach = known[p->next_known].high;
	for (p->same_end = i; p->same_end < aliases->count; p->same_end++)
		if (aliases->entry[p->same_end].va != va)
			break;
}

/*
 * Return the highest end of the functions from DWARF that begin at `va`, or `va` if no function
 * begins there.
 */
static uint64_t find_known_end(const struct pass *p, uint64_t va)
{
	const struct cairn_range *known = p->symbols->known;
	size_t last = p->next_known;

	/* ranges with equal start are sorted by end, so the last one has the highest end */
	return last > 0 && known[last - 1].low == va ? known[last - 1].high : va;
}

static bool has_range(const struct pass *p, struct cairn_range range)
{
	struct bisection search = bisect_begin(p->next_known);

	while (search.low < search.high)
		bisect_narrow(&search,
		              range_compare(&p->symbols->known[search.middle], &range) < 0);
	return search.low < p->next_known &&
	       range_compare(&p->symbols->known[search.low], &range) == 0;
}

static bool is_known(const struct pass *p, const struct alias *symbol)
{
	uint64_t end = symbol->va + symbol->size;

	if (find_known_end(p, symbol->va) < end)
		return false;
	/* the function from DWARF with the same range has this name or a better one */
	return !p->symbols->folded || !has_range(p, (struct cairn_range){ symbol->va, end });
}

static enum cairn_status emit_code_symbol(const struct pass *p, const struct alias *symbol,
                                          uint64_t size)
{
	struct function function = {
		.start = symbol->va, .size = size, .name = symbol->name, .source = FUNCTION_SYMBOL
	};

	return p->sink->take(p->sink->context, &function);
}

static enum cairn_status emit_sized_symbol(struct pass *p, const struct alias *symbol)
{
	uint64_t end = symbol->va + symbol->size;

	if (end < symbol->va) {
		p->symbols->outside++;
		return CAIRN_OK;
	}
	if (is_known(p, symbol)) {
		p->symbols->known_already++;
		return CAIRN_OK;
	}
	return emit_code_symbol(p, symbol, symbol->size);
}

static uint64_t find_end(const struct pass *p, uint64_t va, const struct cairn_range *section)
{
	const struct code_symbols *symbols = p->symbols;
	uint64_t end = section->high;

	if (p->same_end < symbols->aliases->count && symbols->aliases->entry[p->same_end].va < end)
		end = symbols->aliases->entry[p->same_end].va;
	if (p->next_known < symbols->known_count && symbols->known[p->next_known].low < end)
		end = symbols->known[p->next_known].low;
	/* inside a function, the symbol is a second entry point, so it ends with the function */
	uint64_t reach = p->known_reach > p->sized_reach ? p->known_reach : p->sized_reach;
	return reach > va && reach < end ? reach : end;
}

static enum cairn_status emit_unsized_symbol(struct pass *p, const struct alias *symbol,
                                             bool has_sized, const struct cairn_range *section)
{
	uint64_t va = symbol->va;

	if (has_sized || find_known_end(p, va) > va) {
		p->symbols->known_already++;
		return CAIRN_OK;
	}
	if (symbol->type == TYPE_NONE && (va < p->known_reach || va < p->sized_reach)) {
		p->symbols->labels++;
		return CAIRN_OK;
	}
	return emit_code_symbol(p, symbol, find_end(p, va, section) - va);
}

/* Emit all symbols at one address. Symbols that occur in several tables are emitted once. */
static enum cairn_status emit_symbol_group(struct pass *p, size_t first)
{
	const struct alias *entry = p->symbols->aliases->entry;
	const struct cairn_range *section = code_ranges_find(&p->sections, entry[first].va);
	enum cairn_status status = CAIRN_OK;
	uint64_t reach = p->sized_reach;

	if (!section) {
		p->symbols->outside += p->same_end - first;
		return CAIRN_OK;
	}
	bool has_sized = false;
	for (size_t i = first; i < p->same_end && !has_sized; i++)
		has_sized = entry[i].size != 0;
	for (size_t i = first; i < p->same_end && status == CAIRN_OK; i++) {
		uint64_t end = entry[i].va + entry[i].size;
		reach = end > reach ? end : reach;
		status = entry[i].size ? emit_sized_symbol(p, &entry[i])
		                       : emit_unsized_symbol(p, &entry[i], has_sized, section);
	}
	p->sized_reach = reach;
	return status;
}

enum cairn_status code_symbols_emit(struct code_symbols *symbols, struct cairn_bytes file,
                                    const struct function_sink *sink)
{
	struct pass p = { .symbols = symbols, .sink = sink };
	enum cairn_status status = CAIRN_OK;
	struct elf elf;

	symbols->known_already = symbols->labels = symbols->outside = 0;
	sort_ranges(symbols->known, symbols->known_count);
	if (elf_opens(file, &elf) && !code_ranges_add_sections(&p.sections, &elf))
		status = CAIRN_NO_MEMORY;
	sort_ranges(p.sections.range, p.sections.count);
	for (size_t i = 0; status == CAIRN_OK && i < symbols->aliases->count; i = p.same_end) {
		advance_to_symbol(&p, i);
		status = emit_symbol_group(&p, i);
	}
	code_ranges_finish(&p.sections);
	return status;
}

/*
 * Hash table of functions by range and name. It is divided into parts, each with its own lock, so
 * that threads rarely wait for each other.
 */

enum {
	PARTS_PER_THREAD = 4,
	PARTS_MAX = 64,
	CACHE_LINE = 64,
};

struct given_part {
	_Alignas(CACHE_LINE) pthread_mutex_t lock;
	struct slot_table slots;
	struct recorded_function *function;
	size_t count, capacity;
};

struct recorded_functions {
	size_t parts;
	struct given_part part[];
};

struct recorded_functions *recorded_functions_new(size_t threads)
{
	size_t parts = 1;

	while (threads > 1 && parts < PARTS_MAX && parts / PARTS_PER_THREAD < threads)
		parts *= 2;
	const size_t size = sizeof(struct recorded_functions) + parts * sizeof(struct given_part);
	struct recorded_functions *given = aligned_alloc(CACHE_LINE, size);

	if (!given)
		return NULL;
	memset(given, 0, size);
	given->parts = parts;
	for (size_t i = 0; i < parts; i++)
		pthread_mutex_init(&given->part[i].lock, NULL);
	return given;
}

void recorded_functions_free(struct recorded_functions *given)
{
	if (!given)
		return;
	for (size_t i = 0; i < given->parts; i++) {
		struct given_part *part = &given->part[i];
		pthread_mutex_destroy(&part->lock);
		slot_table_finish(&part->slots);
		free(part->function);
	}
	free(given);
}

static struct given_part *find_given_part(struct recorded_functions *given,
                                          struct cairn_range range)
{
	return &given->part[hash_number(range.low, given) >> 32 & (given->parts - 1)];
}

/*
 * Hash a function. Its range alone is nearly unique. Names are hashed, with a key, only if the
 * input was crafted so that many functions begin at one address.
 */
static uint64_t hash_function(const struct given_part *part,
                              const struct recorded_function *function)
{
	const struct cairn_range range = function->range;
	uint64_t number = range.low ^ (range.high - range.low) << 32;

	if (part->slots.key)
		number ^= hash_text(function->name, part->slots.key);
	return hash_number(number, part);
}

static uint64_t hash_numbered(const void *table, uint32_t number)
{
	const struct given_part *part = table;

	return hash_function(part, &part->function[number - 1]);
}

static bool is_same_function(const void *table, uint32_t number, const void *key)
{
	const struct recorded_function *own =
		&((const struct given_part *)table)->function[number - 1];
	const struct recorded_function *other = key;

	return own->range.low == other->range.low && own->range.high == other->range.high &&
	       own->name.size == other->name.size &&
	       (own->name.data == other->name.data || bytes_equal(own->name, other->name));
}

static uint32_t *find_given(struct given_part *part, const struct recorded_function *function)
{
	return slot_table_find(&part->slots, hash_function(part, function), is_same_function, part,
	                       function);
}

bool recorded_functions_has(struct recorded_functions *given, struct cairn_range range,
                            struct cairn_bytes name, size_t unit)
{
	const struct recorded_function wanted = { .range = range, .name = name };
	struct given_part *part = find_given_part(given, range);
	bool has = false;

	pthread_mutex_lock(&part->lock);
	const uint32_t number = part->count > 0 ? *find_given(part, &wanted) : 0;
	if (number > 0)
		has = part->function[number - 1].has_rows &&
		      part->function[number - 1].unit <= unit;
	pthread_mutex_unlock(&part->lock);
	return has;
}

/*
 * Return true if writers put `function` before `earlier`. Functions with rows precede functions
 * without rows.
 */
static bool stands_before(const struct recorded_function *function,
                          const struct recorded_function *earlier)
{
	if (function->has_rows != earlier->has_rows)
		return function->has_rows;
	return function->unit < earlier->unit;
}

bool recorded_functions_add(struct recorded_functions *given,
                            const struct recorded_function *function)
{
	struct given_part *part = find_given_part(given, function->range);

	pthread_mutex_lock(&part->lock);
	const bool ok = array_grow(&part->function, &part->capacity, part->count + 1,
	                           sizeof(*part->function)) &&
	                slot_table_reserve(&part->slots, part->count, hash_numbered, part);
	uint32_t *slot = ok ? find_given(part, function) : NULL;
	if (slot && *slot == 0) {
		part->function[part->count++] = *function;
		*slot = (uint32_t)part->count;
	} else if (slot && stands_before(function, &part->function[*slot - 1])) {
		part->function[*slot - 1] = *function;
	}
	pthread_mutex_unlock(&part->lock);
	return ok;
}

uint64_t recorded_functions_lost(const struct recorded_functions *given)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < given->parts; i++)
		for (size_t j = 0; j < given->part[i].count; j++)
			sum += given->part[i].function[j].lost;
	return sum;
}

/* SPDX-License-Identifier: MIT */
/*
 * From an address to the function that holds it.  The table holds starts alone, ascending; several
 * functions may begin at one address and ranges may be in each other:
 *
 *	outer |-----------------------------|
 *	inner          |-----|                     an address after inner is still in outer
 *	label |                                    without size: up to the next start
 */
#include "gsym.h"

#include "base/bytes.h"
#include "base/fault.h"

/*
 * The last of `count` offsets that is not above `key`, given that the first is not.  With constant
 * width and order this becomes a loop without branches on the data.
 */
static inline uint32_t find_last_below(const uint8_t *table, uint32_t count, uint64_t key,
                                       size_t width, bool big)
{
	uint32_t at = 0;

	while (count > 1) {
		uint32_t half = count / 2;
		uint64_t probe = bytes_unsigned(table + (size_t)(at + half) * width, width, big);
		at = probe <= key ? at + half : at;
		count -= half;
	}
	return at;
}

static uint32_t find_last_of_width(const uint8_t *table, uint32_t count, uint64_t key, size_t width,
                                   bool big)
{
	switch (width) {
	case 1:
		return find_last_below(table, count, key, 1, false);
	case 2:
		return big ? find_last_below(table, count, key, 2, true)
		           : find_last_below(table, count, key, 2, false);
	case 4:
		return big ? find_last_below(table, count, key, 4, true)
		           : find_last_below(table, count, key, 4, false);
	default:
		return big ? find_last_below(table, count, key, 8, true)
		           : find_last_below(table, count, key, 8, false);
	}
}

uint32_t gsym_search_among(const struct gsym *gsym, uint32_t first, uint32_t count, uint64_t va)
{
	size_t width = gsym->address_size;
	const uint8_t *table = gsym->bytes.data + gsym->addresses_at + first * width;

	return first + find_last_of_width(table, count, va - gsym->base, width, gsym->big);
}

uint32_t gsym_search(const struct gsym *gsym, uint64_t va)
{
	uint64_t key = va - gsym->base;

	if (gsym->functions == 0 || va < gsym->base || gsym_offset(gsym, 0) > key)
		return gsym->functions;
	return gsym_search_among(gsym, 0, gsym->functions, va);
}

/* The best function seen so far. */
struct choice {
	struct gsym_function function;
	bool found;
	struct cairn_fault fault; /* of a record that could not be read */
};

/* Function `index` when it reaches `key`; of several the shortest, of equal ones the first. */
static void consider_function(const struct gsym *gsym, uint32_t index, uint64_t key, bool sizeless,
                              struct choice *choice)
{
	struct gsym_function f;
	struct cairn_fault fault;

	if (gsym_function(gsym, index, &f, &fault) != CAIRN_OK) {
		choice->fault = fault;
		return;
	}
	bool reaches = key - gsym_offset(gsym, index) < f.size || (f.size == 0 && sizeless);
	const struct gsym_function *best = &choice->function;
	bool worse = choice->found && best->size != 0 && (f.size == 0 || f.size > best->size);
	if (!reaches || worse)
		return;
	choice->function = f;
	choice->found = true;
}

/* All functions that start where function `last` does; returns the first of them. */
static uint32_t consider_group(const struct gsym *gsym, uint32_t last, uint64_t key, bool sizeless,
                               struct choice *choice)
{
	uint64_t offset = gsym_offset(gsym, last);

	for (;;) {
		consider_function(gsym, last, key, sizeless, choice);
		if (last == 0 || gsym_offset(gsym, last - 1) != offset)
			return last;
		last--;
	}
}

/*
 * Steps back to the nearest earlier function that may reach `key`, over whole steps of `reach` that
 * do not; false when there can be none.  *end is the function to look before.
 */
static bool step_back(const struct gsym_reach *reach, uint64_t key, uint32_t *end)
{
	if (*end == 0)
		return false;
	while (reach && *end % GSYM_REACH_STEP == 0) {
		const struct gsym_reach *step = &reach[*end / GSYM_REACH_STEP - 1];
		if (step->all < key)
			return false;
		if (step->own >= key)
			return true;
		*end -= GSYM_REACH_STEP;
	}
	return *end > 0;
}

static enum cairn_status report_not_found(struct cairn_fault *fault)
{
	return fault_set(fault, CAIRN_NOT_FOUND, "no function covers the address");
}

/* Looks at the functions with the last start; *first is the first of them. */
static enum cairn_status find_nearest(const struct gsym *gsym, uint64_t va, uint32_t *first,
                                      struct choice *choice, struct cairn_fault *fault)
{
	uint32_t last = gsym_search(gsym, va);

	if (last == gsym->functions)
		return report_not_found(fault);
	*first = consider_group(gsym, last, va - gsym->base, true, choice);
	if (choice->found || choice->fault.status == CAIRN_OK)
		return CAIRN_OK;
	*fault = choice->fault;
	return fault->status;
}

/* The function that was chosen, if any. */
static enum cairn_status return_chosen_function(const struct choice *choice,
                                                struct gsym_function *function,
                                                struct cairn_fault *fault)
{
	if (!choice->found)
		return report_not_found(fault);
	*function = choice->function;
	return CAIRN_OK;
}

enum cairn_status gsym_find_nearest(const struct gsym *gsym, uint64_t va,
                                    struct gsym_function *function, struct cairn_fault *fault)
{
	struct choice choice = { .found = false };
	uint32_t first;
	enum cairn_status status = find_nearest(gsym, va, &first, &choice, fault);

	return status == CAIRN_OK ? return_chosen_function(&choice, function, fault) : status;
}

enum cairn_status gsym_find_function(const struct gsym *gsym, const struct gsym_reach *reach,
                                     uint64_t va, struct gsym_function *function,
                                     struct cairn_fault *fault)
{
	struct choice choice = { .found = false };
	uint32_t first;
	enum cairn_status status = find_nearest(gsym, va, &first, &choice, fault);

	if (status != CAIRN_OK)
		return status;
	while (!choice.found && step_back(reach, va - gsym->base, &first))
		first = consider_group(gsym, first - 1, va - gsym->base, false, &choice);
	return return_chosen_function(&choice, function, fault);
}

/* The offset of the last byte of a function, 0 for one that has none. */
static uint64_t find_last_byte(const struct gsym *gsym, uint32_t index)
{
	struct gsym_function f;
	struct cairn_fault fault;
	uint64_t start = gsym_offset(gsym, index);

	if (gsym_function(gsym, index, &f, &fault) != CAIRN_OK || f.size == 0)
		return 0;
	return f.size - 1 > UINT64_MAX - start ? UINT64_MAX : start + f.size - 1;
}

void gsym_reach_fill(const struct gsym *gsym, struct gsym_reach *reach)
{
	uint64_t own = 0, all = 0;

	for (uint32_t i = 0; i < gsym->functions; i++) {
		uint64_t last = find_last_byte(gsym, i);
		own = i % GSYM_REACH_STEP == 0 || last > own ? last : own;
		all = last > all ? last : all;
		reach[i / GSYM_REACH_STEP] = (struct gsym_reach){ own, all };
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Finds the function that contains an address. The table contains only starts, in ascending order.
 * Several functions may start at the same address, and ranges may be nested:
 *
 *	outer |-----------------------------|
 *	inner          |-----|                     an address after inner is still in outer
 *	label |                                    without size: up to the next start
 */
#include "gsym.h"

#include "base/bytes.h"
#include "base/fault.h"

/*
 * Return the last of `count` offsets that is at most `key`. The first one must be at most `key`.
 * With constant width and byte order the loop has no data-dependent branches.
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

struct choice {
	struct gsym_function function;
	bool found;
	struct cairn_fault fault; /* fault of a record that could not be read */
};

/*
 * Choose function `index` if it contains `key` and is better than the current choice: the shortest
 * function wins, and among equally short functions the one with the lowest index. A function
 * without size is worse than any other.
 */
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

/* Consider all functions that start where function `last` does. Return the first one's index. */
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
 * Set *end so that the functions before it are the nearest that may contain `key`. Skip groups of
 * GSYM_REACH_STEP functions that end before `key`. Return false if no earlier function can contain
 * it.
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

/* Consider the functions with the last start at or before `va`. *first is the first one's index. */
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

/* Return the offset of a function's last byte from the base, or 0 if the function has no size. */
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

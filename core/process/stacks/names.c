/* SPDX-License-Identifier: MIT */
/*
 * Looks up the names of addresses with the symbolizer. Each address is looked up once, alone or
 * together with others of its module.
 */
#include "stacks.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_TOGETHER = 128 };

/* Prepare a lookup in a module, and return the module in the form that the symbolizer expects. */
static struct cairn_symbol_module begin_look_up(struct cairn_stacks *stacks, size_t index)
{
	/* the debug file may be the only source of the address that the module was linked at */
	if (stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP && !stacks->modules[index].found.path)
		stacks_find_debug_file(stacks, index);
	stacks->asked = index;
	return stacks_symbol_module(stacks, index);
}

/*
 * Look up one address. A mapping that is not a module may hold JIT code: PHP, for example, writes
 * it to shared memory.
 */
static size_t look_up(struct cairn_stacks *stacks, uint64_t address,
                      struct cairn_location found[CAIRN_STACK_NAMES])
{
	struct cairn_symbol_answer answer;
	size_t index;
	const struct snapshot_module *module = stacks_find_module(stacks, address, &index);

	if (!module || !module->has_bias)
		return stacks_find_jit_code(stacks, address, found);
	const struct cairn_symbol_module of = begin_look_up(stacks, index);
	const uint64_t va = address - module->bias;
	if (cairn_symbolizer_find(stacks->symbolizer, &of, &va, 1, &answer) != CAIRN_OK)
		return 0;
	const size_t count = answer.count < CAIRN_STACK_NAMES ? answer.count : CAIRN_STACK_NAMES;
	if (count > 0)
		memcpy(found, answer.locations, count * sizeof(*found));
	return count;
}

/* Store the answer for an address in its empty slot. The slot stays empty if memory is short. */
static void keep_answer(struct stacks_names *names, struct number_slot *slot, uint64_t address,
                        const struct cairn_location *found, size_t count)
{
	if (names->location_count + count > UINT32_MAX || names->answer_count >= UINT32_MAX ||
	    !array_grow(&names->locations, &names->location_room, names->location_count + count + 1,
	                sizeof(*names->locations)) ||
	    !array_grow(&names->answers, &names->answer_room, names->answer_count + 1,
	                sizeof(*names->answers)))
		return;
	if (count > 0)
		memcpy(names->locations + names->location_count, found, count * sizeof(*found));
	names->answers[names->answer_count] =
		(struct stacks_answer){ (uint32_t)names->location_count, (uint32_t)count };
	*slot = (struct number_slot){ address + 1, (uint32_t)names->answer_count++ };
	names->numbers.count++;
	names->location_count += count;
}

/*
 * Return the slot of the address, with key 0 if it was not looked up yet, or NULL if memory is
 * short.
 */
static struct number_slot *find_answer_slot(struct stacks_names *names, uint64_t address)
{
	return address < UINT64_MAX ? number_map_at(&names->numbers, address + 1) : NULL;
}

static const struct cairn_location *recall_names(struct cairn_stacks *stacks, uint64_t address,
                                                 size_t *count)
{
	struct cairn_location found[CAIRN_STACK_NAMES];
	struct stacks_names *names = &stacks->names;

	*count = 0;
	struct number_slot *slot = find_answer_slot(names, address);
	if (slot && slot->key == 0)
		keep_answer(names, slot, address, found, look_up(stacks, address, found));
	if (!slot || slot->key == 0)
		return NULL;
	const struct stacks_answer *answer = &names->answers[slot->number];
	*count = answer->count;
	return names->locations + answer->first;
}

/* An address whose names will be needed. Modules are ranked by their first occurrence. */
struct wanted_name {
	uint64_t address;
	uint32_t rank;
	uint32_t module;
};

static int compare_wanted_names(const void *left, const void *right)
{
	const struct wanted_name *a = left, *b = right;

	return ORDER_BY(a->rank, b->rank, ORDER_BY(a->address, b->address, 0));
}

/*
 * List the addresses in modules that were not looked up yet, sorted and without duplicates. Return
 * their number.
 */
static size_t list_wanted_names(struct cairn_stacks *stacks, const uint64_t *pcs, size_t count,
                                struct wanted_name *wanted, uint32_t *ranks)
{
	uint32_t ranked = 0;
	size_t listed = 0, kept = 0, index;

	for (size_t i = 0; i < count; i++) {
		const struct number_slot *slot = find_answer_slot(&stacks->names, pcs[i]);
		if (!slot || slot->key != 0)
			continue;
		const struct snapshot_module *module = stacks_find_module(stacks, pcs[i], &index);
		if (!module || !module->has_bias)
			continue;
		if (ranks[index] == 0)
			ranks[index] = ++ranked;
		wanted[listed++] = (struct wanted_name){ pcs[i], ranks[index], (uint32_t)index };
	}
	if (listed > 0)
		qsort(wanted, listed, sizeof(*wanted), compare_wanted_names);
	for (size_t i = 0; i < listed; i++)
		if (kept == 0 || wanted[kept - 1].address != wanted[i].address)
			wanted[kept++] = wanted[i];
	return kept;
}

static bool look_up_together(struct cairn_stacks *stacks, const struct wanted_name *wanted,
                             size_t count)
{
	struct cairn_symbol_answer answers[NAMES_TOGETHER];
	uint64_t vas[NAMES_TOGETHER];
	const struct cairn_symbol_module of = begin_look_up(stacks, wanted->module);
	const uint64_t bias = stacks->snapshot.modules[wanted->module].bias;

	for (size_t i = 0; i < count; i++)
		vas[i] = wanted[i].address - bias;
	if (cairn_symbolizer_find(stacks->symbolizer, &of, vas, count, answers) != CAIRN_OK)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct number_slot *slot = find_answer_slot(&stacks->names, wanted[i].address);
		const size_t all = answers[i].count;
		if (!slot)
			return false;
		if (slot->key == 0)
			keep_answer(&stacks->names, slot, wanted[i].address, answers[i].locations,
			            all < CAIRN_STACK_NAMES ? all : CAIRN_STACK_NAMES);
	}
	return true;
}

void cairn_stacks_prepare_names(struct cairn_stacks *stacks, const uint64_t *pcs, size_t count)
{
	struct wanted_name *wanted = calloc(count + 1, sizeof(*wanted));
	uint32_t *ranks = calloc(stacks->snapshot.module_count + 1, sizeof(*ranks));
	bool ok = wanted && ranks;
	const size_t all = ok ? list_wanted_names(stacks, pcs, count, wanted, ranks) : 0;

	for (size_t i = 0, n; ok && i < all; i += n) {
		for (n = 1; n < NAMES_TOGETHER && i + n < all; n++)
			if (wanted[i + n].rank != wanted[i].rank)
				break;
		ok = look_up_together(stacks, wanted + i, n);
	}
	free(ranks);
	free(wanted);
}

void stacks_close_names(struct stacks_names *names)
{
	free(names->numbers.slot);
	free(names->answers);
	free(names->locations);
}

size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                          struct cairn_location *locations, size_t room)
{
	size_t count;
	const struct cairn_location *found = recall_names(stacks, pc, &count);

	if (count > room)
		count = room;
	if (count > 0)
		memcpy(locations, found, count * sizeof(*found));
	return count;
}

/* Write a name, demangled if possible, to `text`, which holds CAIRN_DEMANGLE_MAX + 1 bytes. */
static void write_name(struct cairn_bytes name, char *text)
{
	size_t size = cairn_demangle(name, text, CAIRN_DEMANGLE_MAX);
	uint32_t character;

	if (size == 0) {
		size = name.size < CAIRN_DEMANGLE_MAX ? name.size : CAIRN_DEMANGLE_MAX;
		memcpy(text, name.data, size);
	}
	text[size] = '\0';
	for (size_t at = 0, length; at < size; at += length) {
		const struct cairn_bytes left = { (const uint8_t *)text + at, size - at };
		length = cairn_character_at(left, &character);
		if (length > 0 && cairn_character_is_printable(character))
			continue;
		length = length > 0 ? length : 1;
		memset(text + at, '?', length);
	}
}

const char *cairn_stacks_function(struct cairn_stacks *stacks)
{
	const uint64_t lookup = stack_walk_lookup_address(&stacks->walk);
	struct cairn_location name;

	if (cairn_stacks_names(stacks, lookup, &name, 1) == 0 || name.function.size == 0)
		return "??";
	if (!stacks->function)
		stacks->function = malloc(CAIRN_DEMANGLE_MAX + 1);
	if (!stacks->function)
		return "??";
	write_name(name.function, stacks->function);
	return stacks->function;
}

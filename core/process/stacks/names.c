/* SPDX-License-Identifier: MIT */
/* Names of addresses, by the symbolizer. Each address is looked up once. */
#include "stacks.h"

#include "base/array_grow.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* In memory that is mapped shared, too, programs make code, as PHP does. */
static size_t look_up(struct cairn_stacks *stacks, uint64_t address,
                      struct cairn_location found[CAIRN_STACK_NAMES])
{
	struct cairn_symbol_answer answer;
	size_t index;
	const struct snapshot_module *module = stacks_find_module(stacks, address, &index);

	if (!module || !module->has_bias)
		return stacks_find_jit_code(stacks, address, found);
	if (stacks->snapshot.kind == SNAPSHOT_MINIDUMP && !stacks->modules[index].found.path)
		stacks_find_debug_file(stacks,
		                       index); /* where it was linked may be known by that alone */
	const struct cairn_symbol_module of = stacks_symbol_module(stacks, index);
	const uint64_t va = address - module->bias;
	stacks->asked = index;
	if (cairn_symbolizer_find(stacks->symbolizer, &of, &va, 1, &answer) != CAIRN_OK)
		return 0;
	const size_t count = answer.count < CAIRN_STACK_NAMES ? answer.count : CAIRN_STACK_NAMES;
	if (count > 0)
		memcpy(found, answer.locations, count * sizeof(*found));
	return count;
}

static uint64_t hash_address(uint64_t address, uint64_t key)
{
	uint8_t bytes[sizeof(address)];

	memcpy(bytes, &address, sizeof(bytes));
	return hash_text((struct cairn_bytes){ bytes, sizeof(bytes) }, key);
}

static uint64_t hash_answer(const void *items, uint32_t number)
{
	const struct stacks_names *names = items;

	return hash_address(names->answers[number - 1].address, names->slots.key);
}

static bool is_answer_to(const void *items, uint32_t number, const void *key)
{
	const struct stacks_names *names = items;

	return names->answers[number - 1].address == *(const uint64_t *)key;
}

/* The number of the answer that is kept; 0 when memory is short. */
static uint32_t keep_answer(struct stacks_names *names, uint64_t address,
                            const struct cairn_location *found, size_t count)
{
	if (names->location_count + count > UINT32_MAX || names->answer_count >= UINT32_MAX ||
	    !array_grow(&names->locations, &names->location_room, names->location_count + count + 1,
	                sizeof(*names->locations)) ||
	    !array_grow(&names->answers, &names->answer_room, names->answer_count + 1,
	                sizeof(*names->answers)))
		return 0;
	memcpy(names->locations + names->location_count, found, count * sizeof(*found));
	names->answers[names->answer_count++] =
		(struct stacks_answer){ address, (uint32_t)names->location_count, (uint32_t)count };
	names->location_count += count;
	return (uint32_t)names->answer_count;
}

static const struct cairn_location *recall_names(struct cairn_stacks *stacks, uint64_t address,
                                                 size_t *count)
{
	struct cairn_location found[CAIRN_STACK_NAMES];
	struct stacks_names *names = &stacks->names;

	*count = 0;
	if (!slot_table_reserve(&names->slots, names->answer_count, hash_answer, names))
		return NULL;
	uint64_t hash = hash_address(address, names->slots.key);
	uint32_t *slot = slot_table_find(&names->slots, hash, is_answer_to, names, &address);
	if (*slot == 0)
		*slot = keep_answer(names, address, found, look_up(stacks, address, found));
	if (*slot == 0)
		return NULL;
	const struct stacks_answer *answer = &names->answers[*slot - 1];
	*count = answer->count;
	return names->locations + answer->first;
}

void stacks_close_names(struct stacks_names *names)
{
	slot_table_finish(&names->slots);
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

/* Copies a name, readable if it has such a form, to `text`, which has room for CAIRN_DEMANGLE_MAX + 1 bytes. */
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
	struct cairn_stack_frame frame;
	struct cairn_location name;

	cairn_stacks_frame(stacks, &frame);
	if (cairn_stacks_names(stacks, frame.lookup, &name, 1) == 0 || name.function.size == 0)
		return "??";
	if (!stacks->function)
		stacks->function = malloc(CAIRN_DEMANGLE_MAX + 1);
	if (!stacks->function)
		return "??";
	write_name(name.function, stacks->function);
	return stacks->function;
}

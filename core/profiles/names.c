/* SPDX-License-Identifier: MIT */
/* Stores looked-up names: each function and string once, and the calls of each location. */
#include "profile.h"

#include "base/memory.h"
#include "symbols/names/demangle.h"

/*
 * Return the index of a string in the pool, which counts from 0; index 0 is the empty string.
 * Return STRING_POOL_FULL if allocation fails or the profile's allowance is exhausted. Invalid
 * UTF-8 is replaced because protobuf strings must be UTF-8.
 */
static uint32_t add_text(struct cairn_profile *p, struct cairn_bytes text)
{
	const size_t before = p->pool.blob_size;

	if (p->text_left.over)
		return STRING_POOL_FULL;
	const uint32_t number = string_pool_add_utf8(&p->pool, text);
	return allowance_draw(&p->text_left, p->pool.blob_size - before) ? number
	                                                                 : STRING_POOL_FULL;
}

static uint32_t add_readable(struct cairn_profile *p, struct cairn_bytes name)
{
	const size_t size = demangle_name(name, DEMANGLE_GNU, p->scratch, PROFILE_SCRATCH);

	return add_text(p, size > 0 ? (struct cairn_bytes){ (uint8_t *)p->scratch, size } : name);
}

static uint32_t add_path(struct cairn_profile *p, const struct cairn_location *location)
{
	size_t size = cairn_location_path(location, p->scratch, PROFILE_SCRATCH);

	if (size >= PROFILE_SCRATCH)
		size = PROFILE_SCRATCH - 1;
	return add_text(p, (struct cairn_bytes){ (uint8_t *)p->scratch, size });
}

/*
 * Choose the id of a new function. pprof ids are in no particular order, so use the lowest free
 * ones, which have the shortest varints.
 */
static uint64_t choose_id(struct cairn_profile *p)
{
	if (p->otlp != OTLP_UNKNOWN)
		return (p->function_count > 0 ? p->function_count : 1) + p->function_gap.padding +
		       p->new_function_count;
	do
		p->next_function++;
	while (profile_number(&p->function_ids, p->next_function) != 0);
	return p->next_function;
}

/* Return true if one of `count` new items would get an index that dangles in the input. */
static bool reaches_barrier(const struct profile_gap *gap, uint64_t count)
{
	return gap->barrier > 0 && gap->padding + count > gap->barrier;
}

/*
 * Return the number, from 1, of a function in new_functions, and add it if it is new. Return 0 if
 * allocation fails or the profile's allowance is exhausted.
 */
static uint32_t add_new_function(struct cairn_profile *p, const struct cairn_location *location)
{
	struct profile_function f = { .linked_name = add_text(p, location->function) };
	struct number_slot *slot;

	if (f.linked_name == STRING_POOL_FULL)
		return 0;
	f.file = add_path(p, location);
	if (f.file == STRING_POOL_FULL)
		return 0;
	slot = number_map_at(&p->known_functions,
	                     ((uint64_t)f.linked_name + 1) << 32 | ((uint64_t)f.file + 1));
	if (!slot || slot->key != 0)
		return slot ? slot->number : 0;
	f.name = add_readable(p, location->function);
	p->text_left.over |= reaches_barrier(&p->function_gap, p->new_function_count + 1) ||
	                     reaches_barrier(&p->text_gap, p->pool.count);
	if (p->text_left.over || f.name == STRING_POOL_FULL ||
	    p->new_function_count >= UINT32_MAX ||
	    !array_grow(&p->new_functions, &p->new_function_room, p->new_function_count + 1,
	                sizeof(f)))
		return 0;
	f.id = choose_id(p);
	p->new_functions[p->new_function_count++] = f;
	*slot = (struct number_slot){ ((uint64_t)f.linked_name + 1) << 32 | ((uint64_t)f.file + 1),
		                      (uint32_t)p->new_function_count };
	p->known_functions.count++;
	return slot->number;
}

static enum cairn_status add_line(struct cairn_profile *p, const struct cairn_location *location)
{
	const uint32_t function = add_new_function(p, location);

	if (function == 0)
		return p->text_left.over ? CAIRN_UNSUPPORTED : CAIRN_NO_MEMORY;
	if (!ARRAY_APPEND(p->new_lines, p->new_line_count, p->new_line_room,
	                  (struct profile_line){ function - 1, location->line, location->column }))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

static bool has_name(const struct cairn_symbol_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		if (answer->locations[i].function.size > 0)
			return true;
	return false;
}

/*
 * Return the PPROF_HAS_* flags of the names. A source with line numbers is assumed to know inlined
 * calls.
 */
static uint8_t judge_names(const struct cairn_symbol_answer *answer, bool inlines)
{
	const struct cairn_location *outermost = &answer->locations[answer->count - 1];
	unsigned has = PPROF_HAS_FUNCTIONS;

	if (outermost->file.size > 0)
		has |= PPROF_HAS_FILES;
	if (outermost->line > 0)
		has |= PPROF_HAS_LINES | (inlines ? PPROF_HAS_INLINES : 0u);
	return (uint8_t)has;
}

enum cairn_status profile_add_names(struct cairn_profile *p, struct profile_location *location,
                                    const struct cairn_symbol_answer *answer, bool inlines)
{
	const size_t first = p->new_line_count;
	enum cairn_status status = CAIRN_OK;

	if (!has_name(answer)) {
		location->reason = CAIRN_PROFILE_NO_SYMBOL;
		return CAIRN_OK;
	}
	if (!allowance_draw(&p->lines_left, answer->count) || answer->count > UINT32_MAX - first)
		status = CAIRN_UNSUPPORTED;
	for (size_t i = 0; status == CAIRN_OK && i < answer->count; i++)
		status = add_line(p, &answer->locations[i]);
	if (status != CAIRN_OK) {
		p->new_line_count = first;
		location->reason = CAIRN_PROFILE_TOO_MANY;
		return status == CAIRN_UNSUPPORTED ? CAIRN_OK : status;
	}
	location->first_line = (uint32_t)first;
	location->line_count = (uint32_t)answer->count;
	location->folded = answer->all > answer->count;
	location->has = judge_names(answer, inlines);
	p->mappings[location->mapping - 1].changed = true;
	return CAIRN_OK;
}

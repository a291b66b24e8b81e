/* SPDX-License-Identifier: MIT */
/* Collects the names, units and addresses of the index while entries are written. */
#include "name_index_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Limit relative to the object's own names; nested scopes repeat the names around them. */
	TEXT_FACTOR = 8,
	TEXT_MIN = 1 << 20,
};

/* Fail the whole object because memory is short. */
static bool fail_for_memory(struct name_index *index)
{
	index->left_out = index->w->failed = true;
	return false;
}

struct name_index *name_index_new(struct elf_writer *w)
{
	struct name_index *index = calloc(1, sizeof(*index));
	size_t limit = w->limit;

	if (!index)
		return NULL;
	index->w = w;
	/*
	 * These buffers never exceed .debug_info and .debug_aranges, whose sizes are limited, so
	 * they need no limit of their own.
	 */
	index->path.limit = index->units.limit = index->addresses.limit = SIZE_MAX / 2;
	if (limit > TEXT_MIN && w->names.text.size < (limit - TEXT_MIN) / TEXT_FACTOR)
		limit = w->names.text.size * TEXT_FACTOR + TEXT_MIN;
	if (interner_init(&index->names, limit))
		return index;
	name_index_free(index);
	return NULL;
}

void name_index_forget_entries(struct name_index *index)
{
	byte_buffer_finish(&index->path);
	free(index->known_at);
	free(index->known);
	free(index->entry);
	index->known_at = index->known = NULL;
	index->entry = NULL;
}

void name_index_free(struct name_index *index)
{
	if (!index)
		return;
	interner_finish(&index->names);
	byte_buffer_finish(&index->units);
	byte_buffer_finish(&index->addresses);
	name_index_forget_entries(index);
	free(index);
}

static void append_name(struct name_index *index, uint32_t name, enum name_index_join how)
{
	static const char *const joins[] = { "", "::", "::", "." };
	const struct cairn_bytes text = interner_text(&index->w->names, name);
	struct byte_buffer *path = &index->path;

	if (how == NAME_INDEX_PLAIN)
		path->size = 0;
	if (path->size > 0)
		byte_buffer_bytes(path, joins[how], strlen(joins[how]));
	if (how == NAME_INDEX_CPLUSPLUS)
		elf_writer_append_canonical(path, text);
	else
		byte_buffer_bytes(path, text.data, text.size);
}

/* Return the symbol of the path, or 0 if the path is empty or the index is omitted. */
static uint32_t add_path(struct name_index *index)
{
	const struct byte_buffer *path = &index->path, *text = &index->names.text;

	if (path->failed)
		fail_for_memory(index);
	else if (path->size >= text->limit - text->size)
		index->left_out = true;
	if (path->size == 0 || index->left_out)
		return 0;
	const uint32_t symbol =
		interner_add_copy(&index->names, (struct cairn_bytes){ path->data, path->size });
	if (text->failed)
		fail_for_memory(index);
	return symbol;
}

static bool add_symbols(struct name_index *index, uint32_t number, uint32_t plain,
                        enum name_index_join how)
{
	struct elf_writer_scopes scopes;

	elf_writer_scopes(index->w, number, &scopes);
	if (!array_grow(&index->known, &index->known_room, index->known_count + 1 + scopes.count,
	                sizeof(*index->known)))
		return fail_for_memory(index);
	uint32_t *symbol = index->known + index->known_count;
	index->known_count += 1 + scopes.count;
	index->path.size = 0;
	for (size_t i = 0; i < scopes.count; i++) {
		append_name(index, scopes.name[i], how);
		symbol[1 + i] = add_path(index);
	}
	append_name(index, plain, how);
	symbol[0] = add_path(index);
	return !index->left_out;
}

static bool reserve_known(struct name_index *index, size_t at)
{
	const size_t room = index->known_at_room;

	if (!array_grow(&index->known_at, &index->known_at_room, at + 1, sizeof(*index->known_at)))
		return fail_for_memory(index);
	if (index->known_at_room > room)
		memset(index->known_at + room, 0,
		       (index->known_at_room - room) * sizeof(*index->known_at));
	return true;
}

/*
 * Return the symbol of a name, followed by the symbols of its scopes. They are valid until the next
 * call. Return NULL if the index is omitted.
 */
static const uint32_t *find_symbols(struct name_index *index, uint32_t number, uint32_t plain,
                                    enum name_index_join join)
{
	const size_t at = (size_t)number * NAME_INDEX_JOINS + join;

	if (index->left_out || !reserve_known(index, at))
		return NULL;
	if (index->known_at[at] == 0) {
		const size_t first = index->known_count;
		if (!add_symbols(index, number, plain, join))
			return NULL;
		index->known_at[at] = (uint32_t)first + 1;
	}
	return index->known + index->known_at[at] - 1;
}

void name_index_add(struct name_index *index, uint32_t symbol, enum name_index_kind kind)
{
	if (index->left_out || symbol == 0)
		return;
	if (kind == NAME_INDEX_SCOPE && index->names.entry[symbol].mark++ != 0)
		return;
	if (!array_grow(&index->entry, &index->entry_room, index->entries + 1,
	                sizeof(*index->entry))) {
		fail_for_memory(index);
		return;
	}
	index->entry[index->entries++] =
		(struct name_entry){ symbol,
		                     (uint32_t)kind << NAME_INDEX_KIND_SHIFT | index->unit };
}

const uint32_t *name_index_enter(struct name_index *index, uint32_t number,
                                 struct elf_writer_debug_name names, enum name_index_join join,
                                 enum name_index_kind kind)
{
	const uint32_t *symbols;

	if (!index)
		return NULL;
	/* GDB gets the linkage names of C++ from the symbol table */
	if (names.linkage && join != NAME_INDEX_CPLUSPLUS) {
		symbols = find_symbols(index, names.linkage, names.linkage, NAME_INDEX_PLAIN);
		if (symbols)
			name_index_add(index, symbols[0], kind);
	}
	symbols = find_symbols(index, number, names.name, join);
	if (!symbols)
		return NULL;
	name_index_add(index, symbols[0], kind);
	return symbols + 1;
}

void name_index_end_unit(struct name_index *index, const struct elf_writer_unit *unit,
                         size_t unit_at)
{
	if (!index || index->left_out)
		return;
	byte_buffer_number(&index->units, unit_at, 8);
	byte_buffer_number(&index->units, index->w->info.size - unit_at, 8);
	for (size_t i = 0; i < unit->ranges; i++) {
		const struct cairn_range *range = &index->w->unit_ranges[unit->ranges_at + i];
		byte_buffer_number(&index->addresses, range->low, 8);
		byte_buffer_number(&index->addresses, range->high, 8);
		byte_buffer_number(&index->addresses, index->unit, 4);
	}
	index->left_out = ++index->unit == NAME_INDEX_UNITS_MAX;
	if (index->units.failed || index->addresses.failed)
		fail_for_memory(index);
}

/* SPDX-License-Identifier: MIT */
/* Qualified names: which namespaces, classes and functions are around an entry. */
#include "dies.h"

#include "debuginfo/room.h"

enum {
	LANGUAGE_CPLUSPLUS = 0x04,
	LANGUAGE_OBJC_PLUSPLUS = 0x11,
	LANGUAGE_CPLUSPLUS_03 = 0x19,
	LANGUAGE_CPLUSPLUS_11 = 0x1a,
	LANGUAGE_CPLUSPLUS_14 = 0x21,
	LANGUAGE_CPLUSPLUS_17 = 0x2b,
	LANGUAGE_CPLUSPLUS_20 = 0x2c,
	LANGUAGE_CPLUSPLUS_23 = 0x3a,
};

bool dies_is_cplusplus(uint64_t language)
{
	switch (language) {
	case LANGUAGE_CPLUSPLUS:
	case LANGUAGE_OBJC_PLUSPLUS:
	case LANGUAGE_CPLUSPLUS_03:
	case LANGUAGE_CPLUSPLUS_11:
	case LANGUAGE_CPLUSPLUS_14:
	case LANGUAGE_CPLUSPLUS_17:
	case LANGUAGE_CPLUSPLUS_20:
	case LANGUAGE_CPLUSPLUS_23:
		return true;
	default: /* the others do not write names so, or have linkage names */
		return false;
	}
}

static bool is_scope(uint16_t tag)
{
	switch (tag) {
	case DWARF_TAG_CLASS:
	case DWARF_TAG_STRUCTURE:
	case DWARF_TAG_UNION:
	case DWARF_TAG_ENUMERATION:
	case DWARF_TAG_INTERFACE:
	case DWARF_TAG_NAMESPACE:
	case DWARF_TAG_MODULE:
	case DWARF_TAG_SUBPROGRAM:
		return true;
	default: /* what is not named, or has no others inside */
		return false;
	}
}

/* Scopes that are open, with their depths, while a unit is walked. */
struct open_scopes {
	uint64_t depth[DIES_NESTING_MAX];
	uint32_t scope[DIES_NESTING_MAX];
	unsigned count;
};

static void close_scopes(struct dies_unit *unit, struct open_scopes *open, uint64_t depth,
                         uint64_t end)
{
	while (open->count > 0 && open->depth[open->count - 1] >= depth) {
		uint32_t scope = open->scope[--open->count];
		unit->scope[scope].end = (uint32_t)(end - unit->unit.offset);
	}
}

static bool open_scope(struct dies_unit *unit, struct open_scopes *open, uint64_t depth,
                       uint64_t start)
{
	struct dies_scope scope = { .start = (uint32_t)(start - unit->unit.offset),
		                    .end = UINT32_MAX,
		                    .parent = DIES_NO_SCOPE };

	if (open->count == DIES_NESTING_MAX || unit->scopes == DIES_NO_SCOPE)
		return true;
	if (open->count > 0)
		scope.parent = open->scope[open->count - 1];
	if (!room_for(&unit->scope, &unit->scope_room, unit->scopes + 1, sizeof(scope)))
		return false;
	open->depth[open->count] = depth;
	open->scope[open->count++] = (uint32_t)unit->scopes;
	unit->scope[unit->scopes++] = scope;
	return true;
}

/* All scopes of a unit, in the order they begin. */
static bool read_scopes(struct dies_unit *unit)
{
	struct dwarf_entries entries = dwarf_entries(&unit->file->sections, &unit->unit,
	                                             &unit->abbrevs, unit->unit.first);
	struct open_scopes open = { .count = 0 };

	unit->scopes = 0;
	while (dwarf_next_entry(&entries)) {
		uint64_t at = dwarf_entry_offset(&entries);
		close_scopes(unit, &open, entries.depth, at);
		const struct dwarf_abbrev *abbrev = entries.abbrev;
		if (abbrev && abbrev->children && is_scope(abbrev->tag) &&
		    !open_scope(unit, &open, entries.depth, at))
			return false;
	}
	close_scopes(unit, &open, 0, unit->unit.end);
	unit->has_scopes = true;
	return true;
}

/* The innermost scope around the entry at `offset`; false when there is none. */
static bool scope_around(const struct dies_unit *unit, uint64_t offset, uint64_t *around)
{
	uint32_t at = (uint32_t)(offset - unit->unit.offset);
	size_t low = 0, high = unit->scopes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (unit->scope[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	size_t scope = low - 1;
	while (scope != DIES_NO_SCOPE && unit->scope[scope].end <= at)
		scope = unit->scope[scope].parent;
	if (scope == DIES_NO_SCOPE)
		return false;
	*around = unit->unit.offset + unit->scope[scope].start;
	return true;
}

bool dies_keep_part(struct texts *texts, struct cairn_bytes part, struct cairn_bytes *kept)
{
	bool is_lambda = part.size > 1 && part.data[0] == '<' && part.data[part.size - 1] == '>';

	*kept = part;
	if (!is_lambda)
		return true;
	struct cairn_bytes inside = { part.data + 1, part.size - 2 };
	struct cairn_bytes parts[] = { TEXT("{"), inside, TEXT("}") };
	return texts_keep(texts, parts, 3, kept);
}

/* The name of the scope at `offset`, and where it is declared. */
static bool scope_name(struct dies *dies, const struct dies_file **file, uint64_t *offset,
                       struct cairn_bytes *name)
{
	const struct dies_names *names = dies_names_at(dies, *file, *offset);

	if (!names) {
		name->size = 0;
		return true;
	}
	*file = names->last_file;
	*offset = names->last;
	return dies_keep_part(dies->texts, names->name, name);
}

/* The scope around an entry; false when there is none, or *short_of memory. */
static bool go_out(struct dies *dies, const struct dies_file *file, uint64_t *offset,
                   bool *short_of)
{
	struct dies_unit *unit = dies_loaded(dies, file, *offset);

	if (!unit)
		return false;
	if (!unit->has_scopes && !read_scopes(unit)) {
		*short_of = true;
		return false;
	}
	return scope_around(unit, *offset, offset);
}

bool dies_qualify(struct dies *dies, struct dies_names *names, struct cairn_bytes *qualified)
{
	enum { PARTS = 2 * DIES_NESTING_MAX + 1 };
	struct cairn_bytes parts[PARTS];
	struct dies_names own = *names; /* the slot may be used for another one meanwhile */
	const struct dies_file *file = own.last_file;
	uint64_t offset = own.last;
	size_t first = PARTS - 1;
	bool short_of = false;

	*qualified = own.qualified;
	if (own.has_qualified)
		return true;
	parts[first] = own.name;
	for (unsigned hops = 0; hops < DIES_NESTING_MAX && own.name.size > 0; hops++) {
		struct cairn_bytes name;
		if (!go_out(dies, file, &offset, &short_of))
			break;
		if (!scope_name(dies, &file, &offset, &name))
			return false;
		if (name.size == 0)
			continue;
		parts[--first] = TEXT("::");
		parts[--first] = name;
	}
	own.qualified = own.name;
	own.has_qualified = true;
	if (short_of || (first < PARTS - 1 && !texts_keep(dies->texts, parts + first, PARTS - first,
	                                                  &own.qualified)))
		return false;
	*qualified = own.qualified;
	*names = own; /* whatever took the slot is forgotten */
	return true;
}

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

static bool add_scope(struct dies_unit *unit, uint64_t start, size_t parent)
{
	struct dies_scope scope = { .start = (uint32_t)(start - unit->unit.offset),
		                    .end = UINT32_MAX,
		                    .parent = (uint32_t)parent };

	if (unit->scopes == DIES_NO_SCOPE)
		return true;
	if (!room_for(&unit->scope, &unit->scope_room, unit->scopes + 1, sizeof(scope)))
		return false;
	unit->scope[unit->scopes++] = scope;
	return true;
}

static void end_scope(struct dies_unit *unit, size_t scope, uint64_t end)
{
	if (scope < unit->scopes)
		unit->scope[scope].end = (uint32_t)(end - unit->unit.offset);
}

/* The scopes that are children of the unit itself; what is inside waits until it is asked for. */
static bool read_outer(struct dies_unit *unit)
{
	struct dwarf_entries entries = dwarf_entries(&unit->file->sections, &unit->unit,
	                                             &unit->abbrevs, unit->unit.first);

	unit->scopes = 0;
	if (!dwarf_next_entry(&entries)) /* the unit's own entry */
		return true;
	while (dwarf_next_marked(&entries, 0, 2)) {
		size_t number = unit->scopes;
		bool is_scope = entries.abbrev && (entries.abbrev->marks & DWARF_MARK_SCOPE);
		if (is_scope && !add_scope(unit, dwarf_entry_offset(&entries), DIES_NO_SCOPE))
			return false;
		dwarf_skip_children(&entries);
		if (is_scope)
			end_scope(unit, number, (uint64_t)(entries.at - entries.start));
	}
	unit->outer_scopes = unit->scopes;
	unit->has_scopes = true;
	return true;
}

/* Scopes that are open, with their depths, while the inside of one is walked. */
struct open_scopes {
	uint64_t depth[DIES_NESTING_MAX];
	size_t scope[DIES_NESTING_MAX];
	unsigned count;
};

static void close_scopes(struct dies_unit *unit, struct open_scopes *open, uint64_t depth,
                         uint64_t end)
{
	while (open->count > 0 && open->depth[open->count - 1] >= depth)
		end_scope(unit, open->scope[--open->count], end);
}

static bool open_scope(struct dies_unit *unit, struct open_scopes *open, size_t outer,
                       const struct dwarf_entries *entries)
{
	if (open->count == DIES_NESTING_MAX)
		return true;
	size_t parent = open->count > 0 ? open->scope[open->count - 1] : outer;
	open->depth[open->count] = entries->depth;
	open->scope[open->count++] = unit->scopes;
	return add_scope(unit, dwarf_entry_offset(entries), parent);
}

/* The scopes inside an outer one, behind all others in unit->scope. */
static bool read_inner(struct dies_unit *unit, size_t outer)
{
	struct dies_scope whole = unit->scope[outer];
	struct dwarf_entries entries =
		dwarf_entries(&unit->file->sections, &unit->unit, &unit->abbrevs,
	                      unit->unit.offset + whole.start);
	struct open_scopes open = { .count = 0 };
	uint64_t end = unit->unit.offset + whole.end;
	size_t first = unit->scopes;

	(void)dwarf_next_entry(&entries); /* the outer one itself, at depth 0 */
	for (;;) {
		uint64_t above = open.count > 0 ? open.depth[open.count - 1] + 1 : 1;
		if (!dwarf_next_marked(&entries, DWARF_MARK_SCOPE, above) || entries.depth == 0 ||
		    dwarf_entry_offset(&entries) >= end)
			break;
		close_scopes(unit, &open, entries.depth, dwarf_entry_offset(&entries));
		if (entries.abbrev && (entries.abbrev->marks & DWARF_MARK_SCOPE) &&
		    !open_scope(unit, &open, outer, &entries))
			return false;
	}
	close_scopes(unit, &open, 0, end);
	unit->scope[outer].inner = (uint32_t)first;
	unit->scope[outer].inners = (uint32_t)(unit->scopes - first);
	unit->scope[outer].is_read = true;
	return true;
}

/* The last of `count` scopes from `first` on that begins before `at`, or one around it. */
static size_t search(const struct dies_unit *unit, size_t first, size_t count, uint32_t at)
{
	size_t low = first, high = first + count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (unit->scope[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	size_t scope = low > first ? low - 1 : DIES_NO_SCOPE;
	while (scope < unit->scopes && unit->scope[scope].end <= at)
		scope = unit->scope[scope].parent;
	return scope;
}

/* The innermost scope around the entry at `offset`; *scope is DIES_NO_SCOPE when there is none. */
static bool scope_around(struct dies_unit *unit, uint64_t offset, size_t *scope)
{
	uint32_t at = (uint32_t)(offset - unit->unit.offset);

	*scope = DIES_NO_SCOPE;
	if (!unit->has_scopes && !read_outer(unit))
		return false;
	size_t outer = search(unit, 0, unit->outer_scopes, at);
	if (outer >= unit->outer_scopes)
		return true;
	if (!unit->scope[outer].is_read && !read_inner(unit, outer))
		return false;
	const struct dies_scope *o = &unit->scope[outer];
	*scope = search(unit, o->inner, o->inners, at);
	if (*scope == DIES_NO_SCOPE)
		*scope = outer;
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
	size_t scope;

	if (!unit)
		return false;
	if (!scope_around(unit, *offset, &scope)) {
		*short_of = true;
		return false;
	}
	if (scope == DIES_NO_SCOPE)
		return false;
	*offset = unit->unit.offset + unit->scope[scope].start;
	return true;
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

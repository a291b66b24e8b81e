/* SPDX-License-Identifier: MIT */
/* Builds qualified names from the namespaces, classes and functions around an entry. */
#include "dies.h"

#include "base/sort.h"
#include "model/function.h"

#include <string.h>

#define LANGUAGE(code) ((uint64_t)1 << (code))

static const uint64_t languages[] = {
	/* C89, C, C99, C11, C17 */
	[DIES_C] =
		LANGUAGE(0x01) | LANGUAGE(0x02) | LANGUAGE(0x0c) | LANGUAGE(0x1d) | LANGUAGE(0x2c),
	/* C++98, Objective-C++, C++03, C++11, C++14, C++17, C++20, C++23 */
	[DIES_CPLUSPLUS] = LANGUAGE(0x04) | LANGUAGE(0x11) | LANGUAGE(0x19) | LANGUAGE(0x1a) |
	                   LANGUAGE(0x21) | LANGUAGE(0x2a) | LANGUAGE(0x2b) | LANGUAGE(0x3a),
	[DIES_RUST] = LANGUAGE(0x1c),
};

enum { ENTRY_BYTES = 4 }; /* bytes of entries skipped per step of work */

bool dies_is_in(uint64_t language, enum dies_languages set)
{
	return language < 64 && languages[set] >> language & 1;
}

static bool add_scopes(struct dies_unit *unit, const struct dwarf_extent *extent, size_t count)
{
	const uint64_t base = unit->unit.offset;

	if (!budget_room(unit->budget, &unit->scope, &unit->scope_room, unit->scopes + count,
	                 sizeof(*unit->scope)))
		return false;
	for (size_t i = 0; i < count; i++)
		unit->scope[unit->scopes++] =
			(struct dies_scope){ .start = (uint32_t)(extent[i].start - base),
			                     .end = (uint32_t)(extent[i].end - base) };
	return true;
}

/*
 * Read scopes whose entries have DW_AT_sibling at a fixed offset, as nearly all have. Returns false
 * if memory or the budget is short.
 */
static bool read_plain_scopes(struct dies_unit *unit, struct dwarf_entries *entries)
{
	enum { ROOM = 32 };
	struct dwarf_extent extent[ROOM];
	size_t count = ROOM;

	while (count == ROOM && unit->scopes < DIES_SCOPES_MAX - ROOM) {
		uint64_t walked;
		count = dwarf_read_extents(entries, DWARF_MARK_SCOPE, extent, ROOM, &walked);
		if (!budget_work(unit->budget, walked / ENTRY_BYTES + count) ||
		    !add_scopes(unit, extent, count))
			return false;
	}
	return true;
}

static bool read_any_scope(struct dies_unit *unit, struct dwarf_entries *entries, bool *over)
{
	const uint8_t *from = entries->at;

	*over = !dwarf_next_marked(entries, DWARF_MARK_SCOPE, 1) || entries->depth == 0 ||
	        unit->scopes == DIES_SCOPES_MAX;
	if (!budget_work(unit->budget, (uint64_t)(entries->at - from) / ENTRY_BYTES + 1))
		return false;
	if (*over)
		return true;
	struct dwarf_extent extent = { .start = dwarf_entry_offset(entries) };
	const uint64_t walked = dwarf_skip_children(entries);
	extent.end = (uint64_t)(entries->at - entries->start);
	return budget_work(unit->budget, walked / ENTRY_BYTES) && add_scopes(unit, &extent, 1);
}

/* Read the scopes directly inside one. Those nested deeper are read on demand. */
static bool read_inner(struct dies_unit *unit, size_t outer)
{
	uint64_t start = unit->unit.offset + unit->scope[outer].start;
	struct dwarf_entries entries =
		dwarf_entries(&unit->file->sections, &unit->unit, &unit->abbrevs, start);
	size_t first = unit->scopes;
	bool over = false;

	(void)dwarf_next_entry(&entries); /* skip the outer scope itself, at depth 0 */
	while (!over)
		if (!read_plain_scopes(unit, &entries) || !read_any_scope(unit, &entries, &over))
			return false;
	unit->scope[outer].inner = (uint32_t)first;
	unit->scope[outer].inners = (uint32_t)(unit->scopes - first);
	unit->scope[outer].is_read = true;
	return true;
}

/* Return the scope directly inside `outer` that contains `at`, or `outer`. */
static size_t inner_at(const struct dies_unit *unit, size_t outer, uint32_t at)
{
	const size_t first = unit->scope[outer].inner;
	struct bisection search = bisect_begin(unit->scope[outer].inners);

	while (search.low < search.high)
		bisect_narrow(&search, unit->scope[first + search.middle].start < at);
	const size_t last = first + search.low - 1;
	return search.low > 0 && unit->scope[last].end > at ? last : outer;
}

/*
 * Find the innermost scope around the entry at `offset`. *scope is 0 for the unit. Returns false if
 * memory or the budget is short.
 */
static bool scope_around(struct dies_unit *unit, uint64_t offset, size_t *scope)
{
	uint32_t at = (uint32_t)(offset - unit->unit.offset);

	*scope = 0;
	const struct dwarf_extent whole = { unit->unit.first, unit->unit.offset + UINT32_MAX };
	if (unit->scopes == 0 && !add_scopes(unit, &whole, 1))
		return false;
	for (unsigned level = 0; level < DIES_NESTING_MAX; level++) {
		size_t outer = *scope;
		if (!unit->scope[outer].is_read && !read_inner(unit, outer))
			return false;
		*scope = inner_at(unit, outer, at);
		if (*scope == outer)
			break;
	}
	return true;
}

bool dies_store_part(struct string_store *texts, struct cairn_bytes part, struct cairn_bytes *kept)
{
	bool is_lambda = part.size > 1 && part.data[0] == '<' && part.data[part.size - 1] == '>';

	*kept = part;
	if (!is_lambda)
		return true;
	struct cairn_bytes inside = { part.data + 1, part.size - 2 };
	struct cairn_bytes parts[] = { TEXT("{"), inside, TEXT("}") };
	return string_store_add(texts, parts, 3, kept);
}

/*
 * Read the name of the scope at `offset`, and move *file and *offset to its declaration. *lost is
 * set if a name is missing.
 */
static bool scope_name(struct dies *dies, const struct dies_file **file, uint64_t *offset,
                       struct cairn_bytes *name, bool *lost)
{
	struct dies_names *names = dies_names_at(dies, *file, *offset);

	*lost = !names;
	name->size = 0;
	if (!names)
		return true;
	*file = names->last_file;
	*offset = names->last;
	struct cairn_bytes own = dies_name(dies, names);
	*lost = names->lost;
	if (own.size == 0 && names->is_anonymous && !names->lost) {
		*name = TEXT(DIES_ANONYMOUS);
		return true;
	}
	return dies_store_part(dies->texts, own, name);
}

/*
 * Move *offset to the enclosing scope. Returns false at the unit, or with *short_of set if memory
 * is short.
 */
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
	if (scope == 0)
		return false;
	*offset = unit->unit.offset + unit->scope[scope].start;
	return true;
}

bool dies_qualify(struct dies *dies, struct dies_names *names, struct cairn_bytes *qualified)
{
	enum { PARTS = 2 * DIES_NESTING_MAX + 1 };
	struct cairn_bytes parts[PARTS];
	(void)dies_name(dies, names);
	/* copied because the cache slot may be overwritten meanwhile */
	struct dies_names own = *names;
	const struct dies_file *file = own.last_file;
	uint64_t offset = own.last;
	size_t first = PARTS - 1;
	bool short_of = false, lost = own.lost;

	*qualified = own.qualified;
	if (own.has_qualified)
		return true;
	parts[first] = own.name;
	for (unsigned hops = 0; hops < DIES_NESTING_MAX && own.name.size > 0 && !lost; hops++) {
		struct cairn_bytes name;
		if (!go_out(dies, file, &offset, &short_of))
			break;
		if (!scope_name(dies, &file, &offset, &name, &lost))
			return false;
		if (name.size == 0)
			continue;
		parts[--first] = TEXT("::");
		parts[--first] = name;
	}
	if (lost)
		first = PARTS - 1;
	own.qualified = own.name;
	own.has_qualified = true;
	if (short_of || (first < PARTS - 1 && !string_store_add(dies->texts, parts + first,
	                                                        PARTS - first, &own.qualified)))
		return false;
	*qualified = own.qualified;
	*names = own; /* rewrite the cache slot, which another entry may have taken meanwhile */
	return true;
}

/* Skip "4name" in a linkage name. Returns false if another name is there. */
static bool skip_linkage_part(struct cairn_bytes *linkage, struct cairn_bytes part)
{
	size_t size = 0, at = 0;

	while (at < linkage->size && linkage->data[at] >= '0' && linkage->data[at] <= '9' &&
	       size <= part.size)
		size = 10 * size + (size_t)(linkage->data[at++] - '0');
	if (size != part.size || size > linkage->size - at ||
	    memcmp(linkage->data + at, part.data, size) != 0)
		return false;
	*linkage = (struct cairn_bytes){ linkage->data + at + size, linkage->size - at - size };
	return true;
}

/* Return true if a legacy Rust linkage name consists of these components and a hash. */
static bool shows_path(struct cairn_bytes linkage, struct cairn_bytes path)
{
	static const char start[] = "_ZN", hash[] = "17h";

	if (linkage.size < 3 || memcmp(linkage.data, start, 3) != 0)
		return false;
	linkage = (struct cairn_bytes){ linkage.data + 3, linkage.size - 3 };
	for (;;) {
		size_t end = 0; /* end of the first component */
		while (end < path.size && path.data[end] != ':')
			end++;
		if (!skip_linkage_part(&linkage, (struct cairn_bytes){ path.data, end }))
			return false;
		if (end == path.size)
			return linkage.size >= 3 && memcmp(linkage.data, hash, 3) == 0;
		if (path.size - end < 2)
			return false;
		path = (struct cairn_bytes){ path.data + end + 2, path.size - end - 2 };
	}
}

bool dies_add_path(struct dies *dies, struct dies_names *names)
{
	static const uint8_t gap[FUNCTION_PATH_GAP] = { 0, FUNCTION_PATH_MARK };
	struct cairn_bytes path, joined;

	if (names->has_path)
		return true;
	if (!dies_qualify(dies, names, &path))
		return false;
	names->has_path = true;
	/* with #[no_mangle] there is only the plain name */
	const struct cairn_bytes linkage = names->linkage.size > 0 ? names->linkage : names->name;
	const bool is_alone = path.size == names->name.size; /* names of scopes are missing */
	if (is_alone || path.size > UINT32_MAX || shows_path(linkage, path))
		return true;
	const struct cairn_bytes parts[] = { linkage, { gap, sizeof(gap) }, path };
	if (!string_store_add(dies->texts, parts, 3, &joined))
		return false;
	names->linkage = (struct cairn_bytes){ joined.data, linkage.size };
	names->path_size = (uint32_t)path.size;
	return true;
}

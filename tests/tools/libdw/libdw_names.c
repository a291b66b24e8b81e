/* SPDX-License-Identifier: MIT */
/* Resolves the name of a DIE through its references and enclosing scopes with libdw. */
#include "libdw_parts.h"

#include "base/sort.h"
#include "debuginfo/dies.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t nothing[1];

static struct cairn_bytes read_string_attribute(Dwarf_Attribute *attribute)
{
	const char *text = attribute ? dwarf_formstring(attribute) : NULL;

	if (!text)
		return (struct cairn_bytes){ nothing, 0 };
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/* Where an entry was declared; false when it refers to none, or to what is *lost. */
static bool find_referenced_die(Dwarf_Die *die, Dwarf_Die *to, bool *lost)
{
	Dwarf_Attribute attribute;
	Dwarf_Attribute *found = dwarf_attr(die, DW_AT_specification, &attribute);

	if (!found)
		found = dwarf_attr(die, DW_AT_abstract_origin, &attribute);
	if (!found)
		return false;
	bool there = dwarf_formref_die(found, to) != NULL;
	*lost |= !there;
	return there;
}

/* The end of the chain of references, and the names on the way; is a part of it *lost? */
static Dwarf_Die follow_references(struct libdw_reader *libdw, Dwarf_Die *die,
                                   struct function_builder_names *names, bool *lost)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attribute;

	*lost = false;
	for (unsigned i = 0; i < LIBDW_CHAIN_MAX; i++) {
		if (!budget_work(libdw->budget, libdw_steps(libdw, &at)))
			break;
		if (names->linkage.size == 0)
			names->linkage = read_string_attribute(
				dwarf_attr(&at, DW_AT_linkage_name, &attribute));
		if (names->linkage.size == 0)
			names->linkage = read_string_attribute(
				dwarf_attr(&at, DW_AT_MIPS_linkage_name, &attribute));
		if (names->plain.size == 0 && dwarf_attr(&at, DW_AT_name, &attribute)) {
			names->plain = read_string_attribute(&attribute);
			*lost |= !dwarf_formstring(&attribute);
		}
		if (i + 1 == LIBDW_CHAIN_MAX || !find_referenced_die(&at, &next, lost))
			break;
		at = next;
	}
	return at;
}

static bool is_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
		return true;
	default: /* what is not named, or has no others inside */
		return false;
	}
}

/* A way down through the tree. */
struct path {
	Dwarf_Die die[LIBDW_DEPTH_MAX];
	size_t scope[LIBDW_DEPTH_MAX];    /* that this entry opened, or LIBDW_NO_SCOPE */
	uint64_t before[LIBDW_DEPTH_MAX]; /* steps of the walk up to this entry */
	size_t depth;
	uint64_t steps;
};

static bool enter_scope_die(struct libdw_reader *libdw, struct path *path, Dwarf_Die *die)
{
	struct libdw_scopes *scopes = &libdw->scopes;
	size_t parent = LIBDW_NO_SCOPE;
	struct libdw_scope scope = { .start = dwarf_dieoffset(die), .die = *die };

	for (size_t i = path->depth; i > 0 && parent == LIBDW_NO_SCOPE; i--)
		parent = path->scope[i - 1];
	uint64_t steps = libdw_steps(libdw, die);
	path->before[path->depth] = path->steps;
	path->steps += steps;
	path->die[path->depth] = *die;
	path->scope[path->depth] = LIBDW_NO_SCOPE;
	if (!budget_work(libdw->budget, steps))
		return false;
	if (!is_scope(die) || dwarf_haschildren(die) != 1)
		return true;
	if (!budget_capacity(libdw->budget, &scopes->scope, &scopes->capacity, scopes->count + 1,
	                     sizeof(scope)))
		return false;
	scope.end = UINT64_MAX;
	scope.parent = parent;
	path->scope[path->depth] = scopes->count;
	scopes->scope[scopes->count++] = scope;
	return true;
}

/* Goes to the next entry, which ends the scopes before it; false past the last. */
static bool step_scope_walk(struct libdw_reader *libdw, struct path *path, bool *ok)
{
	Dwarf_Die next;

	if (dwarf_child(&path->die[path->depth], &next) == 0) {
		if (path->depth + 1 == LIBDW_DEPTH_MAX)
			return false;
		path->depth++;
		return (*ok = enter_scope_die(libdw, path, &next));
	}
	for (; path->depth > 0; path->depth--) {
		uint64_t below = path->steps - path->before[path->depth];
		if (libdw_next(libdw, &path->die[path->depth], &next, below) <= 0)
			continue;
		size_t scope = path->scope[path->depth];
		if (scope != LIBDW_NO_SCOPE)
			libdw->scopes.scope[scope].end = dwarf_dieoffset(&next);
		return (*ok = enter_scope_die(libdw, path, &next));
	}
	return false;
}

/* A scope that is the last child ends where the one around it does. */
static void end_scopes(struct libdw_scopes *scopes)
{
	for (size_t i = 0; i < scopes->count; i++) {
		struct libdw_scope *scope = &scopes->scope[i];
		if (scope->end == UINT64_MAX && scope->parent != LIBDW_NO_SCOPE)
			scope->end = scopes->scope[scope->parent].end;
	}
}

static bool read_scopes(struct libdw_reader *libdw, Dwarf_Die *root)
{
	struct libdw_scopes *scopes = &libdw->scopes;
	struct path *path = malloc(sizeof(*path));
	bool ok = path != NULL;

	scopes->count = 0;
	scopes->unit = dwarf_dieoffset(root);
	if (ok) {
		path->depth = 0;
		path->steps = 0;
		ok = enter_scope_die(libdw, path, root);
		while (ok && step_scope_walk(libdw, path, &ok))
			continue;
	}
	free(path);
	end_scopes(scopes);
	return ok;
}

/* The innermost scope around `die`; false when there is none. */
static bool find_scope_around(const struct libdw_scopes *scopes, Dwarf_Die *die, Dwarf_Die *around)
{
	Dwarf_Off at = dwarf_dieoffset(die);
	const size_t first = SORTED_BELOW(scopes->scope, scopes->count, start, at);

	size_t scope = first > 0 ? first - 1 : LIBDW_NO_SCOPE;
	while (scope != LIBDW_NO_SCOPE && scopes->scope[scope].end <= at)
		scope = scopes->scope[scope].parent;
	if (scope == LIBDW_NO_SCOPE)
		return false;
	*around = scopes->scope[scope].die;
	return true;
}

/* The scope around an entry of any unit; false when there is none, or *ok is. */
static bool find_outer_scope(struct libdw_reader *libdw, Dwarf_Die *die, Dwarf_Die *around,
                             bool *ok)
{
	Dwarf_Die root;

	if (!dwarf_diecu(die, &root, NULL, NULL))
		return false;
	if (libdw->scopes.unit != dwarf_dieoffset(&root))
		*ok = read_scopes(libdw, &root);
	return *ok && find_scope_around(&libdw->scopes, die, around);
}

/* A namespace that has no name at all, which is not the same as one whose name cannot be read. */
static bool is_anonymous(Dwarf_Die *scope)
{
	return dwarf_tag(scope) == DW_TAG_namespace && !dwarf_hasattr(scope, DW_AT_name);
}

static bool qualify_die_name(struct libdw_reader *libdw, struct string_store *texts, Dwarf_Die at,
                             struct cairn_bytes *name)
{
	struct cairn_bytes parts[2 * LIBDW_NAMES_MAX + 1];
	size_t first = 2 * LIBDW_NAMES_MAX;
	Dwarf_Die around;
	bool ok = true, lost;

	parts[first] = *name;
	for (unsigned i = 0; i < LIBDW_NAMES_MAX && find_outer_scope(libdw, &at, &around, &ok);
	     i++) {
		struct cairn_bytes empty = { nothing, 0 };
		struct function_builder_names names = { empty, empty, empty, 0 };
		at = follow_references(libdw, &around, &names, &lost);
		if (lost) /* half of a path would be the name of something else */
			return true;
		if (!budget_text(libdw->budget, names.plain.size))
			return false;
		if (names.plain.size == 0 && is_anonymous(&at))
			names.plain = TEXT(DIES_ANONYMOUS);
		if (names.plain.size == 0)
			continue;
		parts[--first] = TEXT("::");
		if (!dies_store_part(texts, names.plain, &parts[--first]))
			return false;
	}
	return ok && string_store_add(texts, parts + first, 2 * LIBDW_NAMES_MAX + 1 - first, name);
}

bool libdw_read_names(struct libdw_reader *libdw, const struct libdw_unit *unit, Dwarf_Die *die,
                      bool qualified, struct function_builder_names *names)
{
	struct cairn_bytes empty = { nothing, 0 };

	*names = (struct function_builder_names){ empty, empty, empty, 0 };
	bool lost;
	Dwarf_Die last = follow_references(libdw, die, names, &lost);
	if (!budget_text(libdw->budget, names->linkage.size + names->plain.size))
		return false;
	names->name = names->plain;
	if (!qualified || names->linkage.size > 0 || names->plain.size == 0 || lost)
		return true;
	return qualify_die_name(libdw, unit->texts, last, &names->name);
}

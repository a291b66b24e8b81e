/* SPDX-License-Identifier: MIT */
/* Walks the DIEs of a unit, and opens and closes functions, inlined calls and scopes. */
#include "unit_walk.h"

#include "base/range.h"
#include "debuginfo/dwarf/dies.h"

static const uint8_t nothing[1];

/* Pass the ranges of an entry to the builder. Returns false to end the walk. */
static bool add_entry_ranges(struct unit_walk *scan, const struct die *die)
{
	const struct dies_unit *unit = &scan->dies->main;
	struct cairn_range range;

	if (!die_has(die, DIES_RANGES))
		return !die_pc_bounds(unit, die, &range) ||
		       function_builder_range(scan->builder, range);
	if (!die_has_range_list(die))
		return true;
	struct dwarf_ranges ranges = dwarf_open_ranges(&unit->file->sections, &unit->unit,
	                                               &unit->bases, &die->at[DIES_RANGES]);
	return function_builder_list(scan->builder, &ranges);
}

static bool fail_scan_no_memory(struct unit_walk *scan)
{
	scan->builder->status = CAIRN_NO_MEMORY;
	return false;
}

/* Set *name to the qualified C++ name, or to the plain one if the host prefers that. */
static bool qualify_cplusplus_name(struct unit_walk *scan, struct dies_names *names,
                                   struct cairn_bytes *name)
{
	*name = dies_name(scan->dies, names);
	if (scan->builder->names != CAIRN_NAMES_QUALIFIED ||
	    !dies_is_in(dies_language(&scan->dies->main.root), DIES_CPLUSPLUS))
		return true;
	return dies_qualify(scan->dies, names, name) || fail_scan_no_memory(scan);
}

/*
 * Add the path of a Rust function if debuggers will read it and cannot demangle its linkage name.
 */
static bool add_rust_path(struct unit_walk *scan, struct dies_names *names)
{
	if (!scan->lines->every_row ||
	    !dies_is_in(dies_language(&scan->dies->main.root), DIES_RUST))
		return true;
	return dies_add_path(scan->dies, names) || fail_scan_no_memory(scan);
}

static void fill_lines_hint(const struct unit_walk *scan, const struct die *die,
                            const struct dies_names *names, struct lines_hint *hint)
{
	*hint = (struct lines_hint){ .line = (uint32_t)names->decl_line };
	if (names->has_decl_file)
		hint->file = lines_file(scan->lines, names->decl_file);
	hint->has_sequence = die_has(die, DIES_SEQUENCE);
	hint->sequence = hint->has_sequence ? die->at[DIES_SEQUENCE].number : 0;
}

static bool fetch_symbols(const struct function_builder *builder)
{
	const struct function_builder_focus *focus = builder->focus;

	for (size_t i = builder->ranges - builder->pending; focus && i < builder->ranges; i++)
		if (range_touches(builder->range[i], focus->range, focus->count) &&
		    !focus->name(focus->context, builder->range[i].low))
			return false;
	return true;
}

/*
 * Fill in the names of a function. The qualified name is built only if there is no symbol: the
 * symbol's name is as good and costs nothing.
 */
static bool fill_function_names(struct unit_walk *scan, const struct die *die, uint64_t offset,
                                struct function_builder_function *function)
{
	struct dies_names *names = dies_names_at(scan->dies, scan->dies->main.file, offset);

	if (!fetch_symbols(scan->builder))
		return fail_scan_no_memory(scan);
	if (!names)
		return true;
	fill_lines_hint(scan, die, names, &function->hint);
	if (!add_rust_path(scan, names))
		return false;
	function->names.linkage = names->linkage;
	function->names.path_size = names->path_size;
	function->names.plain = dies_name(scan->dies, names);
	return names->linkage.size > 0 || !function_builder_needs_name(scan->builder) ||
	       qualify_cplusplus_name(scan, names, &function->names.name);
}

/*
 * Open a function. Skip a function that was not requested or was already reported, unless it is
 * nested in another function: then open it without ranges, because its inlined calls would
 * otherwise be attributed to the outer function.
 */
static bool open_function(struct unit_walk *scan, const struct die *die, uint64_t offset)
{
	struct function_builder_function function = { .hint = { .line = 0 } };
	struct cairn_bytes empty = { nothing, 0 };

	function.names = (struct function_builder_names){ empty, empty, empty, 0 };
	if (die_has(die, DIES_LOW) || die_has(die, DIES_RANGES)) {
		if (!add_entry_ranges(scan, die))
			return false;
		if (!function_builder_is_asked(scan->builder)) {
			function_builder_drop_ranges(scan->builder);
			if (!function_builder_in_function(scan->builder))
				return true;
		} else if (!fill_function_names(scan, die, offset, &function)) {
			return false;
		} else if (function_builder_was_given(scan->builder, &function)) {
			function_builder_drop_ranges(scan->builder);
			if (!function_builder_in_function(scan->builder))
				return true;
		}
	}
	return function_builder_open_function(scan->builder, &function);
}

/*
 * Read the name of an inlined call from the entry it refers to. Done late, because a third of all
 * calls have no code and need no name.
 */
static bool read_inline_name(void *context, struct function_builder_inline *call)
{
	struct unit_walk *scan = context;
	struct dies_names *names = dies_names_at(scan->dies, call->late_file, call->late);

	call->late_file = NULL;
	if (!names)
		return true;
	if (scan->builder->names != CAIRN_NAMES_SHORT) {
		if (!add_rust_path(scan, names))
			return false;
		call->name = names->linkage;
		call->path_size = names->path_size;
	}
	return call->name.size > 0 || qualify_cplusplus_name(scan, names, &call->name);
}

static void find_inline_name(const struct unit_walk *scan, const struct die *die,
                             struct function_builder_inline *call)
{
	call->name = (struct cairn_bytes){ nothing, 0 };
	if (!die_has(die, DIES_ORIGIN) ||
	    !dies_follow(&scan->dies->main, &die->at[DIES_ORIGIN], &call->late_file, &call->late))
		call->late_file = NULL;
	else
		dies_names_soon(scan->dies, call->late_file, call->late);
}

/*
 * Read DW_AT_entry_pc, which is an address or an offset from the first range. Call after the ranges
 * were added.
 */
static void read_entry_pc(const struct unit_walk *scan, const struct die *die,
                          struct function_builder_inline *call)
{
	const struct function_builder *h = scan->builder;
	const struct dies_unit *unit = &scan->dies->main;

	if (!die_has(die, DIES_ENTRY))
		return;
	call->has_entry = die_address(unit, die, DIES_ENTRY, &call->entry);
	if (die->at[DIES_ENTRY].class == DWARF_CONSTANT && h->pending > 0) {
		call->has_entry = true;
		call->entry = h->range[h->ranges - h->pending].low + die->at[DIES_ENTRY].number;
	}
}

static bool open_inline(struct unit_walk *scan, const struct die *die)
{
	struct function_builder_inline call = { .call_file = 0 };

	if (die_has(die, DIES_CALL_FILE))
		call.call_file = lines_file(scan->lines, die->at[DIES_CALL_FILE].number);
	if (die_has(die, DIES_CALL_LINE))
		call.call_line = (uint32_t)die->at[DIES_CALL_LINE].number;
	if (scan->lines->columns && die_has(die, DIES_CALL_COLUMN))
		call.call_column = (uint32_t)die->at[DIES_CALL_COLUMN].number;
	if (!add_entry_ranges(scan, die))
		return false;
	read_entry_pc(scan, die, &call);
	find_inline_name(scan, die, &call);
	return function_builder_open_inline(scan->builder, &call);
}

/*
 * Add a call site. The return address is DW_AT_call_return_pc or, in the older GNU
 * extension, DW_AT_low_pc.
 */
static bool add_call_site(struct unit_walk *scan, const struct die *die)
{
	enum dies_attribute where = die->tag == DWARF_TAG_CALL_SITE ? DIES_CALL_RETURN : DIES_LOW;
	enum dies_attribute origin =
		die->tag == DWARF_TAG_CALL_SITE ? DIES_CALL_ORIGIN : DIES_ORIGIN;
	struct cairn_bytes name = { nothing, 0 };
	const struct dies_file *file;
	uint64_t va, offset;

	if (!die_address(&scan->dies->main, die, where, &va))
		return true;
	if (die_has(die, origin) &&
	    dies_follow(&scan->dies->main, &die->at[origin], &file, &offset)) {
		struct dies_names *names = dies_names_at(scan->dies, file, offset);
		if (names)
			name = names->linkage.size > 0 ? names->linkage
			                               : dies_name(scan->dies, names);
	}
	return function_builder_call(scan->builder, va, name);
}

struct depths {
	uint64_t depth[FUNCTION_BUILDER_DEPTH_MAX];
	size_t count;
};

/* Return the depth below which an entry ends the innermost open one. */
static uint64_t find_minimum_depth(const struct depths *depths)
{
	return depths->count > 0 ? depths->depth[depths->count - 1] + 1 : 0;
}

static bool close_ended_entries(struct unit_walk *scan, struct depths *depths, uint64_t depth)
{
	while (depths->count > 0 && depths->depth[depths->count - 1] >= depth) {
		depths->count--;
		if (!function_builder_close(scan->builder))
			return false;
	}
	return true;
}

/*
 * Return the kinds of entries to visit. Inside a function, a nested function without addresses
 * matters too, because calls inlined into that abstract function are not inlined into the
 * enclosing one.
 */
static unsigned choose_wanted_marks(const struct unit_walk *scan)
{
	if (!function_builder_in_function(scan->builder))
		return DWARF_MARK_CODE;
	return DWARF_MARK_CODE | DWARF_MARK_FUNCTION | DWARF_MARK_INLINED |
	       (scan->call_sites ? DWARF_MARK_CALL : 0) |
	       (scan->lines->every_row ? DWARF_MARK_BLOCK : 0);
}

/*
 * Return true if a scope has variables, which compilers write first. Debuggers ignore scopes
 * without any.
 */
static bool has_variable(const struct dwarf_entries *entries)
{
	enum { LOOK = 4 };
	struct dwarf_entries look = *entries;

	for (unsigned i = 0; i < LOOK && dwarf_next_entry(&look); i++)
		if (look.abbrev && look.abbrev->tag == DWARF_TAG_VARIABLE)
			return look.depth > entries->depth;
	return false;
}

static bool handle_marked_entry(struct unit_walk *scan, struct depths *depths,
                                struct dwarf_entries *entries)
{
	struct die die;
	uint16_t tag = entries->abbrev->tag;

	dies_read(entries, &die);
	if (tag == DWARF_TAG_CALL_SITE || tag == DWARF_TAG_GNU_CALL_SITE)
		return add_call_site(scan, &die);
	if (tag == DWARF_TAG_LEXICAL_BLOCK)
		return !has_variable(entries) ||
		       (add_entry_ranges(scan, &die) && function_builder_scope(scan->builder));
	bool ok = tag == DWARF_TAG_SUBPROGRAM
	                  ? open_function(scan, &die, dwarf_entry_offset(entries))
	                  : open_inline(scan, &die);
	/*
	 * The builder limits the depth to the size of `depths`, and does not open entries that were
	 * not requested.
	 */
	if (ok && scan->builder->opens > depths->count)
		depths->depth[depths->count++] = entries->depth;
	else if (ok && entries->around == DWARF_MARK_INNER)
		(void)!dwarf_skip_children(entries);
	return ok;
}

/*
 * Return which subtrees to skip because they contain no code: C structures have no functions, and
 * nested functions of GNU C are inside functions.
 */
static unsigned choose_around(const struct unit_walk *scan)
{
	if (scan->builder->focus && scan->builder->focus->outside)
		return DWARF_MARK_INNER;
	return dies_is_in(dies_language(&scan->dies->main.root), DIES_C) ? DWARF_MARK_TYPE : 0;
}

static enum cairn_status report_scan_end(const struct unit_walk *scan,
                                         const struct dwarf_entries *entries,
                                         struct cairn_fault *fault)
{
	*fault = entries->fault;
	if (scan->builder->too_deep)
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, dwarf_entry_offset(entries),
			                       "entries nest too deep" };
	if (scan->builder->status != CAIRN_OK)
		fault->status = scan->builder->status;
	return fault->status;
}

enum cairn_status unit_walk_read(struct unit_walk *scan, struct cairn_fault *fault,
                                 const char **section)
{
	const struct dies_unit *unit = &scan->dies->main;
	struct dwarf_entries entries =
		dwarf_entries(&unit->file->sections, &unit->unit, &unit->abbrevs, unit->unit.first);
	struct depths depths = { .count = 0 };
	bool ok = true;

	entries.around = choose_around(scan);
	scan->builder->name_call = read_inline_name;
	scan->builder->name_context = scan;
	*section = ".debug_info";
	while (ok && dwarf_next_marked(&entries, choose_wanted_marks(scan),
	                               find_minimum_depth(&depths))) {
		if (entries.depth < find_minimum_depth(&depths))
			ok = close_ended_entries(scan, &depths, entries.depth);
		if (ok && entries.abbrev && (entries.abbrev->marks & choose_wanted_marks(scan)))
			ok = handle_marked_entry(scan, &depths, &entries);
	}
	if (ok)
		close_ended_entries(scan, &depths, 0);
	return report_scan_end(scan, &entries, fault);
}

/* SPDX-License-Identifier: MIT */
/*
 * Walks the DIEs of one DWARF 4 or 5 unit and opens and closes functions, inlined calls and scopes.
 */
#include "unit_walk.h"

#include "base/range.h"
#include "debuginfo/dwarf/dies.h"

static const uint8_t nothing[1];

/* Gives the ranges of an entry to the builder; false when the walk must end. */
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

/* The name that C++ would write, or the plain one, which the host may prefer. */
static bool qualify_cplusplus_name(struct unit_walk *scan, struct dies_names *names,
                                   struct cairn_bytes *name)
{
	*name = dies_name(scan->dies, names);
	if (scan->builder->names != CAIRN_NAMES_QUALIFIED ||
	    !dies_is_in(dies_language(&scan->dies->main.root), DIES_CPLUSPLUS))
		return true;
	return dies_qualify(scan->dies, names, name) || fail_scan_no_memory(scan);
}

/* Where debuggers get the function they are told its path, if its linkage name is one that they do not read. */
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

/* The symbols of a function that is asked for. */
static bool fetch_symbols(const struct function_builder *builder)
{
	const struct function_builder_focus *focus = builder->focus;

	for (size_t i = builder->ranges - builder->pending; focus && i < builder->ranges; i++)
		if (range_touches(builder->range[i], focus->range, focus->count) &&
		    !focus->name(focus->context, builder->range[i].low))
			return false;
	return true;
}

/* A symbol's name is as good, and costs nothing; the qualified one is for where there is none. */
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

/* One that is not asked for, or was given, is opened inside of another one only, whose calls are not those in it. */
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

/* The name of an inlined call, by the entry that it refers to.  A third of all calls have no code, and need none. */
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

/* Reads DW_AT_entry_pc, which is an address or counts from the first range, once the ranges were reported. */
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

/* A call's return address: DW_AT_call_return_pc, and as GNU had it DW_AT_low_pc. */
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

/* Entries of interest that are open, by their depth in the tree. */
struct depths {
	uint64_t depth[FUNCTION_BUILDER_DEPTH_MAX];
	size_t count;
};

/* An entry below this depth ends the last one that is open. */
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
 * Which entries describe functions here.  Inside a function another one without addresses is of
 * interest because what is inlined into it, in the abstract, is not inlined into the one around.
 */
static unsigned choose_wanted_marks(const struct unit_walk *scan)
{
	if (!function_builder_in_function(scan->builder))
		return DWARF_MARK_CODE;
	return DWARF_MARK_CODE | DWARF_MARK_FUNCTION | DWARF_MARK_INLINED |
	       (scan->call_sites ? DWARF_MARK_CALL : 0) |
	       (scan->lines->every_row ? DWARF_MARK_BLOCK : 0);
}

/* Debuggers know no scope without any; compilers write them first. */
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
	/* the builder has as few as we have room for, and leaves out what is not asked for */
	if (ok && scan->builder->opens > depths->count)
		depths->depth[depths->count++] = entries->depth;
	else if (ok && entries->around == DWARF_MARK_INNER)
		(void)!dwarf_skip_children(entries);
	return ok;
}

/* What code is never inside of: a structure of C has no functions, and local ones of GNU C are inside of functions. */
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

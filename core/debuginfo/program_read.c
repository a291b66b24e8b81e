/* SPDX-License-Identifier: MIT */
/* Reads the functions of a unit, and line rows for code without a DIE. */

#include "function_builder.h"
#include "program.h"
#include "program_state.h"

#include "base/error.h"
#include "base/invariant.h"
#include "base/range.h"
#include "base/reader.h"
#include "base/sort.h"
#include "debuginfo/dies.h"
#include "formats/dwarf/dwarf.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

/*
 * Walks the DIEs of a unit, and opens and closes functions, inlined calls and lexical blocks in the
 * builder.
 */

struct unit_walk {
	struct dies *dies;
	struct function_builder *builder;
	struct lines *lines;
	bool call_sites;
};

static const uint8_t nothing[1];

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

/* Set *name to the qualified C++ name, or to the unqualified name if the host prefers it. */
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
 * Append the path of a Rust function if the output is for debuggers and the linkage name does not
 * contain it.
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
 * Set the names of a function. Builds the qualified name only if there is no symbol, because a
 * symbol's name is just as good and costs nothing.
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
 * Open a function. Functions that were not requested, or that have already been emitted, are
 * skipped. However, if such a function is nested in another one, it is opened without ranges,
 * because its inlined calls would otherwise be attributed to the outer function.
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
 * Read the name of an inlined call from the DIE that it refers to. This is done late because a
 * third of all calls have no code and need no name.
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
 * Read DW_AT_entry_pc, which is an address or an offset from the first range. Call this after
 * adding the ranges.
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

/*
 * Return the minimum depth of the DIEs inside the innermost open function or call. A DIE at a lower
 * depth ends that function or call.
 */
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
 * Return the kinds of DIEs to visit. Inside a function, nested functions without addresses must be
 * visited as well: they are abstract, and calls inlined into them are not inlined into the
 * enclosing function.
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
 * Return true if a lexical block has variables. Debuggers ignore blocks without variables. Only the
 * first DIEs in the block are checked, because compilers write variables first.
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
	 * the builder limits the nesting to the size of `depths`, and does not open functions that
	 * were not requested
	 */
	if (ok && scan->builder->opens > depths->count)
		depths->depth[depths->count++] = entries->depth;
	else if (ok && entries->around == DWARF_MARK_INNER)
		(void)!dwarf_skip_children(entries);
	return ok;
}

/*
 * Return the subtrees to skip because they contain no code: C structures have no member functions,
 * and nested functions of GNU C occur only inside functions.
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

/*
 * Read all functions in the unit. Returns CAIRN_OK at its end, otherwise NO_MEMORY,
 * builder->status, or the status of damage; *fault and *section then have its location.
 */
static enum cairn_status unit_walk_read(struct unit_walk *scan, struct cairn_fault *fault,
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

/*
 * Reads units and line rows. With split DWARF, the unit in the program (the skeleton) contains the
 * addresses and the line table, but its functions are in a separate file (.dwo) or in a package of
 * such files (.dwp).
 */

/*
 * Cost of searching for a split file: memory for its path, and work for trying several
 * locations.
 */
enum { FIND_MEMORY = 5000, FIND_WORK = 2000 };

static const uint8_t nothing[1];

static void program_close_dwo(struct program_reader *reader)
{
	while (reader->split) {
		struct program_dwo_file *next = reader->split->next;
		dies_free_units(&reader->split->file);
		dwarf_sections_close(&reader->split->plain);
		free(reader->split);
		reader->split = next;
	}
}

static uint64_t read_dwo_id(const struct dies_unit *skeleton)
{
	if (skeleton->unit.version >= 5)
		return skeleton->unit.id;
	return die_has(&skeleton->root, DIES_DWO_ID) ? skeleton->root.at[DIES_DWO_ID].number : 0;
}

/* Add a split file. It lives as long as the reader because emitted functions borrow its strings. */
static struct program_dwo_file *add_split_file(struct program_reader *reader)
{
	struct program_dwo_file *file = NULL;

	if (budget_memory(&reader->budget, sizeof(*file)))
		file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->next = reader->split;
	reader->split = file;
	return file;
}

static struct cairn_bytes slice_contribution(struct cairn_bytes whole, struct cairn_range part)
{
	struct cairn_bytes bytes = { nothing, 0 };

	if (!bytes_slice(whole, part.low, part.high - part.low, &bytes))
		return (struct cairn_bytes){ nothing, 0 };
	return bytes;
}

/* Find the unit in the package. The unit's sections are slices of the package's sections. */
static enum cairn_status find_packed(struct program_reader *reader, uint64_t id,
                                     struct program_dwo_file *file, struct cairn_fault *fault)
{
	struct program *program = reader->program;
	const struct dwarf_sections *whole = &program->package.sections;
	struct dwarf_sections *sections = &file->file.sections;
	struct dwarf_package_unit unit;
	enum cairn_status status =
		dwarf_find_in_package(program->package_plain.package, whole->big, id, &unit, fault);

	if (!budget_work(&reader->budget, unit.looked))
		return CAIRN_NO_MEMORY;
	if (status != CAIRN_OK)
		return status;
	*sections = *whole;
	sections->info = slice_contribution(whole->info, unit.info);
	sections->abbrev = slice_contribution(whole->abbrev, unit.abbrev);
	sections->str_offsets = slice_contribution(whole->str_offsets, unit.str_offsets);
	sections->rnglists = slice_contribution(whole->rnglists, unit.rnglists);
	return CAIRN_OK;
}

static enum cairn_status find_file(struct program_reader *reader, uint64_t id,
                                   struct program_dwo_file *file, struct cairn_fault *fault,
                                   const char **section)
{
	const struct program_dwo_source *split = &reader->program->input.split;
	const struct dies_unit *skeleton = &reader->dies.main;
	struct cairn_bytes directory = { nothing, 0 };
	struct program_damage damage;

	if (!split->find)
		return CAIRN_NOT_FOUND;
	if (!budget_memory(&reader->budget, FIND_MEMORY) ||
	    !budget_work(&reader->budget, FIND_WORK))
		return CAIRN_NO_MEMORY;
	if (die_has(&skeleton->root, DIES_COMP_DIR))
		directory = dies_text(skeleton, &skeleton->root.at[DIES_COMP_DIR]);
	struct cairn_bytes bytes =
		split->find(split->context, directory,
	                    dies_text(skeleton, &skeleton->root.at[DIES_DWO_NAME]), id);
	if (bytes.size == 0)
		return CAIRN_NOT_FOUND;
	if (!budget_credit(&reader->program->pool, bytes))
		return CAIRN_NO_MEMORY;
	const struct dwarf_sections_how how = { .split = true,
		                                .mapped = reader->program->input.mapped };
	enum cairn_status status =
		dwarf_sections_open(bytes, how, &reader->budget, &file->plain, &damage);
	file->file.sections = file->plain.dwarf;
	*fault = damage.fault;
	*section = damage.section;
	return status;
}

/* Return the unit in the split file that belongs to the skeleton with this ID. */
static const struct dwarf_unit *find_unit(const struct dies_file *file, uint64_t id,
                                          struct cairn_fault *fault)
{
	for (size_t i = 0; i < file->units.count; i++) {
		const struct dwarf_unit *unit = &file->units.unit[i];
		bool is_new = unit->version >= 5;
		if (is_new ? unit->type == DWARF_UT_SPLIT_COMPILE && unit->id == id
		           : unit->version > 0)
			return unit;
	}
	*fault = (struct cairn_fault){ CAIRN_MISMATCH, 0,
		                       "a split file that belongs to another build" };
	return NULL;
}

static void inherit_skeleton_bases(struct dies_unit *unit, const struct dies_unit *skeleton)
{
	unit->bases.addr = skeleton->bases.addr;
	unit->bases.low_pc = skeleton->bases.low_pc;
	if (die_has(&skeleton->root, DIES_RANGES_BASE))
		unit->bases.ranges = skeleton->root.at[DIES_RANGES_BASE].number;
}

static enum cairn_status load_split_unit(struct program_reader *reader,
                                         struct program_dwo_file *file, uint64_t id,
                                         struct cairn_fault *fault, const char **section)
{
	struct dies_unit *main = &reader->dies.main;
	struct dies_unit skeleton = { .unit = main->unit,
		                      .bases = main->bases,
		                      .root = main->root };

	*section = ".debug_info.dwo";
	file->file.sections.addr = reader->program->main.sections.addr;
	file->file.sections.ranges = reader->program->main.sections.ranges;
	if (!dies_read_units(&file->file, &reader->budget, fault))
		return CAIRN_NO_MEMORY;
	const struct dwarf_unit *unit = find_unit(&file->file, id, fault);
	if (!unit)
		return fault->status;
	enum cairn_status status = dies_load(main, &file->file, unit, fault, section);
	if (status != CAIRN_OK)
		return status == CAIRN_UNSUPPORTED ? CAIRN_MALFORMED : status;
	inherit_skeleton_bases(main, &skeleton);
	/* before DWARF 5, the ID of a split unit was an attribute */
	if (main->unit.version >= 5 || read_dwo_id(main) == id)
		return CAIRN_OK;
	return fault_set(fault, CAIRN_MISMATCH, "a split file that belongs to another build");
}

/*
 * Replace the skeleton in dies.main with its split unit. Returns NOT_FOUND if the split unit is
 * missing.
 */
static enum cairn_status program_load_dwo(struct program_reader *reader, struct cairn_fault *fault,
                                          const char **section)
{
	uint64_t id = read_dwo_id(&reader->dies.main);
	struct program_dwo_file *file = add_split_file(reader);
	enum cairn_status status = CAIRN_NOT_FOUND;

	if (!file)
		return CAIRN_NO_MEMORY;
	*section = ".debug_cu_index";
	if (reader->program->has_package)
		status = find_packed(reader, id, file, fault);
	if (status == CAIRN_NOT_FOUND)
		status = find_file(reader, id, file, fault, section);
	if (status == CAIRN_OK)
		status = load_split_unit(reader, file, id, fault, section);
	return status;
}

enum { PLACE_COST = sizeof(struct cairn_range) + sizeof(struct program_row_range) };

static const uint8_t nothing[1];

struct program_reader *program_reader_new(struct program *program)
{
	struct program_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->program = program;
	reader->lines_unit = reader->kept_unit = SIZE_MAX;
	reader->lines.every_row = reader->kept.every_row = program->input.every_row;
	reader->lines.columns = reader->kept.columns = program->input.columns;
	reader->lines.relative = reader->kept.relative = program->input.relative;
	reader->builder.names = program->input.names;
	reader->builder.lends = program->input.unlisted;
	reader->memory = program->pool.left[BUDGET_MEMORY];
	reader->builder.aliases = program->input.aliases;
	reader->builder.text = &program->text;
	reader->builder.lines = &reader->lines;
	reader->builder.summary = &reader->summary;
	reader->budget.pool = &program->pool;
	reader->texts.budget = reader->builder.budget = &reader->budget;
	reader->lines.budget = reader->kept.budget = &reader->budget;
	if (dies_init(&reader->dies, &reader->texts, &program->main,
	              program->input.unlisted && !program->code))
		return reader;
	program_reader_free(reader);
	return NULL;
}

void program_focus(struct program_reader *reader, const struct function_builder_focus *focus)
{
	reader->builder.focus = focus;
	reader->lines.every_row = reader->kept.every_row = false;
	reader->lines.asked = reader->kept.asked = focus ? focus->range : NULL;
	reader->lines.asked_count = reader->kept.asked_count = focus ? focus->count : 0;
}

void program_give_once(struct program_reader *reader, struct recorded_functions *given)
{
	reader->given = given;
}

void program_reader_free(struct program_reader *reader)
{
	if (!reader)
		return;
	dies_finish(&reader->dies);
	lines_finish(&reader->lines);
	lines_finish(&reader->kept);
	function_builder_finish(&reader->builder);
	program_close_dwo(reader);
	string_store_finish(&reader->texts);
	/* lookups create one reader after another, so return this reader's memory to the budget */
	if (reader->program->input.unlisted && !reader->budget.exhausted)
		reader->program->pool.left[BUDGET_MEMORY] = reader->memory;
	free(reader);
}

static void note_unit_damage(struct program_reader *reader, size_t unit,
                             const struct cairn_fault *fault, const char *section)
{
	struct program_damage *first = &reader->summary.damage;

	if (first->fault.status == CAIRN_OK || unit < first->unit)
		*first = (struct program_damage){ *fault, section, unit };
}

/* Before another line table is read, move the current one to `kept` if it is large. */
static void keep_large_lines(struct program_reader *reader)
{
	const struct lines free_one = reader->kept;
	uint64_t all = reader->program->main.sections.line.size;

	if (reader->lines_unit == SIZE_MAX || reader->lines.bytes <= all / 2)
		return;
	reader->kept = reader->lines;
	reader->kept_unit = reader->lines_unit;
	reader->lines = free_one;
	/*
	 * file_set numbers must stay unique, because the new table may reuse the memory of an old
	 * one
	 */
	if (reader->lines.file_set < reader->kept.file_set)
		reader->lines.file_set = reader->kept.file_set;
	reader->lines_unit = SIZE_MAX;
}

static bool read_source_lines(struct program_reader *reader, const struct lines_source *source,
                              uint64_t offset)
{
	keep_large_lines(reader);
	reader->lines_unit = SIZE_MAX;
	if (source)
		return lines_read(&reader->lines, source, offset);
	lines_clear(&reader->lines);
	return true;
}

static bool read_unit_lines(struct program_reader *reader, const struct dies_unit *unit)
{
	const struct die *root = &unit->root;
	struct lines_source source = { .sections = &unit->file->sections,
		                       .unit = &unit->unit,
		                       .bases = &unit->bases,
		                       .text = &reader->program->text,
		                       .comp_dir = { nothing, 0 },
		                       .texts = &reader->texts };

	if (reader->builder.focus && die_has(root, DIES_LINES))
		program_fetch_lines(reader->program, root->at[DIES_LINES].number);
	if (die_has(root, DIES_COMP_DIR))
		source.comp_dir = dies_text(unit, &root->at[DIES_COMP_DIR]);
	if (!budget_text(&reader->budget, source.comp_dir.size))
		return false;
	return read_source_lines(reader, die_has(root, DIES_LINES) ? &source : NULL,
	                         die_has(root, DIES_LINES) ? root->at[DIES_LINES].number : 0);
}

static bool store_line_ranges(struct program_reader *reader, size_t unit)
{
	struct program_row_ranges *places = &reader->program->places[unit];
	const struct lines *lines = &reader->lines;

	if (lines->sequences == 0 || places->range)
		return true;
	if (budget_memory(&reader->budget, (uint64_t)lines->sequences * PLACE_COST))
		places->range = calloc(lines->sequences, sizeof(*places->range));
	if (!places->range)
		return false;
	for (size_t i = 0; i < lines->sequences; i++)
		places->range[i] =
			(struct cairn_range){ lines->sequence[i].low, lines->sequence[i].high };
	places->count = lines->sequences;
	return true;
}

static bool finish_unit_lines(struct program_reader *reader, size_t unit)
{
	const struct cairn_fault *fault = &reader->lines.fault;

	if (fault->status != CAIRN_OK)
		note_unit_damage(reader, unit, fault, dwarf_sections_name(DWARF_SECTION_LINE));
	return store_line_ranges(reader, unit);
}

static void begin_unit_builder(struct program_reader *reader, const struct dwarf_unit *unit,
                               const struct function_sink *sink)
{
	enum { ENTRY_BYTES = 4 };

	function_builder_begin(&reader->builder, unit, sink);
	/* if the budget is exhausted, the next DIE ends the walk */
	(void)!budget_work(&reader->budget, (unit->end - unit->offset) / ENTRY_BYTES);
}

/*
 * Return true for a partial unit without code. dwz moves DIEs shared by several units to such
 * units: types, and functions without addresses. A partial unit refers to the line table of one of
 * the units that share it, so we would read that table needlessly, and many times. Sets *fault to
 * any damage found while searching for code.
 */
static bool is_shared_part(const struct dies_unit *unit, struct cairn_fault *fault)
{
	struct dwarf_entries entries =
		dwarf_entries(&unit->file->sections, &unit->unit, &unit->abbrevs, unit->unit.first);

	if (unit->root.tag != DWARF_TAG_PARTIAL_UNIT ||
	    dwarf_next_marked(&entries, DWARF_MARK_CODE, 0))
		return false;
	*fault = entries.fault;
	return true;
}

static bool has_code(const struct dwarf_unit *unit)
{
	return unit->type != DWARF_UT_TYPE && unit->type != DWARF_UT_SPLIT_TYPE;
}

static enum cairn_status read_unit(struct program_reader *reader, size_t number,
                                   const struct function_sink *sink, struct cairn_fault *fault,
                                   const char **section)
{
	INVARIANT(number < program_units(reader->program));
	struct dies *dies = &reader->dies;
	struct unit_walk scan = { dies, &reader->builder, &reader->lines,
		                  reader->program->input.call_sites };
	const struct dwarf_unit *unit = &reader->program->main.units.unit[number];

	*section = dwarf_sections_name(DWARF_SECTION_INFO);
	if (unit->version == 0)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, unit->offset,
		                    "a unit of unknown version");
	if (reader->builder.focus)
		program_fetch_unit(reader->program, unit);
	enum cairn_status status =
		dies_load(&dies->main, &reader->program->main, unit, fault, section);

	if (status != CAIRN_OK)
		return status;
	if (is_shared_part(&dies->main, fault)) {
		reader->lines.fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
		begin_unit_builder(reader, unit, sink);
		return fault->status;
	}
	if (!read_unit_lines(reader, &dies->main) || !finish_unit_lines(reader, number))
		return CAIRN_NO_MEMORY;
	reader->lines_unit = number;
	/*
	 * Clang modules also have DW_AT_dwo_name, for the name of their .pcm file, but they have no
	 * code and hence no functions
	 */
	if (die_has(&dies->main.root, DIES_DWO_NAME) &&
	    (die_has(&dies->main.root, DIES_LOW) || die_has(&dies->main.root, DIES_RANGES))) {
		status = program_load_dwo(reader, fault, section);
		reader->summary.no_split += status == CAIRN_NOT_FOUND;
		/* some functions may be in the skeleton even if its split unit is missing */
		if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
			return status;
	}
	begin_unit_builder(reader, &dies->main.unit, sink);
	/* a C function is in one unit only, so C units contain no duplicates */
	const bool is_c = dies_is_in(dies_language(&dies->main.root), DIES_C);
	reader->builder.earlier = is_c ? NULL : reader->given;
	return unit_walk_read(&scan, fault, section);
}

/*
 * Read the line table of a unit again. Returns NOT_FOUND if the root of the unit cannot be
 * loaded.
 */
static enum cairn_status program_reload_lines(struct program_reader *reader, size_t number)
{
	const struct program *program = reader->program;
	const struct dwarf_unit *unit = &program->main.units.unit[number];
	struct cairn_fault fault;
	const char *section;

	if (dies_load_root(&reader->dies.main, &program->main, unit, &fault, &section) != CAIRN_OK)
		return CAIRN_NOT_FOUND;
	const bool ok = read_unit_lines(reader, &reader->dies.main);
	/* only the root was loaded, so do not treat the unit as cached */
	reader->dies.main.file = NULL;
	return ok ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static void release_unit_pages(const struct program_reader *reader, const struct dwarf_unit *unit)
{
	const struct program *program = reader->program;
	struct cairn_bytes part = { program->main.sections.info.data + unit->offset,
		                    (size_t)(unit->end - unit->offset) };

	if (program_is_mapped(program, DWARF_SECTION_INFO))
		os_file_release_pages(part);
}

static enum cairn_status program_end_budget(struct program_reader *reader, size_t number)
{
	uint64_t offset = reader->program->main.units.unit[number].offset;
	struct program_damage *damage = &reader->exhausted;

	if (damage->section)
		return CAIRN_MALFORMED;
	*damage = (struct program_damage){ .section = dwarf_sections_name(DWARF_SECTION_INFO),
		                           .unit = number };
	return program_exhausted(&reader->budget, offset, &damage->fault);
}

enum cairn_status program_read(struct program_reader *reader, size_t number,
                               const struct function_sink *sink)
{
	const struct dwarf_unit *unit = &reader->program->main.units.unit[number];
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	const char *section;

	if (unit->version != 0 && !has_code(unit))
		return CAIRN_OK;
	reader->summary.units++;
	reader->builder.unit = number;
	reader->builder.status = CAIRN_OK;
	enum cairn_status status = read_unit(reader, number, sink, &fault, &section);
	release_unit_pages(reader, unit);
	if (reader->budget.exhausted)
		return program_end_budget(reader, number);
	if (reader->builder.status != CAIRN_OK)
		return reader->builder.status;
	if (status == CAIRN_NO_MEMORY)
		return status;
	if (status != CAIRN_OK)
		note_unit_damage(reader, number, &fault, section);
	reader->summary.broken += status != CAIRN_OK || reader->lines.fault.status != CAIRN_OK;
	return CAIRN_OK;
}

static bool make_index(struct program *program)
{
	size_t count = 0;

	if (program->has_index)
		return true;
	for (size_t i = 0; i < program->main.units.count; i++)
		count += program->places[i].count;
	program->index = calloc(count ? count : 1, sizeof(*program->index));
	if (!program->index)
		return false;
	for (size_t unit = 0; unit < program->main.units.count; unit++)
		for (size_t i = 0; i < program->places[unit].count; i++)
			program->index[program->index_count++] =
				(struct program_row_range){ .range = program->places[unit].range[i],
				                            .unit = unit };
	program_sort_ranges(program->index, count);
	program->has_index = true;
	return true;
}

static bool has_rows(const struct program_row_ranges *places, struct cairn_range range)
{
	for (size_t i = 0; i < places->count && places->range[i].low < range.high; i++)
		if (places->range[i].high > range.low)
			return true;
	return false;
}

/*
 * Find a unit with rows for the range. Used if units are read on demand, because an index would
 * then cover only the units read so far.
 */
static size_t find_indexed_unit_with_rows(const struct program *program, struct cairn_range range)
{
	struct program_unit_list units;

	(void)!program_find_indexed_units(program, range, &units);
	for (size_t i = 0; i < units.count; i++)
		if (has_rows(&program->places[units.unit[i]], range))
			return units.unit[i];
	return SIZE_MAX;
}

static size_t find_unit_with_rows(const struct program *program, struct cairn_range range)
{
	enum { LOOK_BACK = 1024 };
	size_t low = SORTED_BELOW(program->index, program->index_count, range.low, range.high);
	size_t looked = 0, best = SIZE_MAX;

	while (low-- > 0 && program->index[low].reach > range.low && looked++ < LOOK_BACK) {
		const struct program_row_range *place = &program->index[low];
		if (place->range.high > range.low && place->unit < best)
			best = place->unit;
	}
	return best;
}

/*
 * Return true if most of the unit's code is in sequences that were not requested. Otherwise reading
 * everything is faster, because skipping a sequence takes half the time of reading it, and
 * requested sequences are first skipped and then read.
 */
static bool is_mostly_unasked(const struct program_row_ranges *places, const struct lines *lines)
{
	enum { PART = 3 };
	uint64_t all = 0, asked = 0;

	for (size_t i = 0; i < places->count; i++) {
		const uint64_t size = places->range[i].high - places->range[i].low;
		all += size;
		if (range_touches(places->range[i], lines->asked, lines->asked_count))
			asked += size;
	}
	return asked < all / PART;
}

static enum cairn_status reload_lines(struct program_reader *reader, size_t unit)
{
	const size_t asked = reader->lines.asked_count;

	if (asked > 0 && !reader->builder.focus &&
	    !is_mostly_unasked(&reader->program->places[unit], &reader->lines))
		reader->lines.asked_count = 0;
	const enum cairn_status status = program_reload_lines(reader, unit);
	reader->lines.asked_count = asked;
	return status;
}

static enum cairn_status load_unit_lines(struct program_reader *reader, size_t unit,
                                         struct lines **lines)
{
	enum cairn_status status = CAIRN_OK;

	*lines = reader->kept_unit == unit ? &reader->kept : &reader->lines;
	if (reader->kept_unit == unit || reader->lines_unit == unit)
		return CAIRN_OK;
	status = reload_lines(reader, unit);
	if (status == CAIRN_OK)
		reader->lines_unit = unit;
	return status;
}

/*
 * Set the rows of a function from the line table of `unit`. Returns NOT_FOUND if the table covers
 * no part of the function.
 */
static enum cairn_status cut_rows(struct program_reader *reader, size_t unit,
                                  struct function *function)
{
	struct cairn_range range = { function->start, function->start + function->size };
	struct lines_hint hint = { .line = 0 };
	struct lines_cut cut;
	struct lines *lines;
	enum cairn_status status = load_unit_lines(reader, unit, &lines);

	if (status != CAIRN_OK)
		return status;
	if (!lines_clip(lines, range, &hint, &cut))
		return CAIRN_NO_MEMORY;
	if (cut.count == 0)
		return CAIRN_NOT_FOUND;
	function->files = lines->file;
	function->file_set = lines->file_set;
	function->file_count = (uint32_t)lines->files;
	function->rows = cut.row;
	function->statements = lines->every_row;
	function->row_count = cut.count;
	return function_builder_charge(&reader->builder, function) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

bool program_find_rows(struct program *program, struct cairn_range range, size_t *unit)
{
	*unit = SIZE_MAX;
	if (program->code)
		*unit = find_indexed_unit_with_rows(program, range);
	else if (!make_index(program))
		return false;
	else if (range.low < range.high)
		*unit = find_unit_with_rows(program, range);
	return true;
}

enum cairn_status program_rows_of(struct program_reader *reader, size_t unit,
                                  struct function *function)
{
	enum cairn_status status = cut_rows(reader, unit, function);

	return reader->budget.exhausted ? program_end_budget(reader, unit) : status;
}

void program_ask_rows(struct program_reader *reader, const struct cairn_range *range, size_t count)
{
	reader->lines.asked = reader->kept.asked = range;
	reader->lines.asked_count = reader->kept.asked_count = count;
}

enum cairn_status program_rows_at(struct program_reader *reader, struct function *function)
{
	const struct cairn_range range = { function->start, function->start + function->size };
	size_t unit;

	if (!program_find_rows(reader->program, range, &unit))
		return CAIRN_NO_MEMORY;
	return unit == SIZE_MAX ? CAIRN_NOT_FOUND : program_rows_of(reader, unit, function);
}

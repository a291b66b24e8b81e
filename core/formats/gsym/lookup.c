/* SPDX-License-Identifier: MIT */
/*
 * Looks up the locations of an address. The innermost inlined call has the location of the line
 * row. Each caller has the call site in its callee's node. The last location is the function
 * itself. The node of a caller is read again when its location is requested, so a level needs only
 * 4 bytes.
 */
#include "gsym.h"

#include "columns.h"

#include "base/range.h"

static void record_first_fault(struct gsym_lookup *lookup, struct cairn_fault fault)
{
	if (lookup->fault.status == CAIRN_OK)
		lookup->fault = fault;
}

static void record_fault_at(struct gsym_lookup *lookup, size_t at, const char *what)
{
	record_first_fault(lookup, (struct cairn_fault){ CAIRN_MALFORMED, at, what });
}

static struct cairn_bytes read_name_at(struct gsym_lookup *lookup, uint64_t offset, size_t field)
{
	struct cairn_bytes text;

	if (!gsym_string(lookup->gsym, offset, &text))
		record_fault_at(lookup, field, "a name lies outside the string table");
	return text;
}

static void find_row(struct gsym_lookup *lookup, const struct gsym_block *lines)
{
	struct gsym_rows rows = gsym_rows(lines, lookup->function.start);

	lookup->has_lines = true;
	lookup->has_row = gsym_find_row(&rows, lookup->va, &lookup->row);
	lookup->has_place = lookup->has_row;
	lookup->place_file = lookup->row.file;
	lookup->place_line = lookup->row.line;
	lookup->place_at = rows.data_at;
	record_first_fault(lookup, rows.fault);
}

/* Sort the blocks by type. If there are several of a type, the last one is used. */
static void classify_blocks(struct gsym_lookup *lookup)
{
	struct gsym_blocks blocks = gsym_blocks(lookup->gsym, &lookup->function);
	struct gsym_block block;

	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_LINES)
			find_row(lookup, &block);
		else if (block.type == GSYM_INLINES)
			lookup->inlines = block;
		else if (block.type == GSYM_MERGED)
			lookup->merged = block;
		else if (block.type == GSYM_CALLS)
			lookup->calls = block;
		else if (block.type == GSYM_COLUMNS)
			lookup->columns = block;
	}
	record_first_fault(lookup, blocks.in.fault);
}

static void find_inlines(struct gsym_lookup *lookup)
{
	lookup->tree = gsym_tree(lookup->gsym, &lookup->inlines, lookup->function.start);
	lookup->left = gsym_find_inlines(&lookup->tree, lookup->va, lookup->levels, &lookup->node);
	record_first_fault(lookup, lookup->tree.fault);
}

/* Initialize everything except levels[], which is large and written when needed. */
static void clear_lookup(struct gsym_lookup *lookup)
{
	lookup->inlines.type = GSYM_END;
	lookup->merged.type = lookup->calls.type = lookup->columns.type = GSYM_END;
	lookup->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	lookup->row = (struct gsym_row){ 0, 0, 0 };
	lookup->has_lines = lookup->has_row = lookup->has_place = lookup->ended = false;
	lookup->place_file = lookup->place_line = lookup->place_column = 0;
	lookup->left = 0;
}

void gsym_lookup_in_function(const struct gsym *gsym, const struct gsym_function *function,
                             uint64_t va, struct gsym_lookup *lookup)
{
	clear_lookup(lookup);
	lookup->gsym = gsym;
	lookup->va = va;
	lookup->function = *function;
	lookup->name = read_name_at(lookup, function->name, function->at + 4);
	classify_blocks(lookup);
	if (lookup->columns.type == GSYM_COLUMNS)
		lookup->place_column = gsym_row_column(&lookup->columns, va - function->start);
	if (lookup->inlines.type == GSYM_INLINES)
		find_inlines(lookup);
}

enum cairn_status gsym_find(const struct gsym *gsym, uint64_t va, struct gsym_lookup *lookup)
{
	struct gsym_function function;
	struct cairn_fault fault;
	enum cairn_status status = gsym_find_function(gsym, NULL, va, &function, &fault);

	if (status == CAIRN_OK) {
		gsym_lookup_in_function(gsym, &function, va, lookup);
	} else {
		lookup->ended = true;
		lookup->fault = fault;
	}
	return status;
}

/*
 * Set the file, line and column of a location. File 0, or an empty entry of the table, means that
 * the file is unknown; the line is kept.
 */
static void set_place(struct gsym_lookup *lookup, struct cairn_location *location)
{
	struct gsym_file file;

	if (!lookup->has_place)
		return;
	location->line = (uint32_t)lookup->place_line;
	location->column = lookup->place_column;
	if (lookup->place_file == 0)
		return;
	if (!gsym_file(lookup->gsym, lookup->place_file, &file)) {
		record_fault_at(lookup, lookup->place_at,
		                "a source location refers to a file that is not in the file table");
		return;
	}
	location->directory = file.directory;
	location->file = file.name;
}

/* Move from the node just returned to its parent, unless the parent is the root. */
static void move_to_outer_node(struct gsym_lookup *lookup)
{
	struct gsym_inline inner = lookup->node;

	lookup->has_place = true;
	lookup->place_file = inner.file;
	lookup->place_line = inner.line;
	lookup->place_at = lookup->tree.data_at + inner.fixed_at + 1;
	if (lookup->columns.type == GSYM_COLUMNS)
		lookup->place_column = gsym_call_column(&lookup->columns,
		                                        gsym_call_number(&lookup->tree, inner.at));
	lookup->left--;
	if (lookup->left == 0)
		return;
	uint32_t at = lookup->levels[lookup->left - 1];
	if (!gsym_inline_at(&lookup->tree, at, 0, &lookup->node)) {
		lookup->left = 0;
		return;
	}
	lookup->node.base = inner.base - lookup->node.first;
	lookup->node.first = inner.base;
}

bool gsym_next_location(struct gsym_lookup *lookup, struct cairn_location *location)
{
	if (lookup->ended)
		return false;
	struct cairn_bytes none = { lookup->gsym->bytes.data, 0 };
	struct cairn_location l = { .directory = none, .file = none };
	set_place(lookup, &l);
	if (lookup->left > 0) {
		size_t name_field = lookup->tree.data_at + lookup->node.fixed_at + 1;
		l.function = read_name_at(lookup, lookup->node.name, name_field);
		l.start = lookup->node.first;
		l.inlined = true;
		move_to_outer_node(lookup);
	} else {
		l.function = lookup->name;
		l.start = lookup->function.start;
		l.size = range_location_size(lookup->function.size);
		lookup->ended = true;
	}
	l.offset = lookup->va - l.start;
	*location = l;
	return true;
}

enum cairn_status gsym_find_name(const struct gsym *gsym, const struct gsym_reach *reach,
                                 uint64_t va, struct cairn_location *location,
                                 struct cairn_fault *fault)
{
	struct gsym_function function;
	struct cairn_bytes none = { gsym->bytes.data, 0 };
	enum cairn_status status = gsym_find_function(gsym, reach, va, &function, fault);

	if (status != CAIRN_OK)
		return status;
	*location = (struct cairn_location){ .directory = none, .file = none };
	gsym_string(gsym, function.name, &location->function);
	location->start = function.start;
	location->offset = va - function.start;
	location->size = range_location_size(function.size);
	return CAIRN_OK;
}

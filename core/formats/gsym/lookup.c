/* SPDX-License-Identifier: MIT */
/*
 * Finds the function that contains an address. The address table contains only starts, in ascending
 * order. Several functions may start at the same address, and functions may be nested:
 *
 *	outer |-----------------------------|
 *	inner          |-----|                     an address after inner is still in outer
 *	label |                                    without size: up to the next start
 */
#include "gsym.h"
#include "leb.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/range.h"

/*
 * Return the index of the last of `count` offsets that is at most `key`. The first offset must be
 * at most `key`. If width and byte order are constants, the loop has no data-dependent branches.
 */
static inline uint32_t find_last_below(const uint8_t *table, uint32_t count, uint64_t key,
                                       size_t width, bool big)
{
	uint32_t at = 0;

	while (count > 1) {
		uint32_t half = count / 2;
		uint64_t probe = bytes_unsigned(table + (size_t)(at + half) * width, width, big);
		at = probe <= key ? at + half : at;
		count -= half;
	}
	return at;
}

static uint32_t find_last_of_width(const uint8_t *table, uint32_t count, uint64_t key, size_t width,
                                   bool big)
{
	switch (width) {
	case 1:
		return find_last_below(table, count, key, 1, false);
	case 2:
		return big ? find_last_below(table, count, key, 2, true)
		           : find_last_below(table, count, key, 2, false);
	case 4:
		return big ? find_last_below(table, count, key, 4, true)
		           : find_last_below(table, count, key, 4, false);
	default:
		return big ? find_last_below(table, count, key, 8, true)
		           : find_last_below(table, count, key, 8, false);
	}
}

uint32_t gsym_search_among(const struct gsym *gsym, uint32_t first, uint32_t count, uint64_t va)
{
	size_t width = gsym->address_size;
	const uint8_t *table = gsym->bytes.data + gsym->addresses_at + first * width;

	return first + find_last_of_width(table, count, va - gsym->base, width, gsym->big);
}

uint32_t gsym_search(const struct gsym *gsym, uint64_t va)
{
	uint64_t key = va - gsym->base;

	if (gsym->functions == 0 || va < gsym->base || gsym_offset(gsym, 0) > key)
		return gsym->functions;
	return gsym_search_among(gsym, 0, gsym->functions, va);
}

struct choice {
	struct gsym_function function;
	bool found;
	struct cairn_fault fault;
};

/*
 * Choose function `index` if it contains `key` and is better than the current choice. The shortest
 * function wins, and among equally short functions the one with the lowest index. Functions with a
 * known size win over functions without.
 */
static void consider_function(const struct gsym *gsym, uint32_t index, uint64_t key, bool sizeless,
                              struct choice *choice)
{
	struct gsym_function f;
	struct cairn_fault fault;

	if (gsym_function(gsym, index, &f, &fault) != CAIRN_OK) {
		choice->fault = fault;
		return;
	}
	bool reaches = key - gsym_offset(gsym, index) < f.size || (f.size == 0 && sizeless);
	const struct gsym_function *best = &choice->function;
	bool worse = choice->found && best->size != 0 && (f.size == 0 || f.size > best->size);
	if (!reaches || worse)
		return;
	choice->function = f;
	choice->found = true;
}

/*
 * Call consider_function() for all functions that have the same start as function `last`. Return
 * the index of the first one.
 */
static uint32_t consider_group(const struct gsym *gsym, uint32_t last, uint64_t key, bool sizeless,
                               struct choice *choice)
{
	uint64_t offset = gsym_offset(gsym, last);

	for (;;) {
		consider_function(gsym, last, key, sizeless, choice);
		if (last == 0 || gsym_offset(gsym, last - 1) != offset)
			return last;
		last--;
	}
}

/*
 * Move *end back to just after the nearest function that may contain `key`, skipping groups of
 * GSYM_REACH_STEP functions that end before `key`. Return false if no function before *end can
 * contain it.
 */
static bool step_back(const struct gsym_reach *reach, uint64_t key, uint32_t *end)
{
	if (*end == 0)
		return false;
	while (reach && *end % GSYM_REACH_STEP == 0) {
		const struct gsym_reach *step = &reach[*end / GSYM_REACH_STEP - 1];
		if (step->all < key)
			return false;
		if (step->own >= key)
			return true;
		*end -= GSYM_REACH_STEP;
	}
	return *end > 0;
}

static enum cairn_status report_not_found(struct cairn_fault *fault)
{
	return fault_set(fault, CAIRN_NOT_FOUND, "no function covers the address");
}

/*
 * Choose among the functions that share the highest start at or below `va`. Set *first to the index
 * of the first one.
 */
static enum cairn_status find_nearest(const struct gsym *gsym, uint64_t va, uint32_t *first,
                                      struct choice *choice, struct cairn_fault *fault)
{
	uint32_t last = gsym_search(gsym, va);

	if (last == gsym->functions)
		return report_not_found(fault);
	*first = consider_group(gsym, last, va - gsym->base, true, choice);
	if (choice->found || choice->fault.status == CAIRN_OK)
		return CAIRN_OK;
	*fault = choice->fault;
	return fault->status;
}

static enum cairn_status return_chosen_function(const struct choice *choice,
                                                struct gsym_function *function,
                                                struct cairn_fault *fault)
{
	if (!choice->found)
		return report_not_found(fault);
	*function = choice->function;
	return CAIRN_OK;
}

enum cairn_status gsym_find_nearest(const struct gsym *gsym, uint64_t va,
                                    struct gsym_function *function, struct cairn_fault *fault)
{
	struct choice choice = { .found = false };
	uint32_t first;
	enum cairn_status status = find_nearest(gsym, va, &first, &choice, fault);

	return status == CAIRN_OK ? return_chosen_function(&choice, function, fault) : status;
}

enum cairn_status gsym_find_function(const struct gsym *gsym, const struct gsym_reach *reach,
                                     uint64_t va, struct gsym_function *function,
                                     struct cairn_fault *fault)
{
	struct choice choice = { .found = false };
	uint32_t first;
	enum cairn_status status = find_nearest(gsym, va, &first, &choice, fault);

	if (status != CAIRN_OK)
		return status;
	while (!choice.found && step_back(reach, va - gsym->base, &first))
		first = consider_group(gsym, first - 1, va - gsym->base, false, &choice);
	return return_chosen_function(&choice, function, fault);
}

/*
 * Return the address of the function's last byte, relative to the base, or 0 if the function has no
 * size.
 */
static uint64_t find_last_byte(const struct gsym *gsym, uint32_t index)
{
	struct gsym_function f;
	struct cairn_fault fault;
	uint64_t start = gsym_offset(gsym, index);

	if (gsym_function(gsym, index, &f, &fault) != CAIRN_OK || f.size == 0)
		return 0;
	return f.size - 1 > UINT64_MAX - start ? UINT64_MAX : start + f.size - 1;
}

void gsym_reach_fill(const struct gsym *gsym, struct gsym_reach *reach)
{
	uint64_t own = 0, all = 0;

	for (uint32_t i = 0; i < gsym->functions; i++) {
		uint64_t last = find_last_byte(gsym, i);
		own = i % GSYM_REACH_STEP == 0 || last > own ? last : own;
		all = last > all ? last : all;
		reach[i / GSYM_REACH_STEP] = (struct gsym_reach){ own, all };
	}
}

/*
 * Reads source columns. GSYM cannot express them, so cairn adds its own block type to the files in
 * its cache.
 *
 *	columns = rows:uleb (advance:uleb column:uleb)*rows column:uleb*
 *
 * A row applies up to the address of the next row. The first advance is relative to the start of
 * the function. The rows are followed by the column of each inlined call, in the order of the nodes
 * in the inline tree, without the root. Column 0 means unknown. Damaged columns are also reported
 * as 0 and do not fail a lookup, because nothing else depends on them.
 */

struct gsym_columns gsym_columns(const struct gsym_block *columns)
{
	struct gsym_columns c = { .at = columns->data.data, .end = columns->data.data };

	if (!c.at)
		return c;
	c.end += columns->data.size;
	c.at = leb_unsigned(c.at, c.end, &c.rows);
	return c;
}

bool gsym_next_call_column(struct gsym_columns *columns)
{
	columns->at =
		columns->at ? leb_unsigned(columns->at, columns->end, &columns->column) : NULL;
	return columns->at;
}

bool gsym_next_column_row(struct gsym_columns *columns)
{
	uint64_t advance = 0;

	if (!columns->at || columns->rows == 0)
		return false;
	columns->rows--;
	columns->at = leb_unsigned(columns->at, columns->end, &advance);
	if (advance > UINT64_MAX - columns->offset) {
		columns->at = NULL;
		advance = UINT64_MAX - columns->offset;
	}
	columns->offset += advance;
	return gsym_next_call_column(columns);
}

uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset)
{
	struct gsym_columns c = gsym_columns(columns);
	uint64_t column = 0;

	while (gsym_next_column_row(&c) && c.offset <= offset)
		column = c.column;
	return c.at || c.offset > offset ? (uint32_t)column : 0;
}

uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call)
{
	const uint8_t *at = columns->data.data, *end = at + columns->data.size;
	uint64_t numbers = 0, column = 0;

	at = leb_unsigned(at, end, &numbers);
	/* skip the advance and column of each row, and the columns of the calls before this one */
	numbers = numbers < UINT32_MAX ? 2 * numbers + call : call;
	for (; at && numbers > 0; numbers--)
		at = leb_unsigned(at, end, &column);
	return at && leb_unsigned(at, end, &column) ? (uint32_t)column : 0;
}

/*
 * Return the index of an inlined call among all calls in the tree. `at` is the offset of its node.
 */
static uint32_t gsym_call_number(const struct gsym_tree *tree, uint32_t at)
{
	struct gsym_nodes nodes;
	struct gsym_inline node;
	uint32_t number = 0;

	gsym_nodes_begin(&nodes, tree);
	while (gsym_next_node(&nodes, &node) && node.at != at)
		number++;
	return number > 0 ? number - 1 : 0;
}

/*
 * Looks up the source locations of an address. The line table has the location in the innermost
 * inlined call, and the node of each call has the location of its call site in the caller. The last
 * location is in the function itself. levels[] stores only the 4-byte offsets of the nodes, so a
 * caller's node is decoded again when its location is requested.
 */

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
		record_fault_at(lookup, field, "a name lies past the end of the string table");
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

/* Find the blocks by type. If a type occurs several times, use the last block. */
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

/* Initialize everything except levels[], which is too large to clear for every lookup. */
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
 * Set the file, line and column of a location. The file is unknown if its index is 0 or the table
 * entry is empty; the line is kept.
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

/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions in a Breakpad file in two passes: first the FILE and INLINE_ORIGIN records,
 * which may follow the records that refer to them, then the functions.
 */
#include "breakpad.h"

#include "base/allowance.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "base/table.h"
#include "formats/breakpad.h"

#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * maximum nesting of inlined calls; more deeply nested calls are omitted, but compilers
	 * stay below 100
	 */
	BREAKPAD_LEVELS_MAX = 512,
	/*
	 * Maximum number of additional ranges that arise when clipping splits ranges:
	 * BREAKPAD_CUTS_LEAST plus one per BREAKPAD_CUTS_BYTES bytes of the file.
	 */
	BREAKPAD_CUTS_LEAST = 1 << 16,
	BREAKPAD_CUTS_BYTES = 64,
	/*
	 * Maximum total size of the names of inlined functions, counted for each call:
	 * BREAKPAD_NAMES_LEAST plus BREAKPAD_NAMES_TIMES per byte of the file.
	 */
	BREAKPAD_NAMES_LEAST = 1 << 16,
	BREAKPAD_NAMES_TIMES = 64,
};

struct breakpad_origin {
	struct cairn_bytes name;
	/* file number in the Breakpad file; after the first pass an index into `file`, or 0 */
	uint64_t file;
};

struct breakpad_tables {
	struct function_file *file; /* file[0] stands for "no file" */
	size_t files, file_capacity;
	struct number_map file_map;
	struct breakpad_origin *origin;
	size_t origins, origin_capacity;
	struct number_map origin_map;
	uint32_t unknown_file; /* index of the file "??" */
};

struct breakpad_line {
	uint64_t low, high;
	uint32_t line, file;
	uint32_t order; /* position in the file; of overlapping lines, the first one wins */
};

struct breakpad_lines {
	struct breakpad_line *line;
	size_t count, capacity;
	/*
	 * heap of the lines that begin at or before the current address; the first of them in the
	 * file is on top
	 */
	uint32_t *heap;
	size_t heap_capacity;
	struct function_row *row;
	size_t rows, row_capacity;
	uint64_t covered;
};

/* An inlined call. Calls are stored in file order. */
struct breakpad_call {
	uint32_t depth, line, origin;
	uint64_t file;
	struct cairn_bytes ranges;
	/* 1-based indices of related calls; 0 if absent */
	uint32_t parent, next, child, last_child;
	struct nested_level level;
};

struct breakpad_inlines {
	struct breakpad_call *call;
	size_t count, capacity;
	uint32_t *last; /* index, plus 1, of the last call at each depth, or 0 */
	size_t depths, last_capacity;
	uint32_t last_outer;
	struct nested_ranges ranges;
	size_t told; /* number of ranges in the INLINE records read so far */
	struct function_inline *inlined;
	size_t inlines, inline_capacity;
	/* file of the function's own code, from which calls of depth 0 are made */
	uint32_t outer_file;
	uint64_t outside, cut;
	struct allowance spare; /* number of additional ranges that clipping may still create */
	struct allowance names;
};

struct breakpad_function {
	uint64_t base;
	uint64_t low, high;
	const struct breakpad_tables *tables;
	const struct breakpad_lines *lines;
};

static const uint8_t *find_last_byte(struct cairn_bytes text, uint8_t c)
{
	for (size_t i = text.size; i > 0; i--)
		if (text.data[i - 1] == c)
			return text.data + i - 1;
	return NULL;
}

/*
 * Split a path into a directory and a file name that cairn_location_path() joins to the same path.
 * Drop the separator unless it is the whole directory. Don't split a path that joining would not
 * restore exactly.
 */
static struct function_file split_path(struct cairn_bytes path)
{
	const uint8_t *cut = find_last_byte(path, '/');
	struct function_file file = { { path.data, 0 }, path };

	if (!cut)
		cut = find_last_byte(path, '\\');
	if (!cut)
		return file;
	size_t directory = (size_t)(cut - path.data);
	bool is_root = directory == 0;
	bool doubled = directory > 0 && cut[-1] == *cut;
	if (doubled || directory + 1 == path.size || (is_root && *cut == '\\'))
		return file;
	file.directory.size = is_root ? 1 : directory;
	file.name = (struct cairn_bytes){ cut + 1, path.size - directory - 1 };
	return file;
}

/*
 * Add a file. If its number is defined twice, the first path wins. Returns false if allocation
 * fails.
 */
static bool add_breakpad_file(struct breakpad_tables *t, uint64_t number, struct cairn_bytes path)
{
	struct number_slot *slot = number_map_at(&t->file_map, number + 1);

	if (!slot || !array_grow(&t->file, &t->file_capacity, t->files + 1, sizeof(*t->file)))
		return false;
	if (slot->key != 0)
		return true;
	*slot = (struct number_slot){ number + 1, (uint32_t)t->files };
	t->file_map.count++;
	t->file[t->files++] = split_path(path);
	return true;
}

/* Add the name of an inlined function. Its file number is resolved later. */
static bool add_origin(struct breakpad_tables *t, const struct breakpad_record *record)
{
	struct number_slot *slot = number_map_at(&t->origin_map, (uint64_t)record->origin + 1);

	if (!slot ||
	    !array_grow(&t->origin, &t->origin_capacity, t->origins + 1, sizeof(*t->origin)))
		return false;
	if (slot->key != 0)
		return true;
	*slot = (struct number_slot){ (uint64_t)record->origin + 1, (uint32_t)t->origins };
	t->origin_map.count++;
	t->origin[t->origins++] = (struct breakpad_origin){ record->name, record->file };
	return true;
}

static uint32_t breakpad_file_index(const struct breakpad_tables *t, uint64_t number)
{
	uint32_t index;

	return number_map_find(&t->file_map, (uint64_t)number + 1, &index) ? index : 0;
}

/* Read files and names. `tables` must be zero. The caller frees them even if reading fails. */
static enum cairn_status breakpad_tables_init(struct breakpad_tables *t, struct cairn_bytes bytes,
                                              struct polling *polling)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };
	static const struct cairn_bytes empty = { (const uint8_t *)"", 0 };
	struct breakpad in = breakpad_open(bytes);
	struct breakpad_record record;

	bool good = array_grow(&t->file, &t->file_capacity, 2, sizeof(*t->file));
	if (good) {
		t->file[0] = (struct function_file){ empty, empty };
		t->file[1] = (struct function_file){ empty, unknown };
		t->unknown_file = 1;
		t->files = 2;
	}
	while (good && breakpad_next(&in, &record)) {
		polling_count(polling, 1);
		if (record.kind == BREAKPAD_FILE)
			good = t->files < UINT32_MAX &&
			       add_breakpad_file(t, record.file, record.name);
		else if (record.kind == BREAKPAD_ORIGIN)
			good = t->origins < UINT32_MAX && add_origin(t, &record);
	}
	for (size_t i = 0; good && i < t->origins; i++)
		t->origin[i].file = breakpad_file_index(t, t->origin[i].file);
	return good ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static const struct breakpad_origin *breakpad_origin(const struct breakpad_tables *t,
                                                     uint32_t number)
{
	uint32_t index;

	return number_map_find(&t->origin_map, (uint64_t)number + 1, &index) ? &t->origin[index]
	                                                                     : NULL;
}

static bool breakpad_lines_add(struct breakpad_lines *l, struct breakpad_line line)
{
	if (l->count >= UINT32_MAX ||
	    !array_grow(&l->line, &l->capacity, l->count + 1, sizeof(*l->line)))
		return false;
	line.order = (uint32_t)l->count;
	l->line[l->count++] = line;
	return true;
}

static int compare_lines_by_low(const void *left, const void *right)
{
	const struct breakpad_line *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(a->order, b->order, 0));
}

static bool is_earlier_line(const struct breakpad_lines *l, uint32_t a, uint32_t b)
{
	return l->line[a].order < l->line[b].order;
}

static void swap_heap_lines(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;
	*a = *b;
	*b = kept;
}

static bool heap_push(struct breakpad_lines *l, size_t *count, uint32_t line)
{
	if (!array_grow(&l->heap, &l->heap_capacity, *count + 1, sizeof(*l->heap)))
		return false;
	l->heap[*count] = line;
	for (size_t i = (*count)++; i > 0; i = (i - 1) / 2) {
		if (is_earlier_line(l, l->heap[(i - 1) / 2], l->heap[i]))
			break;
		swap_heap_lines(&l->heap[(i - 1) / 2], &l->heap[i]);
	}
	return true;
}

static void heap_pop(struct breakpad_lines *l, size_t *count)
{
	size_t i = 0, child;

	l->heap[0] = l->heap[--*count];
	while ((child = 2 * i + 1) < *count) {
		if (child + 1 < *count && is_earlier_line(l, l->heap[child + 1], l->heap[child]))
			child++;
		if (is_earlier_line(l, l->heap[i], l->heap[child]))
			break;
		swap_heap_lines(&l->heap[i], &l->heap[child]);
		i = child;
	}
}

static bool append_flattened_row(struct breakpad_lines *l, uint64_t va, uint32_t file,
                                 uint32_t line)
{
	const struct function_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	if (last && last->file == file && last->line == line)
		return true;
	return ARRAY_APPEND(l->row, l->rows, l->row_capacity,
	                    (struct function_row){ .va = va, .file = file, .line = line });
}

/*
 * Append rows for the range [low, high) of a line. If there is a gap after *end, first append a row
 * without a line. Sets *end to `high`.
 */
static bool add_piece(struct breakpad_lines *l, const struct breakpad_line *line, uint64_t low,
                      uint64_t high, uint64_t *end)
{
	if (low > *end && !append_flattened_row(l, *end, 0, 0))
		return false;
	*end = high;
	return append_flattened_row(l, low, line->file, line->line);
}

/*
 * Convert the lines, which may overlap and need not be sorted, to rows. Visits the addresses at
 * which a line begins or the line on top of the heap ends. Each address gets the line that comes
 * first in the file.
 */
static bool sweep_breakpad_lines(struct breakpad_lines *l, uint64_t *end)
{
	size_t next = 0, waiting = 0, pieces = 0;
	uint64_t at = 0;

	while (next < l->count || waiting > 0) {
		if (waiting == 0)
			at = l->line[next].low;
		for (; next < l->count && l->line[next].low <= at; next++)
			if (!heap_push(l, &waiting, (uint32_t)next))
				return false;
		const struct breakpad_line *top = &l->line[l->heap[0]];
		if (top->high <= at) {
			heap_pop(l, &waiting);
			continue;
		}
		uint64_t high = next < l->count && l->line[next].low < top->high ? l->line[next].low
		                                                                 : top->high;
		if (!add_piece(l, top, at, high, end))
			return false;
		pieces++;
		at = high;
	}
	l->covered = pieces < l->count ? l->count - pieces : 0;
	return true;
}

static bool breakpad_lines_flatten(struct breakpad_lines *l, uint64_t low, uint64_t high)
{
	uint64_t end = low;
	bool is_sorted = true;

	l->rows = 0;
	l->covered = 0;
	if (l->count == 0)
		return true;
	for (size_t i = 1; i < l->count && is_sorted; i++)
		is_sorted = l->line[i - 1].low <= l->line[i].low;
	if (!is_sorted)
		qsort(l->line, l->count, sizeof(*l->line), compare_lines_by_low);
	return sweep_breakpad_lines(l, &end) && (end == high || append_flattened_row(l, end, 0, 0));
}

enum {
	/* maximum number of rows to search for the file from which a call is made */
	ROWS_TRIED = 32,
};

/* Return true if a call at this depth has a parent. Must be checked before adding the call. */
static bool breakpad_inlines_has_place(const struct breakpad_inlines *in, uint32_t depth)
{
	return depth == 0 || (depth - 1 < in->depths && in->last[depth - 1] != 0);
}

static bool breakpad_inlines_add(struct breakpad_inlines *in, const struct breakpad_record *record)
{
	uint32_t depth = record->depth;

	if (in->count >= UINT32_MAX - 1 ||
	    !array_grow(&in->call, &in->capacity, in->count + 1, sizeof(*in->call)) ||
	    !array_grow(&in->last, &in->last_capacity, depth + 1, sizeof(*in->last)))
		return false;
	uint32_t parent = depth ? in->last[depth - 1] : 0;
	in->call[in->count++] = (struct breakpad_call){ .depth = depth,
		                                        .line = record->line,
		                                        .file = record->file,
		                                        .origin = record->origin,
		                                        .ranges = record->ranges,
		                                        .parent = parent };
	uint32_t number = (uint32_t)in->count;
	uint32_t *last = parent ? &in->call[parent - 1].last_child : &in->last_outer;
	if (*last)
		in->call[*last - 1].next = number;
	else if (parent)
		in->call[parent - 1].child = number;
	*last = number;
	in->last[depth] = number;
	if (depth == in->depths)
		in->depths++;
	return true;
}

static bool read_own_ranges(struct breakpad_inlines *in, struct cairn_bytes text, uint64_t base)
{
	struct cairn_range range;

	while (breakpad_next_range(&text, &range)) {
		if (range.high > UINT64_MAX - base)
			continue;
		range = (struct cairn_range){ range.low + base, range.high + base };
		if (!nested_ranges_read(&in->ranges, range))
			return false;
	}
	return true;
}

static bool has_too_many_ranges(const struct breakpad_inlines *in)
{
	return in->spare.over && in->ranges.count > in->told + 1;
}

/*
 * Clip a call's ranges to the enclosing call. Producers repeat all INLINE records of a function for
 * each part of a split function, so many ranges lie outside. If clipping creates more ranges than
 * the file contains, the additional ones are deducted from an allowance. Returns false if
 * allocation fails.
 */
static bool cut_ranges(struct breakpad_inlines *in, const struct nested_level *outer,
                       struct nested_level *level)
{
	const size_t free_count = in->ranges.count > in->told + 1 ? in->ranges.count : in->told + 1;
	const uint64_t left = in->spare.over ? 0 : in->spare.left;
	const size_t limit =
		left < SIZE_MAX - free_count - 1 ? free_count + 1 + (size_t)left : SIZE_MAX;

	if (!has_too_many_ranges(in) && !nested_ranges_cut(&in->ranges, outer, limit, level))
		return false;
	if (in->ranges.count > free_count)
		(void)allowance_draw(&in->spare, in->ranges.count - free_count);
	return true;
}

/*
 * Return the first known file among the rows that overlap the `count` ranges at `range`, or 0.
 * Examines at most ROWS_TRIED rows.
 */
static uint32_t file_of_rows(const struct breakpad_lines *lines, const struct cairn_range *range,
                             size_t count)
{
	unsigned tried = 0;

	for (size_t i = 0; i < count && tried < ROWS_TRIED; i++) {
		struct bisection search = bisect_begin(lines->rows);
		while (search.low < search.high)
			bisect_narrow(&search, lines->row[search.middle].va <= range[i].low);
		for (size_t row = search.low ? search.low - 1 : 0; row < lines->rows; row++) {
			if (lines->row[row].va >= range[i].high || tried++ == ROWS_TRIED)
				break;
			if (lines->row[row].file != 0)
				return lines->row[row].file;
		}
	}
	return 0;
}

/* Set outer_file to the file of the function's first row outside all inlined calls. */
static bool find_outer_file(struct breakpad_inlines *in, const struct breakpad_function *function)
{
	const struct breakpad_lines *lines = function->lines;
	uint32_t first = 0;
	size_t at = 0;

	in->ranges.owns = 0;
	for (size_t i = 0; i < in->count; i++)
		if (in->call[i].depth == 0 &&
		    !read_own_ranges(in, in->call[i].ranges, function->base))
			return false;
	const struct cairn_range *own = in->ranges.own;
	const size_t owns = range_merge(in->ranges.own, in->ranges.owns);
	in->outer_file = 0;
	for (size_t i = 0; i < lines->rows && in->outer_file == 0; i++) {
		const struct function_row *row = &lines->row[i];
		while (at < owns && own[at].high <= row->va)
			at++;
		bool inside = at < owns && own[at].low <= row->va;
		first = first ? first : row->file;
		in->outer_file = inside ? 0 : row->file;
	}
	if (in->outer_file == 0)
		in->outer_file = first ? first : function->tables->unknown_file;
	return true;
}

/*
 * Return the file from which a call is made if its record does not specify one: the file of the
 * enclosing code.
 */
static uint32_t file_around(const struct breakpad_inlines *in, const struct breakpad_call *call,
                            const struct breakpad_function *function)
{
	uint32_t file = 0;

	if (call->parent == 0)
		return in->outer_file;
	const struct breakpad_call *outer = &in->call[call->parent - 1];
	const struct breakpad_origin *origin = breakpad_origin(function->tables, outer->origin);
	if (origin)
		file = (uint32_t)origin->file;
	if (file == 0)
		file = file_of_rows(function->lines, in->ranges.range + outer->level.first,
		                    outer->level.count);
	return file ? file : function->tables->unknown_file;
}

static bool add_inline(struct breakpad_inlines *in, const struct breakpad_call *call,
                       const struct breakpad_function *function)
{
	static const struct cairn_bytes omitted = { (const uint8_t *)"<name omitted>", 14 };
	const struct breakpad_origin *origin = breakpad_origin(function->tables, call->origin);
	uint32_t file = breakpad_file_index(function->tables, call->file);

	return ARRAY_APPEND(in->inlined, in->inlines, in->inline_capacity,
	                    (struct function_inline){
				    .depth = call->depth + 1,
				    .range = (uint32_t)call->level.first,
				    .ranges = (uint32_t)call->level.count,
				    .call_file = file ? file : file_around(in, call, function),
				    .call_line = call->line,
				    .name = origin && allowance_draw(&in->names, origin->name.size)
	                                            ? origin->name
	                                            : omitted,
			    });
}

/*
 * Add a call and its ranges. If clipping leaves the call without ranges, omit it together with the
 * calls inside it.
 */
static bool add_breakpad_call(struct breakpad_inlines *in, struct breakpad_call *call,
                              const struct breakpad_function *function)
{
	static const struct nested_level whole = { 0, 1 };
	const size_t before = in->ranges.count;

	call->level = (struct nested_level){ before, 0 };
	in->ranges.owns = 0;
	if (!read_own_ranges(in, call->ranges, function->base))
		return false;
	in->told += in->ranges.owns;
	if (!cut_ranges(in, call->parent ? &in->call[call->parent - 1].level : &whole,
	                &call->level))
		return false;
	if (has_too_many_ranges(in) || call->depth >= BREAKPAD_LEVELS_MAX) {
		in->cut++;
		in->ranges.count = before;
		call->level.count = 0;
	} else if (call->level.count == 0) {
		in->outside++;
	}
	return call->level.count == 0 || add_inline(in, call, function);
}

static uint32_t next_call(const struct breakpad_inlines *in, uint32_t number)
{
	const struct breakpad_call *call = &in->call[number - 1];

	if (call->level.count && call->child)
		return call->child;
	while (call->next == 0 && call->parent)
		call = &in->call[call->parent - 1];
	return call->next;
}

static bool breakpad_inlines_order(struct breakpad_inlines *in,
                                   const struct breakpad_function *function)
{
	const struct cairn_range whole = { function->low, function->high };

	in->inlines = in->ranges.count = 0;
	if (in->count == 0)
		return true;
	if (!find_outer_file(in, function) || !nested_ranges_add(&in->ranges, whole))
		return false;
	for (uint32_t number = 1; number != 0; number = next_call(in, number))
		if (!add_breakpad_call(in, &in->call[number - 1], function))
			return false;
	return true;
}

/* A PUBLIC record, or a FUNC record without a size. */
struct symbol {
	uint64_t va;
	uint32_t order;
	bool is_public;
	struct cairn_bytes name;
};

struct breakpad_file {
	struct cairn_bytes bytes;
	struct polling *polling;
	struct breakpad_tables tables;
	uint8_t id[BREAKPAD_ID_MAX];
	size_t id_size;
};

struct reading {
	const struct breakpad_file *file;
	const struct function_sink *sink;
	const struct breakpad_notice *notice;
	struct breakpad_summary *report;
	uint64_t base;
	/* the last FUNC record has not ended; lines and inlined calls belong to its function */
	bool has_function;
	uint64_t low, high;
	struct cairn_bytes name;
	struct breakpad_lines lines;
	struct breakpad_inlines inlines;
	struct cairn_range *function;
	size_t functions, function_capacity;
	struct symbol *symbol;
	size_t symbols, symbol_capacity;
};

static void find_id(struct breakpad_file *file)
{
	struct breakpad in = breakpad_open(file->bytes);
	struct breakpad_record record;
	uint8_t id[BREAKPAD_ID_MAX];
	bool is_code_id = false;

	while (breakpad_next(&in, &record) && !is_code_id) {
		polling_count(file->polling, 1);
		size_t size = breakpad_build_id(&record, id);
		if (size == 0 || (file->id_size && record.kind == BREAKPAD_MODULE))
			continue;
		memcpy(file->id, id, size);
		file->id_size = size;
		is_code_id = record.kind == BREAKPAD_CODE_ID;
	}
}

static void free_file(struct breakpad_file **file)
{
	breakpad_file_free(*file);
}

struct breakpad_file *breakpad_file_new(struct cairn_bytes bytes, struct polling *polling)
{
	WITH_CLEANUP(free_file) struct breakpad_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->bytes = bytes;
	file->polling = polling;
	if (breakpad_tables_init(&file->tables, bytes, polling) != CAIRN_OK)
		return NULL;
	find_id(file);
	struct breakpad_file *made = file;
	file = NULL;
	return made;
}

void breakpad_file_free(struct breakpad_file *file)
{
	if (!file)
		return;
	free(file->tables.file);
	free(file->tables.file_map.slot);
	free(file->tables.origin);
	free(file->tables.origin_map.slot);
	free(file);
}

struct cairn_bytes breakpad_file_build_id(const struct breakpad_file *file)
{
	return (struct cairn_bytes){ file->id, file->id_size };
}

static void send_notice(const struct reading *r, uint64_t line, const char *what)
{
	if (r->notice)
		r->notice->notice(r->notice->context, line, what);
}

static void report_malformed_record(struct reading *r, uint64_t line, const char *what)
{
	r->report->malformed++;
	send_notice(r, line, what);
}

static enum cairn_status emit_breakpad_function(struct reading *r)
{
	const struct breakpad_tables *tables = &r->file->tables;
	struct breakpad_function about = { r->base, r->low, r->high, tables, &r->lines };

	/* functions without a size are emitted like PUBLIC symbols */
	const bool is_sized = r->has_function && r->low < r->high;
	r->has_function = false;
	if (!is_sized)
		return CAIRN_OK;
	if (!breakpad_lines_flatten(&r->lines, r->low, r->high) ||
	    !breakpad_inlines_order(&r->inlines, &about))
		return CAIRN_NO_MEMORY;
	r->report->lines_covered += r->lines.covered;
	struct function function = { .start = r->low,
		                     .size = r->high - r->low,
		                     .name = r->name,
		                     .source = FUNCTION_DEBUG,
		                     .files = tables->file,
		                     .file_count = (uint32_t)tables->files,
		                     .rows = r->lines.row,
		                     .row_count = r->lines.rows,
		                     .range = r->inlines.ranges.range,
		                     .inlines = r->inlines.inlined,
		                     .inline_count = r->inlines.inlines };
	return r->sink->take(r->sink->context, &function);
}

static enum cairn_status add_symbol(struct reading *r, const struct breakpad_record *record)
{
	if (record->address > UINT64_MAX - r->base) {
		report_malformed_record(r, record->line_number,
		                        "the address lies past the end of the address space");
		return CAIRN_OK;
	}
	if (r->symbols >= UINT32_MAX ||
	    !array_grow(&r->symbol, &r->symbol_capacity, r->symbols + 1, sizeof(*r->symbol)))
		return CAIRN_NO_MEMORY;
	struct symbol *symbol = &r->symbol[r->symbols];
	*symbol = (struct symbol){ .va = record->address + r->base,
		                   .order = (uint32_t)r->symbols++,
		                   .is_public = record->kind == BREAKPAD_PUBLIC,
		                   .name = record->name };
	return CAIRN_OK;
}

static void count_extras(struct reading *r, const struct breakpad_record *record)
{
	r->report->shared += record->shared;
	r->report->parameters += record->parameters != 0;
}

static enum cairn_status begin_function(struct reading *r, const struct breakpad_record *record)
{
	uint64_t end = record->address + record->size;

	count_extras(r, record);
	r->lines.count = 0;
	r->inlines.count = r->inlines.depths = r->inlines.inlines = r->inlines.ranges.count = 0;
	r->inlines.told = 0;
	r->inlines.last_outer = 0;
	if (end > UINT64_MAX - r->base) {
		report_malformed_record(r, record->line_number,
		                        "the range extends past the end of the address space");
		return CAIRN_OK;
	}
	r->low = record->address + r->base;
	r->high = end + r->base;
	r->name = record->name;
	/*
	 * accept line records even after a FUNC without a size: they are valid, although all lie
	 * outside the function
	 */
	r->has_function = true;
	if (record->size == 0)
		return add_symbol(r, record);
	if (!ARRAY_APPEND(r->function, r->functions, r->function_capacity,
	                  (struct cairn_range){ r->low, r->high }))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

static enum cairn_status add_line_record(struct reading *r, const struct breakpad_record *record)
{
	uint64_t end = record->address + record->size;

	if (!r->has_function || end > UINT64_MAX - r->base) {
		report_malformed_record(r, record->line_number,
		                        "a line record does not belong to any function");
		return CAIRN_OK;
	}
	struct breakpad_line line = { record->address + r->base, end + r->base, record->line,
		                      breakpad_file_index(&r->file->tables, record->file), 0 };
	if (record->size == 0) {
		r->report->lines_empty++;
		return CAIRN_OK;
	}
	if (line.low >= r->high || line.high <= r->low) {
		r->report->lines_outside++;
		return CAIRN_OK;
	}
	line.low = line.low < r->low ? r->low : line.low;
	line.high = line.high > r->high ? r->high : line.high;
	return breakpad_lines_add(&r->lines, line) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static enum cairn_status add_inline_record(struct reading *r, const struct breakpad_record *record)
{
	if (!r->has_function) {
		report_malformed_record(r, record->line_number,
		                        "an inlined call does not belong to any function");
		return CAIRN_OK;
	}
	if (!breakpad_inlines_has_place(&r->inlines, record->depth)) {
		report_malformed_record(r, record->line_number,
		                        "an inlined call has no enclosing call");
		return CAIRN_OK;
	}
	return breakpad_inlines_add(&r->inlines, record) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static enum cairn_status add_breakpad_record(struct reading *r,
                                             const struct breakpad_record *record)
{
	switch (record->kind) {
	case BREAKPAD_FUNC:
		return begin_function(r, record);
	case BREAKPAD_LINE:
		return add_line_record(r, record);
	case BREAKPAD_INLINE:
		return add_inline_record(r, record);
	case BREAKPAD_PUBLIC:
		count_extras(r, record);
		return add_symbol(r, record);
	case BREAKPAD_STACK:
		r->report->unwind++;
		return CAIRN_OK;
	case BREAKPAD_UNKNOWN:
		r->report->unknown++;
		send_notice(r, record->line_number, NULL);
		return CAIRN_OK;
	case BREAKPAD_BAD:
		report_malformed_record(r, record->line_number, record->what);
		return CAIRN_OK;
	case BREAKPAD_MODULE:
	case BREAKPAD_CODE_ID:
	case BREAKPAD_FILE:
	case BREAKPAD_ORIGIN:
	case BREAKPAD_INFO:
		return CAIRN_OK;
	}
	return CAIRN_OK;
}

static int compare_symbols_by_va(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(a->order, b->order, 0));
}

/*
 * Drop symbols at address 0 and symbols inside functions. Both arrays are sorted; `reach` is the
 * highest end of the functions that begin at or before the symbol.
 */
static void drop_covered(struct reading *r)
{
	size_t kept = 0, at = 0;
	uint64_t reach = 0;

	for (size_t i = 0; i < r->symbols; i++) {
		struct symbol symbol = r->symbol[i];
		for (; at < r->functions && r->function[at].low <= symbol.va; at++)
			reach = r->function[at].high > reach ? r->function[at].high : reach;
		bool at_zero = symbol.is_public && symbol.va == r->base;
		if (symbol.va < reach || at_zero)
			r->report->symbols_covered++;
		else
			r->symbol[kept++] = symbol;
	}
	r->symbols = kept;
}

/*
 * Pass the symbols to the sink. A symbol extends to the next function or symbol; the last symbol
 * has size 0.
 */
static enum cairn_status emit_breakpad_symbols(struct reading *r)
{
	size_t at = 0, next = 0;
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; i < r->symbols && status == CAIRN_OK; i++) {
		uint64_t va = r->symbol[i].va, end = va;
		while (at < r->functions && r->function[at].low <= va)
			at++;
		while (next < r->symbols && r->symbol[next].va <= va)
			next++;
		if (at < r->functions)
			end = r->function[at].low;
		if (next < r->symbols && (end == va || r->symbol[next].va < end))
			end = r->symbol[next].va;
		struct function function = { .start = va,
			                     .size = end - va,
			                     .name = r->symbol[i].name,
			                     .source = FUNCTION_SYMBOL };
		status = r->sink->take(r->sink->context, &function);
	}
	return status;
}

static enum cairn_status read_breakpad_records(struct reading *r)
{
	struct breakpad in = breakpad_open(r->file->bytes);
	struct breakpad_record record;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && breakpad_next(&in, &record)) {
		polling_count(r->file->polling, 1);
		/* a damaged record still ends the preceding function */
		const enum breakpad_kind kind =
			record.kind == BREAKPAD_BAD ? record.bad_kind : record.kind;
		if (kind == BREAKPAD_FUNC || kind == BREAKPAD_PUBLIC)
			status = emit_breakpad_function(r);
		if (status == CAIRN_OK)
			status = add_breakpad_record(r, &record);
	}
	if (status == CAIRN_OK)
		status = emit_breakpad_function(r);
	if (status != CAIRN_OK)
		return status;
	if (r->functions)
		qsort(r->function, r->functions, sizeof(*r->function), range_compare);
	if (r->symbols)
		qsort(r->symbol, r->symbols, sizeof(*r->symbol), compare_symbols_by_va);
	drop_covered(r);
	return emit_breakpad_symbols(r);
}

static void finish_reading(struct reading *r)
{
	free(r->lines.line);
	free(r->lines.heap);
	free(r->lines.row);
	free(r->inlines.call);
	free(r->inlines.last);
	nested_ranges_finish(&r->inlines.ranges);
	free(r->inlines.inlined);
	free(r->function);
	free(r->symbol);
}

enum cairn_status breakpad_functions(struct breakpad_file *file, uint64_t base,
                                     const struct function_sink *sink,
                                     const struct breakpad_notice *notice,
                                     struct breakpad_summary *report)
{
	WITH_CLEANUP(finish_reading)
	struct reading r = {
		.file = file, .sink = sink, .notice = notice, .report = report, .base = base
	};

	*report = (struct breakpad_summary){ .malformed = 0 };
	r.inlines.spare =
		allowance_of(BREAKPAD_CUTS_LEAST, 1, file->bytes.size / BREAKPAD_CUTS_BYTES);
	r.inlines.names =
		allowance_of(BREAKPAD_NAMES_LEAST, BREAKPAD_NAMES_TIMES, file->bytes.size);
	enum cairn_status status = read_breakpad_records(&r);
	report->inlines_outside = r.inlines.outside;
	report->inlines_cut = r.inlines.cut;
	report->names_shared = r.inlines.names.over;
	return status;
}

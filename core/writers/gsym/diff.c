/* SPDX-License-Identifier: MIT */
/*
 * Reads two GSYM files in address order, pairs the functions that have the same start, and compares
 * their line tables, inlined calls and call sites. The paths in both files are numbered together,
 * so that paths can be compared by number.
 */
#include "diff.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/table.h"
#include "symbols/gsym.h"

#include <stdlib.h>
#include <string.h>

/* A function in the current group, which consists of all functions with the same start address. */
struct gsym_diff_item {
	struct gsym_function record;
	struct cairn_bytes name;
	uint32_t order;
	bool done;
};

/* Sort key of an inlined call: first address, then depth, so that outer calls come first. */
struct gsym_diff_call {
	uint64_t low;
	uint32_t depth, index;
};

struct gsym_diff_side {
	struct gsym_reader reader;
	uint32_t next; /* index of the first function after the current group */
	/* path number for each file entry; equal paths in both files have the same number */
	uint32_t *path;
	struct gsym_diff_item *item;
	size_t items, capacity;
	struct gsym_diff_call *call;
	size_t call_capacity;
};

struct gsym_diff {
	struct gsym_diff_side first, second;
	struct gsym_diff_options options;
	const struct gsym_difference_sink *sink;
	struct gsym_diff_counts *counts;
	struct interner paths;
	bool differs;
	bool ended;
};

static inline void gsym_diff_report(struct gsym_diff *diff,
                                    const struct gsym_difference *difference)
{
	diff->differs = true;
	if (!diff->ended)
		diff->ended = !diff->sink->take(diff->sink->context, difference);
}

enum {
	/*
	 * maximum ratio of the total size of joined paths to the file size; real files need a
	 * tenth, although joining repeats each directory
	 */
	PATHS_TIMES = 4,
};

struct joined {
	char *text;
	size_t capacity;
};

static bool join_file_path(struct joined *joined, const struct function_file *file, size_t *size)
{
	const struct cairn_location location = { .directory = file->directory, .file = file->name };

	*size = cairn_location_path(&location, joined->text, joined->capacity);
	if (*size < joined->capacity)
		return true;
	if (!array_grow(&joined->text, &joined->capacity, *size + 1, 1))
		return false;
	(void)cairn_location_path(&location, joined->text, joined->capacity);
	return true;
}

static size_t measure_path(const struct function_file *file)
{
	return file->directory.size + file->name.size + 2;
}

/* Number the paths of a file. `left` limits their total size in bytes. */
static enum cairn_status number_paths(struct gsym_diff *diff, struct gsym_diff_side *side,
                                      uint64_t left)
{
	const struct gsym_reader *reader = &side->reader;
	enum cairn_status status = CAIRN_OK;
	struct joined joined = { NULL, 0 };
	size_t size;

	for (uint32_t i = 0; status == CAIRN_OK && i < reader->gsym->files; i++) {
		if (measure_path(&reader->files[i]) > left) {
			status = CAIRN_MALFORMED;
			break;
		}
		left -= measure_path(&reader->files[i]);
		if (!join_file_path(&joined, &reader->files[i], &size)) {
			status = CAIRN_NO_MEMORY;
			break;
		}
		const struct cairn_bytes text = { (const uint8_t *)joined.text, size };
		side->path[i] = interner_add_copy(&diff->paths, text);
		status = diff->paths.text.failed ? CAIRN_NO_MEMORY : CAIRN_OK;
	}
	free(joined.text);
	return status;
}

static enum cairn_status gsym_diff_open(struct gsym_diff *diff, struct gsym_diff_side *side,
                                        const struct gsym *gsym, struct cairn_fault *fault)
{
	if (!gsym_reader_init(&side->reader, gsym, diff->options.statements))
		return CAIRN_NO_MEMORY;
	side->path = calloc((size_t)gsym->files + 1, sizeof(*side->path));
	if (!side->path)
		return CAIRN_NO_MEMORY;
	enum cairn_status status = number_paths(
		diff, side, PATHS_TIMES * ((uint64_t)gsym->bytes.size + gsym->strings.size));
	if (status == CAIRN_MALFORMED)
		*fault = (struct cairn_fault){ status, gsym->files_at,
			                       "paths share too many of their bytes" };
	return status;
}

static void gsym_diff_close(struct gsym_diff_side *side)
{
	gsym_reader_finish(&side->reader);
	free(side->path);
	free(side->item);
	free(side->call);
}

static bool gsym_diff_peek(const struct gsym_diff_side *side, uint64_t *start)
{
	const struct gsym *gsym = side->reader.gsym;

	if (side->next >= gsym->functions)
		return false;
	*start = gsym->base + gsym_offset(gsym, side->next);
	return true;
}

static bool add_item(struct gsym_diff_side *side, const struct gsym_function *record)
{
	struct gsym_diff_item item = { .record = *record, .order = (uint32_t)side->items };

	if (!array_grow(&side->item, &side->capacity, side->items + 1, sizeof(item)))
		return false;
	const char *wrong = gsym_names_read(&side->reader.names, record->name, &item.name);
	if (wrong)
		gsym_reader_lose(&side->reader,
		                 (struct cairn_fault){ CAIRN_MALFORMED, record->at, wrong });
	side->item[side->items++] = item;
	return true;
}

static bool add_merged_items(struct gsym_diff_side *side, const struct gsym_function *owner)
{
	const struct gsym *gsym = side->reader.gsym;
	struct gsym_blocks blocks = gsym_blocks(gsym, owner);
	struct gsym_block block, merged = { .type = GSYM_END };
	struct gsym_function record;

	while (gsym_next_block(&blocks, &block))
		if (block.type == GSYM_MERGED)
			merged = block;
	if (merged.type != GSYM_MERGED)
		return true;
	struct gsym_merged others = gsym_merged(gsym, owner, &merged);
	while (gsym_next_merged(&others, &record))
		if (!add_item(side, &record))
			return false;
	gsym_reader_lose(&side->reader, others.in.fault);
	return true;
}

/*
 * Read the functions at `start`, if any, into side->item. Returns CAIRN_OK, NO_MEMORY or MALFORMED.
 */
static enum cairn_status gsym_diff_gather(struct gsym_diff_side *side, uint64_t start, bool merged,
                                          struct cairn_fault *fault)
{
	const struct gsym *gsym = side->reader.gsym;
	struct gsym_function record;
	uint64_t at;

	side->items = 0;
	for (; gsym_diff_peek(side, &at) && at == start; side->next++) {
		if (!gsym_reader_next(&side->reader, side->next, &record))
			continue;
		if (!add_item(side, &record) || (merged && !add_merged_items(side, &record)))
			return CAIRN_NO_MEMORY;
	}
	if (!gsym_diff_peek(side, &at) || at > start)
		return CAIRN_OK;
	return fault_set_at(fault, CAIRN_MALFORMED,
	                    gsym->addresses_at + (size_t)side->next * gsym->address_size,
	                    "addresses are not in ascending order");
}

/* Position in a line table. Two functions are compared address by address. */
struct line_cursor {
	const struct gsym_diff_side *side;
	const struct function *function;
	size_t next;
	size_t group;
	const struct function_row *row;
};

static struct line_cursor begin_lines(const struct gsym_diff_side *side)
{
	return (struct line_cursor){ .side = side, .function = &side->reader.function };
}

static uint64_t find_next_row(const struct line_cursor *cursor)
{
	return cursor->next < cursor->function->row_count ? cursor->function->rows[cursor->next].va
	                                                  : UINT64_MAX;
}

static void move_to(struct line_cursor *cursor, uint64_t va)
{
	cursor->group = cursor->next;
	while (cursor->next < cursor->function->row_count &&
	       cursor->function->rows[cursor->next].va <= va)
		cursor->row = &cursor->function->rows[cursor->next++];
	if (cursor->row && cursor->row->line == 0 && cursor->row->file == 0)
		cursor->row = NULL; /* the row marks code without a line */
}

static uint32_t find_path(const struct line_cursor *cursor, const struct function_row *row)
{
	return cursor->side->path[row->file];
}

static bool is_same_location(const struct line_cursor *a, const struct function_row *left,
                             const struct line_cursor *b, const struct function_row *right)
{
	if (!left || !right)
		return left == right;
	return left->line == right->line && find_path(a, left) == find_path(b, right);
}

static bool is_same_row(const struct line_cursor *a, const struct function_row *left,
                        const struct line_cursor *b, const struct function_row *right)
{
	return left->statement == right->statement && left->prologue_end == right->prologue_end &&
	       left->apart == right->apart && left->line == right->line &&
	       find_path(a, left) == find_path(b, right);
}

/* Return true if all rows at the current address are equal. Lookups need only the last of them. */
static bool has_same_rows(const struct line_cursor *a, const struct line_cursor *b)
{
	size_t count = a->next - a->group;

	if (count != b->next - b->group || a->function->statements != b->function->statements)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_same_row(a, &a->function->rows[a->group + i], b,
		                 &b->function->rows[b->group + i]))
			return false;
	return true;
}

/* Return the end of the current piece of code, where a new row begins in either table. */
static uint64_t find_piece_end(const struct line_cursor *a, const struct line_cursor *b,
                               uint64_t end)
{
	uint64_t first = find_next_row(a), second = find_next_row(b);
	uint64_t next = first < second ? first : second;

	return next < end ? next : end;
}

/* A difference that has not been reported yet, because the next piece of code may extend it. */
struct open_piece {
	struct line_cursor a, b;
	uint64_t low;
	bool open, marks_only;
};

static void end_piece(struct gsym_diff *diff, struct open_piece *piece, uint64_t va)
{
	const struct line_cursor *a = &piece->a, *b = &piece->b;
	const struct gsym_difference difference = { .kind = GSYM_DIFFERENT_LINES,
		                                    .low = piece->low,
		                                    .high = va,
		                                    .marks_only = piece->marks_only,
		                                    .first = { a->function, .row = a->row },
		                                    .second = { b->function, .row = b->row } };

	if (piece->open)
		gsym_diff_report(diff, &difference);
	piece->open = false;
}

static bool continues_piece(const struct open_piece *piece, const struct line_cursor *a,
                            const struct line_cursor *b)
{
	return piece->open && !piece->marks_only &&
	       is_same_location(&piece->a, piece->a.row, a, a->row) &&
	       is_same_location(&piece->b, piece->b.row, b, b->row);
}

static void compare_piece(struct gsym_diff *diff, struct open_piece *piece,
                          const struct line_cursor *a, const struct line_cursor *b, uint64_t va)
{
	bool same = is_same_location(a, a->row, b, b->row);
	bool marks_only = same && diff->options.statements && !has_same_rows(a, b);

	if (!same && continues_piece(piece, a, b))
		return;
	end_piece(diff, piece, va);
	if (!same || marks_only)
		*piece = (struct open_piece){ *a, *b, va, true, marks_only };
}

/*
 * Return the end of the range that both functions cover. A size of 0 means that the size is
 * unknown.
 */
static uint64_t find_common_end(const struct function *a, const struct function *b)
{
	uint64_t size = a->size && (!b->size || a->size < b->size) ? a->size : b->size;

	return size ? a->start + size : UINT64_MAX;
}

static void gsym_diff_lines(struct gsym_diff *diff)
{
	struct line_cursor a = begin_lines(&diff->first), b = begin_lines(&diff->second);
	uint64_t va = a.function->start, end = find_common_end(a.function, b.function);
	struct open_piece piece = { .open = false };

	while (va < end && !diff->ended) {
		move_to(&a, va);
		move_to(&b, va);
		compare_piece(diff, &piece, &a, &b, va);
		va = find_piece_end(&a, &b, end);
	}
	end_piece(diff, &piece, end);
}

static int compare_call_places(const struct gsym_diff_call *a, const struct gsym_diff_call *b)
{
	return ORDER_BY(a->low, b->low, ORDER_BY(a->depth, b->depth, 0));
}

static int compare_sorted_calls(const void *left, const void *right)
{
	const struct gsym_diff_call *a = left, *b = right;
	const int order = compare_call_places(a, b);

	return order != 0 ? order : ORDER_BY(a->index, b->index, 0);
}

static const struct cairn_range *find_ranges(const struct function *function,
                                             const struct function_inline *call)
{
	return &function->range[call->range];
}

static bool sort_calls(struct gsym_diff_side *side)
{
	const struct function *f = &side->reader.function;

	if (!array_grow(&side->call, &side->call_capacity, f->inline_count, sizeof(*side->call)))
		return false;
	for (size_t i = 0; i < f->inline_count; i++)
		side->call[i] = (struct gsym_diff_call){ find_ranges(f, &f->inlines[i])->low,
			                                 f->inlines[i].depth, (uint32_t)i };
	if (f->inline_count > 1)
		qsort(side->call, f->inline_count, sizeof(*side->call), compare_sorted_calls);
	return true;
}

/*
 * Return true if the calls are equal. Their first addresses and depths have already been compared.
 */
static bool is_same_call(const struct gsym_diff *diff, const struct function_inline *a,
                         const struct function_inline *b)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;

	if (a->ranges != b->ranges || a->call_line != b->call_line ||
	    diff->first.path[a->call_file] != diff->second.path[b->call_file] ||
	    (diff->options.statements && a->entry != b->entry) ||
	    bytes_order(a->name, b->name) != 0)
		return false;
	return memcmp(find_ranges(f, a), find_ranges(g, b),
	              a->ranges * sizeof(struct cairn_range)) == 0;
}

static void report_call(struct gsym_diff *diff, const struct function_inline *a,
                        const struct function_inline *b)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;
	const struct cairn_range *range = a ? find_ranges(f, a) : find_ranges(g, b);
	const struct gsym_difference difference = { .kind = GSYM_DIFFERENT_INLINE,
		                                    .low = range->low,
		                                    .high = range->high,
		                                    .first = { f, .call = a },
		                                    .second = { g, .call = b } };

	gsym_diff_report(diff, &difference);
}

static void merge_calls(struct gsym_diff *diff)
{
	const struct gsym_diff_side *a = &diff->first, *b = &diff->second;
	const struct function *f = &a->reader.function, *g = &b->reader.function;
	size_t i = 0, j = 0;

	while (!diff->ended && (i < f->inline_count || j < g->inline_count)) {
		int order = i == f->inline_count   ? 1
		            : j == g->inline_count ? -1
		                                   : compare_call_places(&a->call[i], &b->call[j]);
		const struct function_inline *left =
			order <= 0 ? &f->inlines[a->call[i++].index] : NULL;
		const struct function_inline *right =
			order >= 0 ? &g->inlines[b->call[j++].index] : NULL;
		if (order != 0 || !is_same_call(diff, left, right))
			report_call(diff, left, right);
	}
}

static bool gsym_diff_inlines(struct gsym_diff *diff)
{
	if (!sort_calls(&diff->first) || !sort_calls(&diff->second))
		return false;
	merge_calls(diff);
	return true;
}

static bool is_same_site(const struct function_call *a, const struct function_call *b)
{
	if (a->flags != b->flags || a->callees != b->callees)
		return false;
	for (uint32_t i = 0; i < a->callees; i++)
		if (bytes_order(a->callee[i], b->callee[i]) != 0)
			return false;
	return true;
}

static void report_site(struct gsym_diff *diff, const struct function_call *a,
                        const struct function_call *b)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;
	uint64_t va = f->start + (a ? a : b)->return_offset;
	const struct gsym_difference difference = { .kind = GSYM_DIFFERENT_CALL,
		                                    .low = va,
		                                    .high = va,
		                                    .first = { f, .site = a },
		                                    .second = { g, .site = b } };

	gsym_diff_report(diff, &difference);
}

/*
 * Compare the call sites of both functions in file order. Writers usually sort call sites by return
 * address.
 */
static void gsym_diff_calls(struct gsym_diff *diff)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;
	size_t i = 0, j = 0;

	while (!diff->ended && (i < f->call_count || j < g->call_count)) {
		const struct function_call *a = i < f->call_count ? &f->calls[i] : NULL;
		const struct function_call *b = j < g->call_count ? &g->calls[j] : NULL;
		bool takes_a = a && (!b || a->return_offset <= b->return_offset);
		bool takes_b = b && (!a || b->return_offset <= a->return_offset);
		i += takes_a;
		j += takes_b;
		if (!takes_a || !takes_b || !is_same_site(a, b))
			report_site(diff, takes_a ? a : NULL, takes_b ? b : NULL);
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_sizes(const void *left, const void *right)
{
	const struct gsym_diff_item *a = left, *b = right;

	return compare_numbers(a->record.size, b->record.size);
}

static int compare_item_names(const void *left, const void *right)
{
	const struct gsym_diff_item *a = left, *b = right;

	return bytes_order(a->name, b->name);
}

static int compare_sizes_and_names(const void *left, const void *right)
{
	int order = compare_sizes(left, right);

	return order ? order : compare_item_names(left, right);
}

/* Sort by all known properties, so that the order in the file matters only for equal functions. */
static int sort_by_size(const void *left, const void *right)
{
	const struct gsym_diff_item *a = left, *b = right;
	int order = compare_sizes_and_names(left, right);

	return order ? order : compare_numbers(a->order, b->order);
}

static int sort_by_name(const void *left, const void *right)
{
	int order = compare_item_names(left, right);

	return order ? order : sort_by_size(left, right);
}

static enum cairn_status read_item(struct gsym_diff_side *side, const struct gsym_diff_item *item)
{
	struct gsym_block merged;

	return gsym_reader_read(&side->reader, &item->record, &merged);
}

static void report_heads(struct gsym_diff *diff)
{
	const struct function *a = &diff->first.reader.function, *b = &diff->second.reader.function;
	struct gsym_difference difference = { .low = a->start,
		                              .high = a->start + a->size,
		                              .first = { .function = a },
		                              .second = { .function = b } };

	difference.kind = GSYM_DIFFERENT_RANGE;
	if (a->size != b->size)
		gsym_diff_report(diff, &difference);
	difference.kind = GSYM_DIFFERENT_NAME;
	if (bytes_order(a->name, b->name) != 0)
		gsym_diff_report(diff, &difference);
}

static enum cairn_status compare_pair(struct gsym_diff *diff, struct gsym_diff_item *a,
                                      struct gsym_diff_item *b)
{
	a->done = b->done = true;
	diff->differs = false;
	if (read_item(&diff->first, a) != CAIRN_OK || read_item(&diff->second, b) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	report_heads(diff);
	gsym_diff_lines(diff);
	if (!gsym_diff_inlines(diff))
		return CAIRN_NO_MEMORY;
	if (diff->options.calls)
		gsym_diff_calls(diff);
	diff->counts->differ += diff->differs;
	diff->counts->equal += !diff->differs;
	return CAIRN_OK;
}

static size_t skip_done(const struct gsym_diff_side *side, size_t at)
{
	while (at < side->items && side->item[at].done)
		at++;
	return at;
}

/*
 * Pair and compare the functions that `compare` considers equal. Both sides must be sorted by
 * `compare`.
 */
static enum cairn_status pair_equal(struct gsym_diff *diff,
                                    int (*compare)(const void *left, const void *right))
{
	struct gsym_diff_side *a = &diff->first, *b = &diff->second;
	size_t i = skip_done(a, 0), j = skip_done(b, 0);
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && !diff->ended && i < a->items && j < b->items) {
		int order = compare(&a->item[i], &b->item[j]);
		if (order == 0)
			status = compare_pair(diff, &a->item[i], &b->item[j]);
		i = order <= 0 ? skip_done(a, i + 1) : i;
		j = order >= 0 ? skip_done(b, j + 1) : j;
	}
	return status;
}

static enum cairn_status report_single(struct gsym_diff *diff, struct gsym_diff_side *side,
                                       const struct gsym_diff_item *item)
{
	bool is_first = side == &diff->first;
	const struct function *function = &side->reader.function;

	if (read_item(side, item) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	struct gsym_difference difference = { .kind = is_first ? GSYM_ONLY_FIRST : GSYM_ONLY_SECOND,
		                              .low = function->start,
		                              .high = function->start + function->size };
	*(is_first ? &difference.first : &difference.second) =
		(struct gsym_difference_side){ .function = function };
	gsym_diff_report(diff, &difference);
	*(is_first ? &diff->counts->only_first : &diff->counts->only_second) += 1;
	return CAIRN_OK;
}

static enum cairn_status report_singles(struct gsym_diff *diff, struct gsym_diff_side *side)
{
	enum cairn_status status = CAIRN_OK;

	for (size_t i = skip_done(side, 0); status == CAIRN_OK && !diff->ended && i < side->items;
	     i = skip_done(side, i + 1))
		status = report_single(diff, side, &side->item[i]);
	return status;
}

static void sort_items(struct gsym_diff_side *side, int (*compare)(const void *, const void *))
{
	if (side->items > 1)
		qsort(side->item, side->items, sizeof(*side->item), compare);
}

static enum cairn_status sort_and_pair(struct gsym_diff *diff,
                                       int (*sort)(const void *left, const void *right),
                                       int (*compare)(const void *left, const void *right))
{
	sort_items(&diff->first, sort);
	sort_items(&diff->second, sort);
	return pair_equal(diff, compare);
}

static enum cairn_status gsym_diff_group(struct gsym_diff *diff)
{
	enum cairn_status status = sort_and_pair(diff, sort_by_size, compare_sizes_and_names);

	if (status == CAIRN_OK)
		status = sort_and_pair(diff, sort_by_name, compare_item_names);
	if (status == CAIRN_OK)
		status = sort_and_pair(diff, sort_by_size, compare_sizes);
	if (status == CAIRN_OK)
		status = report_singles(diff, &diff->first);
	return status == CAIRN_OK ? report_singles(diff, &diff->second) : status;
}

static void finish_diff(struct gsym_diff *diff)
{
	gsym_diff_close(&diff->first);
	gsym_diff_close(&diff->second);
	interner_finish(&diff->paths);
}

static bool note_side(enum cairn_status status, bool second, bool *in_second)
{
	if (status != CAIRN_OK)
		*in_second = second;
	return status == CAIRN_OK;
}

static bool find_start(const struct gsym_diff *diff, uint64_t *start)
{
	uint64_t a, b;
	bool has_a = gsym_diff_peek(&diff->first, &a), has_b = gsym_diff_peek(&diff->second, &b);

	if (has_a)
		*start = has_b && b < a ? b : a;
	else if (has_b)
		*start = b;
	return has_a || has_b;
}

static enum cairn_status compare_files(struct gsym_diff *diff, struct cairn_fault *fault,
                                       bool *in_second)
{
	const bool merged = diff->options.merged;
	enum cairn_status status = CAIRN_OK;
	uint64_t start;

	while (status == CAIRN_OK && !diff->ended && find_start(diff, &start)) {
		status = gsym_diff_gather(&diff->first, start, merged, fault);
		if (!note_side(status, false, in_second))
			break;
		status = gsym_diff_gather(&diff->second, start, merged, fault);
		if (note_side(status, true, in_second))
			status = gsym_diff_group(diff);
	}
	return status;
}

static enum cairn_status open_and_compare(struct gsym_diff *diff, const struct gsym *first,
                                          const struct gsym *second, struct cairn_fault *fault,
                                          bool *in_second)
{
	if (!interner_init(&diff->paths, UINT32_MAX))
		return CAIRN_NO_MEMORY;
	enum cairn_status status = gsym_diff_open(diff, &diff->first, first, fault);
	if (!note_side(status, false, in_second))
		return status;
	status = gsym_diff_open(diff, &diff->second, second, fault);
	if (!note_side(status, true, in_second))
		return status;
	return compare_files(diff, fault, in_second);
}

enum cairn_status gsym_diff(const struct gsym *first, const struct gsym *second,
                            const struct gsym_diff_options *options,
                            const struct gsym_difference_sink *sink,
                            struct gsym_diff_counts *counts, struct cairn_fault *fault,
                            bool *in_second)
{
	WITH_CLEANUP(finish_diff)
	struct gsym_diff diff = { .options = *options, .sink = sink, .counts = counts };

	*counts = (struct gsym_diff_counts){ .equal = 0 };
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	*in_second = false;
	enum cairn_status status = open_and_compare(&diff, first, second, fault, in_second);
	counts->lost_first = diff.first.reader.losses;
	counts->lost_second = diff.second.reader.losses;
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Reads the FUNC, line, INLINE and PUBLIC records of a Breakpad file and emits functions. */
#include "breakpad.h"

#include "breakpad_parts.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>

/* A symbol: a PUBLIC, or a FUNC of no size. */
struct symbol {
	uint64_t va;
	uint32_t order; /* in the file */
	bool is_public;
	struct cairn_bytes name;
};

struct breakpad_file {
	struct cairn_bytes bytes;
	struct polling *polling; /* of the host; or NULL */
	struct breakpad_tables tables;
	uint8_t id[BREAKPAD_ID_MAX];
	size_t id_size;
};

/* One reading. */
struct reading {
	const struct breakpad_file *file;
	const struct function_sink *sink;
	const struct breakpad_notice *notice;
	struct breakpad_summary *report;
	uint64_t base;
	bool has_function; /* lines and inlined calls belong to it */
	uint64_t low, high;
	struct cairn_bytes name;
	struct breakpad_lines lines;
	struct breakpad_inlines inlines;
	struct cairn_range *function; /* all that were given */
	size_t functions, function_room;
	struct symbol *symbol;
	size_t symbols, symbol_room;
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
	breakpad_tables_finish(&file->tables);
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

/* Hands out the function whose records have been read. */
static enum cairn_status emit_breakpad_function(struct reading *r)
{
	const struct breakpad_tables *tables = &r->file->tables;
	struct breakpad_function about = { r->base, r->low, r->high, tables, &r->lines };

	if (!r->has_function)
		return CAIRN_OK;
	r->has_function = false;
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
		                        "it lies past the end of the address space");
		return CAIRN_OK;
	}
	if (r->symbols >= UINT32_MAX ||
	    !array_grow(&r->symbol, &r->symbol_room, r->symbols + 1, sizeof(*r->symbol)))
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
	breakpad_inlines_clear(&r->inlines);
	if (end > UINT64_MAX - r->base) {
		report_malformed_record(r, record->line_number,
		                        "it ends past the end of the address space");
		return CAIRN_OK;
	}
	r->low = record->address + r->base;
	r->high = end + r->base;
	r->name = record->name;
	/* the lines of a FUNC without size are well-formed, but all are outside of it */
	r->has_function = true;
	if (record->size == 0)
		return add_symbol(r, record);
	if (!ARRAY_APPEND(r->function, r->functions, r->function_room,
	                  (struct cairn_range){ r->low, r->high }))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

static enum cairn_status add_line_record(struct reading *r, const struct breakpad_record *record)
{
	uint64_t end = record->address + record->size;

	if (!r->has_function || end > UINT64_MAX - r->base) {
		report_malformed_record(r, record->line_number,
		                        "a line without a function that it belongs to");
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
		                        "an inlined call without a function");
		return CAIRN_OK;
	}
	if (!breakpad_inlines_has_place(&r->inlines, record->depth)) {
		report_malformed_record(r, record->line_number,
		                        "an inlined call without the one around it");
		return CAIRN_OK;
	}
	return breakpad_inlines_add(&r->inlines, record) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

/* A record of a kind that ends the function before it, damaged or not. */
static bool ends_function(const struct breakpad_record *record)
{
	enum breakpad_kind kind = record->kind == BREAKPAD_BAD ? record->bad_kind : record->kind;

	return kind == BREAKPAD_FUNC || kind == BREAKPAD_PUBLIC;
}

static enum cairn_status emit_sized_function(struct reading *r)
{
	if (r->has_function && r->low == r->high)
		r->has_function = false; /* it is given with the symbols */
	return emit_breakpad_function(r);
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
 * Leaves out symbols at 0 and those inside of functions.  Both are sorted; `reach` is how far the
 * functions before a symbol go.
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

/* A symbol reaches up to what begins next; nothing begins after the last one. */
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

static enum cairn_status finish_symbols(struct reading *r)
{
	if (r->functions)
		qsort(r->function, r->functions, sizeof(*r->function), range_compare);
	if (r->symbols)
		qsort(r->symbol, r->symbols, sizeof(*r->symbol), compare_symbols_by_va);
	drop_covered(r);
	return emit_breakpad_symbols(r);
}

static enum cairn_status read_breakpad_records(struct reading *r)
{
	struct breakpad in = breakpad_open(r->file->bytes);
	struct breakpad_record record;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && breakpad_next(&in, &record)) {
		polling_count(r->file->polling, 1);
		if (ends_function(&record))
			status = emit_sized_function(r);
		if (status == CAIRN_OK)
			status = add_breakpad_record(r, &record);
	}
	if (status == CAIRN_OK)
		status = emit_sized_function(r);
	return status == CAIRN_OK ? finish_symbols(r) : status;
}

static void finish_reading(struct reading *r)
{
	breakpad_lines_finish(&r->lines);
	breakpad_inlines_finish(&r->inlines);
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
	breakpad_inlines_init(&r.inlines, file->bytes.size);
	enum cairn_status status = read_breakpad_records(&r);
	report->inlines_outside = r.inlines.outside;
	report->inlines_cut = r.inlines.cut;
	report->names_shared = r.inlines.names.over;
	return status;
}

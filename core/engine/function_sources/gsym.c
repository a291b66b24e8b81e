/* SPDX-License-Identifier: MIT */
/*
 * Reads every function record of a GSYM file, orders its rows and emits it with its merged
 * functions.
 */
#include "gsym.h"

#include "gsym_inlines.h"
#include "gsym_names.h"

#include "base/array_grow.h"
#include "base/cleanup.h"

#include <stdlib.h>

enum {
	ROWS_MAX =
		1 << 20, /* of one function, kept in 32 MiB; the largest known have some 100,000 */
};

/* What is gathered of one function; the arrays are kept for the next. */
struct work {
	const struct gsym *gsym;
	const struct function_sink *sink;
	struct gsym_walk walk;
	struct gsym_names names;
	struct gsym_losses losses;
	bool every_row; /* also those that another one of the same address follows */
	bool flawed;    /* the function in progress */
	struct function function;
	struct function_file *files;
	struct function_row *rows;
	struct function_call *calls;
	struct cairn_bytes *callees;
	size_t row_room, call_room, callee_room;
	struct gsym_inlines inlines;
};

static void record_function_fault(struct work *w, struct cairn_fault fault)
{
	if (fault.status == CAIRN_OK)
		return;
	if (!w->flawed)
		w->losses.count++;
	if (w->losses.first.status == CAIRN_OK)
		w->losses.first = fault;
	w->flawed = true;
}

static void record_malformed(struct work *w, size_t at, const char *what)
{
	record_function_fault(w, (struct cairn_fault){ CAIRN_MALFORMED, at, what });
}

static void read_file_entry(struct work *w, uint32_t index)
{
	struct function_file *file = &w->files[index];
	uint64_t directory, name;

	gsym_file_offsets(w->gsym, index, &directory, &name);
	if (!gsym_has_file(w->gsym, index) || (directory == 0 && name == 0))
		return;
	const char *wrong = gsym_names_read(&w->names, directory, &file->directory);
	wrong = wrong ? wrong : gsym_names_read(&w->names, name, &file->name);
	if (wrong)
		record_malformed(w, w->gsym->files_at + 4, wrong);
	w->flawed = false;
}

/* An entry that means no file, or cannot be read, stays empty. */
static bool read_file_table(struct work *w)
{
	const struct cairn_bytes none = { w->gsym->bytes.data, 0 };

	w->files = calloc((size_t)w->gsym->files + 1, sizeof(*w->files));
	if (!w->files)
		return false;
	for (uint32_t i = 0; i <= w->gsym->files; i++) {
		w->files[i].directory = w->files[i].name = none;
		if (i > 0 && i < w->gsym->files)
			read_file_entry(w, i);
	}
	return true;
}

/* The number of a file as it is handed out: 0 for none, and for one that is not there. */
static uint32_t file_number(struct work *w, uint64_t file, size_t at)
{
	if (file != 0 && !gsym_has_file(w->gsym, file)) {
		record_malformed(w, at, "a file that is not in the table");
		return 0;
	}
	bool known = w->files[file].name.size || w->files[file].directory.size;
	return known ? (uint32_t)file : 0;
}

static bool append_function_row(struct work *w, struct function_row row)
{
	struct function *f = &w->function;
	struct function_row *last = f->row_count ? &w->rows[f->row_count - 1] : NULL;

	bool again = last && last->va == row.va;
	if (again && (!w->every_row || (last->file == row.file && last->line == row.line))) {
		row.statement |= last->statement;
		row.prologue_end |= last->prologue_end;
		row.apart |= last->apart;
		*last = row;
		return true;
	}
	if (!array_grow(&w->rows, &w->row_room, f->row_count + 1, sizeof(row)))
		return false;
	w->rows[f->row_count++] = row;
	return true;
}

/*
 * A row in front of the function holds from its start, one that goes back from where the one before
 * it did: so lookups see it.
 */
static bool place_row(struct work *w, const struct gsym_rows *rows, const struct gsym_row *row,
                      size_t at)
{
	const struct function *f = &w->function;
	uint32_t file = file_number(w, row->file, at);
	bool known = f->statements;
	struct function_row r = { row->va,
		                  file,
		                  row->line,
		                  known && rows->statement,
		                  known && rows->prologue_end,
		                  known && rows->apart };
	uint64_t least = f->row_count ? w->rows[f->row_count - 1].va : f->start;

	r.va = r.va < least ? least : r.va;
	if (f->size && r.va - f->start >= f->size)
		return true;
	if (f->row_count == 0 && r.va != f->start &&
	    !append_function_row(w, (struct function_row){ .va = f->start }))
		return false;
	return append_function_row(w, r);
}

static bool read_line_block(struct work *w, const struct gsym_block *block)
{
	struct gsym_rows rows = gsym_rows(block, w->function.start);
	struct gsym_row row;

	w->function.row_count = 0;
	w->function.statements = w->every_row && rows.marked;
	while (gsym_next_row(&rows, &row)) {
		if (w->function.row_count >= ROWS_MAX) {
			record_malformed(w, block->at, "too many rows in one function");
			break;
		}
		if (!place_row(w, &rows, &row, block->at))
			return false;
	}
	record_function_fault(w, rows.fault);
	return true;
}

/* A call with file numbers as they are handed out. */
static void settle_call_files(struct work *w, const struct gsym_block *block)
{
	struct gsym_inlines *in = &w->inlines;

	for (size_t i = 0; i < in->count; i++)
		in->call[i].call_file = file_number(w, in->call[i].call_file, block->at);
}

static bool read_inline_block(struct work *w, const struct gsym_block *block)
{
	struct function *f = &w->function;
	const struct cairn_range whole = { f->start, f->size ? f->start + f->size : UINT64_MAX };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	if (!gsym_inlines_read(&w->inlines, &w->names, block, whole, &fault))
		return false;
	record_function_fault(w, fault);
	f->parted = w->every_row && w->inlines.parted;
	settle_call_files(w, block);
	return true;
}

static bool add_callee(struct work *w, uint64_t name, size_t count, size_t at)
{
	if (!array_grow(&w->callees, &w->callee_room, count + 1, sizeof(*w->callees)))
		return false;
	const char *wrong = gsym_names_read(&w->names, name, &w->callees[count]);
	if (wrong)
		record_malformed(w, at, wrong);
	return true;
}

/* Callees move while they grow, so calls get them at the end. */
static void lend_callees(struct work *w)
{
	size_t first = 0;

	for (size_t i = 0; i < w->function.call_count; i++) {
		w->calls[i].callee = w->callees ? w->callees + first : NULL;
		first += w->calls[i].callees;
	}
}

static bool read_call_block(struct work *w, const struct gsym_block *block)
{
	struct gsym_calls calls = gsym_calls(w->gsym, block);
	struct gsym_call call;
	size_t callees = 0;

	w->function.call_count = 0;
	while (gsym_next_call(&calls, &call)) {
		size_t *count = &w->function.call_count;
		if (!array_grow(&w->calls, &w->call_room, *count + 1, sizeof(*w->calls)))
			return false;
		w->calls[(*count)++] = (struct function_call){ .return_offset = call.return_offset,
			                                       .flags = call.flags,
			                                       .callees = call.names };
		for (uint32_t i = 0; i < call.names; i++)
			if (!add_callee(w, gsym_call_name(w->gsym, &call, i), callees++,
			                call.names_at))
				return false;
	}
	record_function_fault(w, calls.in.fault);
	lend_callees(w);
	return true;
}

static bool read_function_block(struct work *w, const struct gsym_block *block)
{
	if (block->type == GSYM_LINES)
		return read_line_block(w, block);
	if (block->type == GSYM_INLINES)
		return read_inline_block(w, block);
	return block->type != GSYM_CALLS || read_call_block(w, block);
}

static void begin_gsym_function(struct work *w, const struct gsym_function *f)
{
	uint64_t room = UINT64_MAX - f->start;

	w->flawed = false;
	w->inlines.count = w->inlines.ranges = 0;
	w->function = (struct function){ .start = f->start,
		                         .size = f->size < room ? f->size : room,
		                         .source = FUNCTION_SYMBOL,
		                         .files = w->files,
		                         .file_count = w->gsym->files ? w->gsym->files : 1 };
	const char *wrong = gsym_names_read(&w->names, f->name, &w->function.name);
	if (wrong)
		record_malformed(w, f->at, wrong);
}

/* Of two blocks of one kind the last counts, as it does in a lookup. */
static enum cairn_status emit_gsym_function(struct work *w, const struct gsym_function *f,
                                            struct gsym_block *merged)
{
	struct gsym_blocks blocks = gsym_blocks(w->gsym, f);
	struct gsym_block block;

	begin_gsym_function(w, f);
	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_MERGED)
			*merged = block;
		else if (!read_function_block(w, &block))
			return CAIRN_NO_MEMORY;
	}
	record_function_fault(w, blocks.in.fault);
	struct function *function = &w->function;
	if (function->row_count || w->inlines.count)
		function->source = FUNCTION_DEBUG;
	function->rows = w->rows;
	function->range = w->inlines.range;
	function->inlines = w->inlines.call;
	function->inline_count = w->inlines.count;
	function->calls = w->calls;
	return w->sink->take(w->sink->context, function);
}

static enum cairn_status emit_merged_functions(struct work *w, const struct gsym_function *owner,
                                               const struct gsym_block *block)
{
	struct gsym_merged merged = gsym_merged(w->gsym, owner, block);
	struct gsym_block nested;
	struct gsym_function f;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && gsym_next_merged(&merged, &f))
		status = emit_gsym_function(w, &f, &nested);
	w->flawed = false;
	record_function_fault(w, merged.in.fault);
	return status;
}

static enum cairn_status emit_gsym_functions(struct work *w)
{
	enum cairn_status status = CAIRN_OK;
	struct cairn_fault fault;
	struct gsym_function f;

	for (uint32_t i = 0; status == CAIRN_OK && i < w->gsym->functions; i++) {
		struct gsym_block merged = { .type = GSYM_END };
		w->flawed = false;
		if (!gsym_walk_take(&w->walk, i, &fault) ||
		    gsym_function(w->gsym, i, &f, &fault) != CAIRN_OK) {
			record_function_fault(w, fault);
			continue;
		}
		status = emit_gsym_function(w, &f, &merged);
		if (status == CAIRN_OK && merged.type == GSYM_MERGED)
			status = emit_merged_functions(w, &f, &merged);
	}
	return status;
}

static void finish_work(struct work *w)
{
	gsym_inlines_finish(&w->inlines);
	free(w->files);
	free(w->rows);
	free(w->calls);
	free(w->callees);
}

static enum cairn_status read_gsym_functions(const struct gsym *gsym,
                                             const struct function_sink *sink, bool every_row,
                                             struct gsym_losses *losses)
{
	WITH_CLEANUP(finish_work)
	struct work w = { .gsym = gsym,
		          .sink = sink,
		          .walk = gsym_walk(gsym),
		          .names = gsym_names(gsym),
		          .every_row = every_row };
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (read_file_table(&w) && gsym_inlines_init(&w.inlines))
		status = emit_gsym_functions(&w);
	if (losses)
		*losses = w.losses;
	return status;
}

enum cairn_status gsym_functions(const struct gsym *gsym, const struct function_sink *sink,
                                 struct gsym_losses *losses)
{
	return read_gsym_functions(gsym, sink, false, losses);
}

enum cairn_status gsym_functions_every_row(const struct gsym *gsym,
                                           const struct function_sink *sink,
                                           struct gsym_losses *losses)
{
	return read_gsym_functions(gsym, sink, true, losses);
}

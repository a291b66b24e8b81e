/* SPDX-License-Identifier: MIT */
/* Passes JIT functions and their lines to a sink. */
#include "jit.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* number of recent files to search; code with inlined calls has a few */
enum { FILES_SEARCHED = 64 };

struct jit_row_order {
	struct function_row row;
	size_t number;
};

struct jit_work {
	struct function_file *file;
	size_t files, file_room;
	uint64_t file_set;
	struct jit_row_order *line;
	size_t lines, line_room;
	struct function_row *row;
	size_t rows, row_room;
};

static void finish_work(struct jit_work *work)
{
	free(work->file);
	free(work->line);
	free(work->row);
}

static bool number_file(struct jit_work *work, struct cairn_bytes name, uint32_t *number)
{
	const size_t least = work->files > FILES_SEARCHED ? work->files - FILES_SEARCHED : 0;

	for (size_t i = work->files; i-- > least;)
		if (bytes_equal(work->file[i].name, name)) {
			*number = (uint32_t)i;
			return true;
		}
	if (!array_grow(&work->file, &work->file_room, work->files + 1, sizeof(*work->file)))
		return false;
	*number = (uint32_t)work->files;
	work->file[work->files++] = (struct function_file){ { name.data, 0 }, name };
	return true;
}

static int compare_lines(const void *left, const void *right)
{
	const struct jit_row_order *a = left, *b = right;

	return ORDER_BY(a->row.va, b->row.va, ORDER_BY(a->number, b->number, 0));
}

/*
 * Read the lines inside the function, sorted by address. A line before the function takes effect at
 * its start, because Erlang counts from the data before a function.
 */
static bool read_lines(struct jit_work *work, const struct jit_code *code,
                       const struct jit_function *f)
{
	struct cairn_bytes left = jit_code_details(code, f)->lines;
	struct jit_line line = { .file = { left.data, 0 } };

	work->lines = 0;
	while (work->lines < JIT_LINES_MAX && jit_code_next_line(code, &left, &line)) {
		const uint64_t va = line.address > f->start ? line.address : f->start;
		uint32_t file;
		if (va - f->start >= f->size)
			continue;
		if (!number_file(work, line.file, &file) ||
		    !array_grow(&work->line, &work->line_room, work->lines + 1,
		                sizeof(*work->line)))
			return false;
		work->line[work->lines] =
			(struct jit_row_order){ { .va = va, .file = file, .line = line.line },
			                        work->lines };
		work->lines++;
	}
	if (work->lines > 0)
		qsort(work->line, work->lines, sizeof(*work->line), compare_lines);
	return true;
}

/* Make one row per address, the last in the file, and a row at the function's start. */
static bool make_rows(struct jit_work *work, const struct jit_function *f)
{
	work->rows = 0;
	if (work->lines == 0)
		return true;
	if (!array_grow(&work->row, &work->row_room, work->lines + 1, sizeof(*work->row)))
		return false;
	if (work->line[0].row.va > f->start)
		work->row[work->rows++] = (struct function_row){ .va = f->start };
	for (size_t i = 0; i < work->lines; i++) {
		const struct function_row *row = &work->line[i].row;
		if (i + 1 < work->lines && work->line[i + 1].row.va == row->va)
			continue;
		if (!function_row_repeats(work->row, work->rows, row))
			work->row[work->rows++] = *row;
	}
	return true;
}

static enum cairn_status give_function(struct jit_work *work, const struct jit_code *code,
                                       const struct jit_function *f,
                                       const struct function_sink *sink)
{
	const struct cairn_bytes none = { f->name.data, 0 };
	uint32_t zero;

	work->files = 0;
	work->file_set++;
	if (!number_file(work, none, &zero) || !read_lines(work, code, f) || !make_rows(work, f))
		return CAIRN_NO_MEMORY;
	const struct function function = { .start = f->start,
		                           .size = f->size,
		                           .name = f->name,
		                           .source = work->rows ? FUNCTION_DEBUG : FUNCTION_SYMBOL,
		                           .files = work->file,
		                           .file_set = work->file_set,
		                           .file_count = (uint32_t)work->files,
		                           .rows = work->row,
		                           .row_count = work->rows };
	return sink->take(sink->context, &function);
}

enum cairn_status jit_functions(const struct jit_code *code, const struct function_sink *sink)
{
	WITH_CLEANUP(finish_work) struct jit_work work = { .files = 0 };
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; i < code->count && status == CAIRN_OK; i++)
		status = give_function(&work, code, &code->function[i], sink);
	return status;
}

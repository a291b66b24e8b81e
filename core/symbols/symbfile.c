/* SPDX-License-Identifier: MIT */
/* Walks the segments of a symbfile index and joins them into functions with inlined calls. */
#include "symbfile.h"

#include "base/allowance.h"
#include "base/memory.h"
#include "symbols/index_segments.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct symbfile_index *x;
	struct function_file *file;
	/* maps each string to its 1-based file number; 0 if it is not a file name */
	uint32_t *number;
	uint32_t files;
	struct function_row *row;
	size_t rows, row_capacity;
	struct function_inline *call;
	size_t calls, call_capacity;
	struct cairn_range *range;
	size_t range_capacity;
	/* frames that contain the current segment, outermost first, and their indices in `call` */
	uint32_t path[SYMBFILE_LEVELS], open[SYMBFILE_LEVELS];
	unsigned depth;
	/*
	 * number of name bytes that may still be passed to the sink; a name counts each time it is
	 * passed
	 */
	struct allowance names;
};

enum { RECORD_LEAST = 8 }; /* minimum size in bytes of a record in the file */

static struct cairn_bytes name_of(struct work *w, uint32_t text)
{
	const struct cairn_bytes name = symbfile_index_text(w->x, text);

	return allowance_draw(&w->names, name.size) ? name : (struct cairn_bytes){ name.data, 0 };
}

static void number_file(struct work *w, uint32_t text)
{
	if (text >= w->x->texts || w->number[text] != 0 ||
	    symbfile_index_text(w->x, text).size == 0)
		return;
	w->number[text] = w->files;
	w->file[w->files++] = (struct function_file){ { (const uint8_t *)"", 0 },
		                                      symbfile_index_text(w->x, text) };
}

static bool number_files(struct work *w)
{
	const struct symbfile_index *x = w->x;

	w->number = calloc(x->texts + 1, sizeof(*w->number));
	w->file = calloc(x->texts + 1, sizeof(*w->file));
	if (!w->number || !w->file)
		return false;
	w->file[w->files++] =
		(struct function_file){ { (const uint8_t *)"", 0 }, { (const uint8_t *)"", 0 } };
	for (size_t i = 0; i < x->node_count; i++) {
		number_file(w, x->nodes[i].file);
		number_file(w, x->nodes[i].call_file);
	}
	return true;
}

static uint32_t file_of(const struct work *w, uint32_t text)
{
	return text < w->x->texts ? w->number[text] : 0;
}

static unsigned load_path(const struct work *w, uint32_t node, uint32_t path[SYMBFILE_LEVELS])
{
	unsigned depth = 0;

	while (node < w->x->node_count && depth < SYMBFILE_LEVELS) {
		uint32_t parent = w->x->nodes[node].parent;
		path[depth++] = node;
		node = parent < node ? parent : SYMBFILE_NONE;
	}
	for (unsigned i = 0; i < depth / 2; i++) {
		uint32_t held = path[i];
		path[i] = path[depth - 1 - i];
		path[depth - 1 - i] = held;
	}
	return depth;
}

static void close_from(struct work *w, unsigned depth, uint64_t at)
{
	for (unsigned i = depth > 0 ? depth : 1; i < w->depth; i++)
		w->range[w->open[i]].high = at;
	if (w->depth > depth)
		w->depth = depth;
}

static bool open_call(struct work *w, unsigned depth, uint64_t at)
{
	const struct symbfile_node *n = &w->x->nodes[w->path[depth]];
	const struct symbfile_node *around = &w->x->nodes[w->path[depth - 1]];
	uint32_t file = n->call_file != SYMBFILE_NONE ? n->call_file : around->file;

	if (!array_grow(&w->call, &w->call_capacity, w->calls + 1, sizeof(*w->call)) ||
	    !array_grow(&w->range, &w->range_capacity, w->calls + 1, sizeof(*w->range)))
		return false;
	w->range[w->calls] = (struct cairn_range){ at, at };
	w->call[w->calls] = (struct function_inline){ .depth = depth,
		                                      .range = (uint32_t)w->calls,
		                                      .ranges = 1,
		                                      .call_file = file_of(w, file),
		                                      .call_line = n->call_line,
		                                      .name = name_of(w, n->function) };
	w->open[depth] = (uint32_t)w->calls++;
	return true;
}

static bool add_segment(struct work *w, size_t segment, uint64_t at)
{
	const struct symbfile_index *x = w->x;
	uint32_t path[SYMBFILE_LEVELS];
	unsigned depth = load_path(w, x->node[segment], path), same = 1;

	while (same < depth && same < w->depth && path[same] == w->path[same])
		same++;
	close_from(w, same, at);
	memcpy(w->path, path, depth * sizeof(*path));
	for (w->depth = same; w->depth < depth; w->depth++)
		if (!open_call(w, w->depth, at))
			return false;
	uint32_t file = file_of(w, x->nodes[x->node[segment]].file), line = x->line[segment];
	if (line == 0)
		file = 0;
	if (w->rows > 0 && w->row[w->rows - 1].file == file && w->row[w->rows - 1].line == line)
		return true;
	return ARRAY_APPEND(w->row, w->rows, w->row_capacity,
	                    (struct function_row){ .va = at, .file = file, .line = line });
}

static uint32_t root_of(const struct work *w, uint32_t node)
{
	for (unsigned i = 0; i < SYMBFILE_LEVELS && w->x->nodes[node].parent < node; i++)
		node = w->x->nodes[node].parent;
	return node;
}

static bool continues_function(const struct work *w, size_t segment, uint32_t first)
{
	const struct symbfile_index *x = w->x;

	if (x->node[segment] >= x->node_count)
		return false;
	uint32_t root = root_of(w, x->node[segment]);
	return root == first || (x->nodes[root].function == x->nodes[first].function &&
	                         symbfile_index_at(x, x->node_start, root) ==
	                                 symbfile_index_at(x, x->node_start, first));
}

static enum cairn_status emit_symbfile_function(struct work *w, size_t *segment,
                                                const struct function_sink *sink)
{
	const struct symbfile_index *x = w->x;
	uint32_t root = root_of(w, x->node[*segment]);
	struct function f = { .start = symbfile_index_at(x, x->start, *segment),
		              .name = name_of(w, x->nodes[root].function),
		              .files = w->file,
		              .file_count = w->files };

	w->rows = w->calls = 0;
	w->depth = 0;
	for (; *segment < x->segments && w->rows <= SYMBFILE_ROWS_MAX &&
	       continues_function(w, *segment, root);
	     ++*segment)
		if (!add_segment(w, *segment, symbfile_index_at(x, x->start, *segment)))
			return CAIRN_NO_MEMORY;
	uint64_t end =
		*segment < x->segments ? symbfile_index_at(x, x->start, *segment) : UINT64_MAX;
	close_from(w, 0, end);
	f.size = end - f.start;
	/* omit a single row without a line, because it contains no information */
	f.rows = w->row;
	f.row_count = w->rows == 1 && w->row[0].line == 0 ? 0 : w->rows;
	f.inlines = w->call;
	f.inline_count = w->calls;
	f.range = w->range;
	if (w->names.over || w->rows > SYMBFILE_ROWS_MAX)
		return CAIRN_MALFORMED;
	return sink->take(sink->context, &f);
}

static void free_work(struct work **work)
{
	struct work *w = *work;

	if (!w)
		return;
	free(w->number);
	free(w->file);
	free(w->row);
	free(w->call);
	free(w->range);
	free(w);
}

enum cairn_status symbfile_functions(const struct symbfile_index *index,
                                     const struct function_sink *sink)
{
	WITH_CLEANUP(free_work) struct work *w = calloc(1, sizeof(*w));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (!w)
		return CAIRN_NO_MEMORY;
	w->x = index;
	w->names = allowance_of(SYMBFILE_NAMES_LEAST, SYMBFILE_NAMES_TIMES,
	                        index->blob_size + RECORD_LEAST * (uint64_t)index->node_count);
	if (number_files(w))
		status = CAIRN_OK;
	for (size_t i = 0; i < index->segments && status == CAIRN_OK;) {
		if (index->node[i] < index->node_count)
			status = emit_symbfile_function(w, &i, sink);
		else
			i++;
	}
	return status;
}

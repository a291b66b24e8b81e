/* SPDX-License-Identifier: MIT */
/* Reads the functions of a Go program's table, each with its lines and inlined calls. */
#include "go.h"

#include "go_parts.h"

struct go_functions *go_functions_new(const struct go_program *program)
{
	struct go_functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return NULL;
	functions->program = program;
	functions->work = allowance_of(GO_WORK_LEAST, GO_WORK_TIMES, program->table.bytes.size);
	if (go_functions_read_files(functions))
		return functions;
	go_functions_free(functions);
	return NULL;
}

void go_functions_free(struct go_functions *functions)
{
	if (!functions)
		return;
	go_inlines_finish(&functions->inlines);
	free(functions->files.file);
	free(functions->files.map.slot);
	free(functions->pieces.piece);
	free(functions->row);
	free(functions);
}

/* One of the tables of a function, as pieces are made of it. */
struct cursor {
	struct gopclntab_values values;
	struct gopclntab_run run; /* the one that holds the address asked for, or the next one */
	bool more;
};

static struct cursor begin_cursor(const struct gopclntab *table,
                                  const struct gopclntab_function *function, uint32_t offset)
{
	struct cursor cursor = { .values = gopclntab_values(table, function, offset) };

	cursor.more = gopclntab_next_run(&cursor.values, &cursor.run);
	return cursor;
}

/* The value at `va`, to which the cursor goes; *high comes down to where it ends. */
static int32_t read_cursor(struct cursor *cursor, uint64_t va, uint64_t *high)
{
	while (cursor->more && cursor->run.high <= va)
		cursor->more = gopclntab_next_run(&cursor->values, &cursor->run);
	if (!cursor->more)
		return -1;
	if (cursor->run.high < *high)
		*high = cursor->run.high;
	return cursor->run.value;
}

static bool add_code_piece(struct go_pieces *pieces, struct go_piece piece)
{
	struct go_piece *last = pieces->count ? &pieces->piece[pieces->count - 1] : NULL;

	if (last && last->file == piece.file && last->line == piece.line &&
	    last->inlined == piece.inlined) {
		last->high = piece.high;
		return true;
	}
	return ARRAY_APPEND(pieces->piece, pieces->count, pieces->room, piece);
}

/* Pieces from the start on, as far as lines go.  False when memory is short. */
static bool read_pieces(struct go_functions *functions, const struct gopclntab_function *function,
                        bool *damaged)
{
	const struct gopclntab *table = &functions->program->table;
	struct cursor file = begin_cursor(table, function, function->file);
	struct cursor line = begin_cursor(table, function, function->line);
	struct cursor inlined = begin_cursor(table, function, function->inlined);
	uint64_t high;

	functions->pieces.count = 0;
	for (uint64_t low = function->start; low < function->end; low = high) {
		high = function->end;
		int32_t of_line = read_cursor(&line, low, &high);
		if (!line.more || !allowance_draw(&functions->work, 1))
			break;
		int32_t of_file = read_cursor(&file, low, &high);
		int32_t of_call = read_cursor(&inlined, low, &high);
		struct go_piece piece = { low, high, of_file, of_line, of_call };
		if (!add_code_piece(&functions->pieces, piece))
			return false;
	}
	*damaged = file.values.damaged || line.values.damaged || inlined.values.damaged;
	return true;
}

static bool make_rows(struct go_functions *functions, const struct gopclntab_function *function)
{
	const struct go_pieces *pieces = &functions->pieces;

	functions->rows = 0;
	if (!array_grow(&functions->row, &functions->row_room, pieces->count,
	                sizeof(*functions->row)))
		return false;
	for (size_t i = 0; i < pieces->count; i++) {
		const struct go_piece *piece = &pieces->piece[i];
		struct function_row row = { .va = piece->low,
			                    .file = go_functions_file(functions, function,
			                                              piece->file),
			                    .line = piece->line > 0 ? (uint32_t)piece->line : 0 };
		if (!function_row_repeats(functions->row, functions->rows, &row))
			functions->row[functions->rows++] = row;
	}
	return true;
}

enum cairn_status go_functions_read(struct go_functions *functions, uint64_t index,
                                    const struct function_sink *sink)
{
	struct gopclntab_function entry;
	bool damaged;

	if (!gopclntab_read_function(&functions->program->table, index, &entry)) {
		functions->damaged++;
		return CAIRN_OK;
	}
	if (!allowance_draw(&functions->work, 1 + entry.name.size))
		return CAIRN_OK;
	if (!read_pieces(functions, &entry, &damaged) || !make_rows(functions, &entry) ||
	    !go_inlines_read(functions, &entry))
		return CAIRN_NO_MEMORY;
	functions->damaged += damaged || functions->inlines.damaged;
	/* without lines it reaches to the next one; with them, the padding is not part of it */
	const struct go_pieces *pieces = &functions->pieces;
	const uint64_t end = pieces->count ? pieces->piece[pieces->count - 1].high : entry.end;
	struct function function = { .start = entry.start,
		                     .size = end - entry.start,
		                     .name = entry.name,
		                     .source = FUNCTION_DEBUG,
		                     .files = functions->files.file,
		                     .file_count = (uint32_t)functions->files.count,
		                     .rows = functions->row,
		                     .row_count = functions->rows,
		                     .range = functions->inlines.flat,
		                     .inlines = functions->inlines.call,
		                     .inline_count = functions->inlines.calls };
	return sink->take(sink->context, &function);
}

uint64_t go_functions_damaged(const struct go_functions *functions)
{
	return functions->damaged;
}

bool go_functions_exhausted(const struct go_functions *functions)
{
	return functions->work.over;
}

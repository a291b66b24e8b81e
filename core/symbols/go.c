/* SPDX-License-Identifier: MIT */
/* Reads the functions in a Go program's table, with lines and inlined calls. */
#include "go.h"

#include "base/allowance.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "base/table.h"

enum {
	GO_LEVELS_MAX = 512, /* maximum nesting of inlined calls; compilers stay below 100 */
	GO_FILES_MAX = 1 << 20,
};

/* Range of code with a single file, line and innermost inlined call. */
struct go_piece {
	uint64_t low, high;
	int32_t file, line, inlined;
};

struct go_pieces {
	struct go_piece *piece;
	size_t count, capacity;
};

/* An inlined call. Node 0 is the function itself. */
struct go_node {
	int32_t index;
	uint32_t parent, next, child, last_child;
	uint32_t range, last_range; /* first and last range, as index plus 1; 0 if absent */
	uint32_t ranges, depth;
	uint32_t call_file, call_line;
	struct cairn_bytes name;
};

struct go_range {
	uint64_t low, high;
	uint32_t next;
};

struct go_inlines {
	struct go_node *node;
	size_t nodes, node_capacity;
	/*
	 * for each index in the inline tree, the index of its node in `node`; 0 if there is no node
	 */
	uint32_t *of_index;
	size_t indices, index_capacity;
	struct go_range *range;
	size_t ranges, range_capacity;
	struct function_inline *call;
	size_t calls, call_capacity;
	struct cairn_range *flat;
	size_t flats, flat_capacity;
	bool damaged;
};

struct go_files {
	struct function_file *file; /* file[0] stands for "no file" */
	size_t count, capacity;
	struct number_map map; /* maps a path's location in the table to its file number */
};

struct go_functions {
	const struct go_program *program;
	struct go_files files;
	struct go_pieces pieces;
	struct go_inlines inlines;
	struct function_row *row;
	size_t rows, row_capacity;
	struct allowance work;
	uint64_t damaged;
};

static struct function_file split_path(struct cairn_bytes path)
{
	size_t name = path.size;

	while (name > 0 && path.data[name - 1] != '/')
		name--;
	return (struct function_file){ .directory = { path.data, name > 1 ? name - 1 : name },
		                       .name = { path.data + name, path.size - name } };
}

static uint64_t get_path_key(const struct gopclntab *table, struct cairn_bytes path)
{
	/* add 1, because key 0 marks a free slot */
	return (uint64_t)(path.data - table->bytes.data) + 1;
}

static bool add_file(struct go_functions *functions, struct cairn_bytes path)
{
	struct go_files *files = &functions->files;

	if (path.size == 0 || files->count == GO_FILES_MAX)
		return true;
	struct number_slot *slot =
		number_map_at(&files->map, get_path_key(&functions->program->table, path));
	if (!slot)
		return false;
	if (slot->key)
		return true;
	if (!array_grow(&files->file, &files->capacity, files->count + 1, sizeof(*files->file)))
		return false;
	slot->key = get_path_key(&functions->program->table, path);
	slot->number = (uint32_t)files->count;
	files->map.count++;
	files->file[files->count++] = split_path(path);
	return true;
}

static bool go_functions_read_files(struct go_functions *functions)
{
	const struct gopclntab *table = &functions->program->table;
	struct go_files *files = &functions->files;
	struct cairn_bytes path;

	if (!array_grow(&files->file, &files->capacity, 1, sizeof(*files->file)))
		return false;
	path = (struct cairn_bytes){ table->bytes.data, 0 };
	files->file[files->count++] = (struct function_file){ path, path };
	for (uint64_t at = 0, i = 0; i <= table->files && gopclntab_next_file(table, &at, &path);
	     i++)
		if (!allowance_draw(&functions->work, 1 + path.size))
			return true;
		else if (!add_file(functions, path))
			return false;
	return true;
}

static uint32_t go_functions_file(const struct go_functions *functions,
                                  const struct gopclntab_function *function, int32_t value)
{
	const struct gopclntab *table = &functions->program->table;
	struct cairn_bytes path = gopclntab_file(table, function, value);
	uint32_t number;

	return path.size && number_map_find(&functions->files.map, get_path_key(table, path),
	                                    &number)
	               ? number
	               : 0;
}

/*
 * Calls that enclose a go_piece, innermost first, up to a call that already has a node. `index`
 * contains their indices in the inline tree.
 */
struct chain {
	int32_t index[GO_LEVELS_MAX];
	struct gopclntab_call call[GO_LEVELS_MAX];
	size_t count;
};

/*
 * State while a function's inlined calls are read. Each go_piece refers to its innermost call. The
 * inline tree contains the parent of each call; since Go 1.20, it contains a parent PC instead, and
 * the parent is the innermost call of the go_piece at this PC.
 */
struct reading {
	struct go_functions *functions;
	const struct gopclntab_function *function;
	struct go_inlines *inlines;
	struct chain chain;
};

/*
 * Read an entry of the inline tree. If the entry lacks a parent, file and line, take these from the
 * go_piece at the entry's parent PC.
 */
static bool read_call(struct reading *r, int32_t index, struct gopclntab_call *call)
{
	const struct gopclntab *table = &r->functions->program->table;

	if (!gopclntab_read_call(table, r->function, index, call) ||
	    !allowance_draw(&r->functions->work, 1 + call->name.size))
		return false;
	if (call->has_parent)
		return true;
	const struct go_pieces *pieces = &r->functions->pieces;
	const size_t next = SORTED_UP_TO(pieces->piece, pieces->count, high, call->place);
	const struct go_piece *piece = next < pieces->count ? &pieces->piece[next] : NULL;
	if (!piece || piece->low > call->place)
		return false;
	call->parent = piece->inlined;
	call->file = piece->file;
	call->line = piece->line;
	return true;
}

/*
 * Follow a call outwards to an existing node, which becomes *parent, or to the function. Returns
 * false if the tree is damaged.
 */
static bool read_chain(struct reading *r, int32_t index, uint32_t *parent)
{
	struct chain *chain = &r->chain;

	chain->count = 0;
	*parent = 0;
	while (index >= 0) {
		/* node already created for this index in the inline tree, or 0 */
		*parent = (size_t)index < r->inlines->indices ? r->inlines->of_index[index] : 0;
		if (*parent)
			return true;
		if (chain->count == GO_LEVELS_MAX)
			return false;
		chain->index[chain->count] = index;
		if (!read_call(r, index, &chain->call[chain->count]))
			return false;
		index = chain->call[chain->count++].parent;
	}
	return true;
}

static bool set_node(struct go_inlines *inlines, int32_t index, uint32_t node)
{
	size_t need = (size_t)index + 1;

	if (!array_grow(&inlines->of_index, &inlines->index_capacity, need,
	                sizeof(*inlines->of_index)))
		return false;
	for (; inlines->indices < need; inlines->indices++)
		inlines->of_index[inlines->indices] = 0;
	inlines->of_index[index] = node;
	return true;
}

static bool add_node(struct reading *r, uint32_t parent, int32_t index,
                     const struct gopclntab_call *call)
{
	struct go_inlines *inlines = r->inlines;
	uint32_t number = (uint32_t)inlines->nodes;

	if (!array_grow(&inlines->node, &inlines->node_capacity, inlines->nodes + 1,
	                sizeof(*inlines->node)) ||
	    !set_node(inlines, index, number))
		return false;
	inlines->nodes++;
	struct go_node *outer = &inlines->node[parent];
	inlines->node[number] =
		(struct go_node){ .index = index,
		                  .parent = parent,
		                  .depth = outer->depth + 1,
		                  .call_file =
		                          go_functions_file(r->functions, r->function, call->file),
		                  .call_line = call->line > 0 ? (uint32_t)call->line : 0,
		                  .name = call->name };
	if (outer->last_child)
		inlines->node[outer->last_child].next = number;
	else
		outer->child = number;
	outer->last_child = number;
	return true;
}

static bool add_call_range(struct go_inlines *inlines, struct go_node *node,
                           const struct go_piece *piece)
{
	struct go_range *last = node->last_range ? &inlines->range[node->last_range - 1] : NULL;

	if (last && last->high == piece->low) {
		last->high = piece->high;
		return true;
	}
	if (!ARRAY_APPEND(inlines->range, inlines->ranges, inlines->range_capacity,
	                  (struct go_range){ piece->low, piece->high, 0 }))
		return false;
	uint32_t number = (uint32_t)inlines->ranges;
	if (node->last_range)
		inlines->range[node->last_range - 1].next = number;
	else
		node->range = number;
	node->last_range = number;
	node->ranges++;
	return true;
}

/*
 * Add a go_piece to its innermost call and all enclosing calls. If the inline tree is damaged,
 * treat the code as not inlined. Returns false if allocation fails.
 */
static bool add_inlined_piece(struct reading *r, const struct go_piece *piece)
{
	struct go_inlines *inlines = r->inlines;
	struct chain *chain = &r->chain;
	uint32_t node;

	if (!read_chain(r, piece->inlined, &node) ||
	    inlines->node[node].depth + chain->count > GO_LEVELS_MAX) {
		inlines->damaged = true;
		return true;
	}
	while (chain->count > 0) {
		chain->count--;
		if (!add_node(r, node, chain->index[chain->count], &chain->call[chain->count]))
			return false;
		node = (uint32_t)inlines->nodes - 1;
	}
	if (!allowance_draw(&r->functions->work, inlines->node[node].depth))
		return true;
	for (; node; node = inlines->node[node].parent)
		if (!add_call_range(inlines, &inlines->node[node], piece))
			return false;
	return true;
}

static bool emit_node(struct go_inlines *inlines, const struct go_node *node)
{
	if (!array_grow(&inlines->call, &inlines->call_capacity, inlines->calls + 1,
	                sizeof(*inlines->call)) ||
	    !array_grow(&inlines->flat, &inlines->flat_capacity, inlines->flats + node->ranges,
	                sizeof(*inlines->flat)))
		return false;
	inlines->call[inlines->calls++] =
		(struct function_inline){ .depth = node->depth,
		                          .range = (uint32_t)inlines->flats,
		                          .ranges = node->ranges,
		                          .call_file = node->call_file,
		                          .call_line = node->call_line,
		                          .name = node->name };
	for (uint32_t at = node->range; at; at = inlines->range[at - 1].next)
		inlines->flat[inlines->flats++] =
			(struct cairn_range){ inlines->range[at - 1].low,
			                      inlines->range[at - 1].high };
	return true;
}

static bool order_nodes(struct go_inlines *inlines)
{
	const struct go_node *node = &inlines->node[0];
	uint32_t at = node->child;

	while (at) {
		node = &inlines->node[at];
		if (node->ranges && !emit_node(inlines, node))
			return false;
		at = node->child;
		while (!at && node != &inlines->node[0]) {
			at = node->next;
			node = &inlines->node[node->parent];
		}
	}
	return true;
}

static void clear_nodes(struct go_inlines *inlines)
{
	for (size_t i = 1; i < inlines->nodes; i++)
		inlines->of_index[inlines->node[i].index] = 0;
	inlines->nodes = inlines->ranges = inlines->calls = inlines->flats = 0;
	inlines->damaged = false;
}

static bool go_inlines_read(struct go_functions *functions,
                            const struct gopclntab_function *function)
{
	struct reading r = { .functions = functions,
		             .function = function,
		             .inlines = &functions->inlines };
	struct go_inlines *inlines = r.inlines;
	const struct go_pieces *pieces = &functions->pieces;

	clear_nodes(inlines);
	if (!array_grow(&inlines->node, &inlines->node_capacity, 1, sizeof(*inlines->node)))
		return false;
	inlines->node[0] = (struct go_node){ .index = -1 };
	inlines->nodes = 1;
	for (size_t i = 0; i < pieces->count; i++)
		if (pieces->piece[i].inlined >= 0 && !add_inlined_piece(&r, &pieces->piece[i]))
			return false;
	return order_nodes(inlines);
}

static void go_inlines_finish(struct go_inlines *inlines)
{
	free(inlines->node);
	free(inlines->of_index);
	free(inlines->range);
	free(inlines->call);
	free(inlines->flat);
}

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

struct cursor {
	struct gopclntab_values values;
	/*
	 * range of PCs that have one value; contains the current address or is the first range
	 * after it
	 */
	struct gopclntab_run run;
	bool more;
};

static struct cursor begin_cursor(const struct gopclntab *table,
                                  const struct gopclntab_function *function, uint32_t offset)
{
	struct cursor cursor = { .values = gopclntab_values(table, function, offset) };

	cursor.more = gopclntab_next_run(&cursor.values, &cursor.run);
	return cursor;
}

/*
 * Advance to `va` and return the pc-value table's value there, or -1 if the table ends before `va`.
 * Lowers *high to the end of the address range with this value if the range ends before *high.
 */
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
	return ARRAY_APPEND(pieces->piece, pieces->count, pieces->capacity, piece);
}

/*
 * Split the function into ranges with a single file, line and inlined call (struct go_piece), up to
 * the end of its line table. Returns false if allocation fails.
 */
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
	if (!array_grow(&functions->row, &functions->row_capacity, pieces->count,
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
	/*
	 * With lines, the function ends where its line table ends, so the padding after it is
	 * excluded. Without lines, it extends to the next function.
	 */
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

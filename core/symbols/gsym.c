/* SPDX-License-Identifier: MIT */
/*
 * Reads the records of a GSYM file as functions, including merged functions. The number of steps
 * and the total size of names are limited.
 */
#include "gsym.h"

#include "base/function.h"
#include "base/memory.h"

#include <stdlib.h>

static const char too_much[] = "names share too many of their bytes";

struct gsym_names gsym_names(const struct gsym *gsym)
{
	uint64_t strings = gsym->strings.size;

	return (struct gsym_names){ gsym,
		                    GSYM_NAMES_TIMES * (strings + gsym->bytes.size) +
		                            GSYM_NAMES_LEAST,
		                    GSYM_NAMES_TAILS * strings + GSYM_NAMES_LEAST };
}

/*
 * Deduct a string's bytes and its NUL from the budget *left. If the budget is too small, set it to
 * 0 and return false.
 */
static bool consume_name_budget(uint64_t *left, uint64_t size)
{
	bool fits = size < *left;

	*left = fits ? *left - size - 1 : 0;
	return fits;
}

const char *gsym_names_read(struct gsym_names *names, uint64_t offset, struct cairn_bytes *text)
{
	const struct gsym *gsym = names->gsym;
	struct cairn_bytes all = gsym->strings;

	*text = (struct cairn_bytes){ all.data, 0 };
	if (!gsym_has_string(gsym, offset))
		return "a name outside the string table";
	if (offset == 0)
		return NULL;
	bool tail = all.data[offset - 1] != 0;
	if (names->left == 0 || (tail && names->tails == 0))
		return too_much;
	struct cairn_bytes found;
	gsym_string(gsym, offset, &found);
	if (!consume_name_budget(&names->left, found.size) ||
	    (tail && !consume_name_budget(&names->tails, found.size)))
		return too_much;
	*text = found;
	return NULL;
}

uint32_t gsym_names_path(struct gsym_names *names, struct cairn_bytes name)
{
	const struct cairn_bytes all = names->gsym->strings;
	struct cairn_bytes path;
	const size_t at = (size_t)(name.data - all.data) + name.size + 1;

	if (name.size == 0 || at >= all.size || all.data[at] != FUNCTION_PATH_MARK ||
	    !gsym_has_string(names->gsym, at + 1))
		return 0;
	gsym_string(names->gsym, at + 1, &path);
	if (path.size > UINT32_MAX || !consume_name_budget(&names->left, path.size))
		return 0;
	return (uint32_t)path.size;
}

/*
 * Maximum number of ranges per byte of an inline block, needed because clipping a range to its
 * parent may split it. A block of n bytes has at most n / 2 ranges, and in valid trees clipping
 * changes nothing.
 */
enum { RANGES_PER_BYTE = 2 };

/*
 * Initialize `in`. Returns false if allocation fails. gsym_inlines_finish() must be called in
 * either case.
 */
static bool gsym_inlines_init(struct gsym_inlines *in, bool paths)
{
	*in = (struct gsym_inlines){ .paths = paths,
		                     .nodes = malloc(sizeof(*in->nodes)),
		                     .level = malloc((GSYM_MAX_LEVELS + 2) * sizeof(*in->level)) };
	return in->nodes && in->level;
}

static void gsym_inlines_finish(struct gsym_inlines *in)
{
	free(in->call);
	nested_ranges_finish(&in->ranges);
	free(in->nodes);
	free(in->level);
}

static bool read_node_ranges(struct gsym_inlines *in, const struct gsym_inline *node)
{
	uint32_t at = node->ranges_at;
	uint64_t left = node->ranges;
	struct gsym_range range;

	in->ranges.owns = 0;
	in->marked = false;
	while (gsym_next_range(&in->nodes->tree, node, &at, &left, &range)) {
		uint64_t capacity = UINT64_MAX - range.start;
		in->marked = range.size == 0 && in->ranges.owns > 0;
		in->mark = range.start;
		const struct cairn_range read = {
			range.start, range.start + (range.size < capacity ? range.size : capacity)
		};
		if (!nested_ranges_read(&in->ranges, read))
			return false;
	}
	return true;
}

static bool keep_call(struct gsym_inlines *in, struct gsym_names *names,
                      const struct gsym_inline *node, struct cairn_fault *fault)
{
	const struct nested_level *level = &in->level[node->depth + 1];

	if (!array_grow(&in->call, &in->call_capacity, in->count + 1, sizeof(*in->call)))
		return false;
	struct function_inline *call = &in->call[in->count++];
	*call = (struct function_inline){
		.depth = node->depth,
		.range = (uint32_t)level->first,
		.ranges = (uint32_t)level->count,
		.call_file = node->file < UINT32_MAX ? (uint32_t)node->file : UINT32_MAX,
		.call_line = node->line <= UINT32_MAX ? (uint32_t)node->line : 0,
		.entry = in->marked ? in->mark : 0
	};
	const char *wrong = gsym_names_read(names, node->name, &call->name);
	if (in->paths)
		call->path_size = gsym_names_path(names, call->name);
	if (wrong && fault->status == CAIRN_OK)
		*fault =
			(struct cairn_fault){ CAIRN_MALFORMED,
			                      in->nodes->tree.data_at + node->fixed_at + 1, wrong };
	return true;
}

/*
 * Add a node to the flat list of calls, with its ranges clipped to its parent's. The root is the
 * function, not a call, so it only serves as a parent.
 */
static bool add_inline_node(struct gsym_inlines *in, struct gsym_names *names,
                            const struct gsym_inline *node, struct cairn_fault *fault)
{
	const size_t limit = 1 + in->nodes->tree.data.size * RANGES_PER_BYTE;
	struct nested_level *level = &in->level[node->depth];

	if (!read_node_ranges(in, node) || !nested_ranges_cut(&in->ranges, level, limit, level + 1))
		return false;
	in->parted = in->parted || (node->depth == 0 && in->marked);
	if (in->ranges.count >= limit && fault->status == CAIRN_OK)
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, in->nodes->tree.data_at + node->at,
			                       "inlined calls with too many ranges" };
	return node->depth == 0 || level[1].count == 0 || keep_call(in, names, node, fault);
}

/*
 * Read the inlined calls in a block of a function that covers `whole`. Damage ends reading and sets
 * *fault; the calls before the damage are kept. Returns false if allocation fails.
 */
static bool gsym_inlines_read(struct gsym_inlines *in, struct gsym_names *names,
                              const struct gsym_block *block, struct cairn_range whole,
                              struct cairn_fault *fault)
{
	struct gsym_tree tree = gsym_tree(names->gsym, block, whole.low);
	struct gsym_inline node;

	in->count = in->ranges.count = 0;
	in->parted = false;
	if (!nested_ranges_add(&in->ranges, whole))
		return false;
	in->level[0] = (struct nested_level){ 0, 1 };
	gsym_nodes_begin(in->nodes, &tree);
	while (gsym_next_node(in->nodes, &node))
		if (!add_inline_node(in, names, &node, fault))
			return false;
	if (fault->status == CAIRN_OK)
		*fault = in->nodes->tree.fault;
	return true;
}

enum {
	/*
	 * maximum number of rows per function (32 MiB); the largest known function has about
	 * 100,000
	 */
	ROWS_MAX = 1 << 20,
};

void gsym_reader_lose(struct gsym_reader *r, struct cairn_fault fault)
{
	if (fault.status == CAIRN_OK)
		return;
	if (!r->flawed)
		r->losses.count++;
	if (r->losses.first.status == CAIRN_OK)
		r->losses.first = fault;
	r->flawed = true;
}

static void record_malformed(struct gsym_reader *r, size_t at, const char *what)
{
	gsym_reader_lose(r, (struct cairn_fault){ CAIRN_MALFORMED, at, what });
}

static void read_file_entry(struct gsym_reader *r, uint32_t index)
{
	struct function_file *file = &r->files[index];
	uint64_t directory, name;

	gsym_file_offsets(r->gsym, index, &directory, &name);
	if (!gsym_has_file(r->gsym, index) || (directory == 0 && name == 0))
		return;
	const char *wrong = gsym_names_read(&r->names, directory, &file->directory);
	wrong = wrong ? wrong : gsym_names_read(&r->names, name, &file->name);
	if (wrong)
		record_malformed(r, r->gsym->files_at + 4, wrong);
	r->flawed = false;
}

/* Read the file table. Entries that mean "no file" or are damaged remain empty. */
static bool read_file_table(struct gsym_reader *r)
{
	const struct cairn_bytes none = { r->gsym->bytes.data, 0 };

	r->files = calloc((size_t)r->gsym->files + 1, sizeof(*r->files));
	if (!r->files)
		return false;
	for (uint32_t i = 0; i <= r->gsym->files; i++) {
		r->files[i].directory = r->files[i].name = none;
		if (i > 0 && i < r->gsym->files)
			read_file_entry(r, i);
	}
	return true;
}

/* Return the file number to use: 0 for "no file" and for numbers outside the file table. */
static uint32_t file_number(struct gsym_reader *r, uint64_t file, size_t at)
{
	if (file < r->gsym->files && (r->files[file].name.size || r->files[file].directory.size))
		return (uint32_t)file;
	if (file != 0 && !gsym_has_file(r->gsym, file))
		record_malformed(
			r, at, "a source location refers to a file that is not in the file table");
	return 0;
}

static bool append_function_row(struct gsym_reader *r, struct function_row row)
{
	struct function *f = &r->function;
	struct function_row *last = f->row_count ? &r->rows[f->row_count - 1] : NULL;

	bool again = last && last->va == row.va;
	if (again && (!r->every_row || (last->file == row.file && last->line == row.line))) {
		row.statement |= last->statement;
		row.prologue_end |= last->prologue_end;
		row.apart |= last->apart;
		*last = row;
		return true;
	}
	return ARRAY_APPEND(r->rows, f->row_count, r->row_capacity, row);
}

/*
 * Add a row at the address where lookups apply it. A row before the function takes effect at the
 * function's start. A row whose address is lower than the previous row's takes effect at the
 * previous row's address.
 */
static bool place_row(struct gsym_reader *r, const struct gsym_rows *rows,
                      const struct gsym_row *row, size_t at)
{
	const struct function *f = &r->function;
	uint32_t file = file_number(r, row->file, at);
	bool known = f->statements;
	struct function_row placed = { row->va,
		                       file,
		                       row->line,
		                       known && rows->statement,
		                       known && rows->prologue_end,
		                       known && rows->apart,
		                       0 };
	uint64_t least = f->row_count ? r->rows[f->row_count - 1].va : f->start;

	placed.va = placed.va < least ? least : placed.va;
	if (f->size && placed.va - f->start >= f->size)
		return true;
	if (f->row_count == 0 && placed.va != f->start &&
	    !append_function_row(r, (struct function_row){ .va = f->start }))
		return false;
	return append_function_row(r, placed);
}

static bool read_line_block(struct gsym_reader *r, const struct gsym_block *block)
{
	struct gsym_rows rows = gsym_rows(block, r->function.start);
	struct gsym_row row;

	r->function.row_count = 0;
	r->function.statements = r->every_row && rows.marked;
	while (gsym_next_row(&rows, &row)) {
		if (r->function.row_count >= ROWS_MAX) {
			record_malformed(r, block->at, "a function has too many rows");
			break;
		}
		if (!place_row(r, &rows, &row, block->at))
			return false;
	}
	gsym_reader_lose(r, rows.fault);
	return true;
}

static bool read_inline_block(struct gsym_reader *r, const struct gsym_block *block)
{
	struct function *f = &r->function;
	const struct cairn_range whole = { f->start, f->size ? f->start + f->size : UINT64_MAX };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	if (!gsym_inlines_read(&r->inlines, &r->names, block, whole, &fault))
		return false;
	gsym_reader_lose(r, fault);
	f->parted = r->every_row && r->inlines.parted;
	for (size_t i = 0; i < r->inlines.count; i++)
		r->inlines.call[i].call_file =
			file_number(r, r->inlines.call[i].call_file, block->at);
	return true;
}

static bool add_callee(struct gsym_reader *r, uint64_t name, size_t count, size_t at)
{
	if (!array_grow(&r->callees, &r->callee_capacity, count + 1, sizeof(*r->callees)))
		return false;
	const char *wrong = gsym_names_read(&r->names, name, &r->callees[count]);
	if (wrong)
		record_malformed(r, at, wrong);
	return true;
}

/* Point each call to its callees. Done last, because the array of callees moves while it grows. */
static void lend_callees(struct gsym_reader *r)
{
	size_t first = 0;

	for (size_t i = 0; i < r->function.call_count; i++) {
		r->calls[i].callee = r->callees ? r->callees + first : NULL;
		first += r->calls[i].callees;
	}
}

static bool read_call_block(struct gsym_reader *r, const struct gsym_block *block)
{
	struct gsym_calls calls = gsym_calls(r->gsym, block);
	struct gsym_call call;
	size_t callees = 0;

	r->function.call_count = 0;
	while (gsym_next_call(&calls, &call)) {
		size_t *count = &r->function.call_count;
		if (!array_grow(&r->calls, &r->call_capacity, *count + 1, sizeof(*r->calls)))
			return false;
		r->calls[(*count)++] = (struct function_call){ .return_offset = call.return_offset,
			                                       .flags = call.flags,
			                                       .callees = call.names };
		for (uint32_t i = 0; i < call.names; i++)
			if (!add_callee(r, gsym_call_name(r->gsym, &call, i), callees++,
			                call.names_at))
				return false;
	}
	gsym_reader_lose(r, calls.in.fault);
	lend_callees(r);
	return true;
}

static bool read_function_block(struct gsym_reader *r, const struct gsym_block *block)
{
	if (block->type == GSYM_LINES)
		return read_line_block(r, block);
	if (block->type == GSYM_INLINES)
		return read_inline_block(r, block);
	return block->type != GSYM_CALLS || read_call_block(r, block);
}

static void begin_gsym_function(struct gsym_reader *r, const struct gsym_function *f)
{
	uint64_t capacity = UINT64_MAX - f->start;

	r->flawed = false;
	r->inlines.count = r->inlines.ranges.count = 0;
	r->function = (struct function){ .start = f->start,
		                         .size = f->size < capacity ? f->size : capacity,
		                         .source = FUNCTION_SYMBOL,
		                         .files = r->files,
		                         .file_count = r->gsym->files ? r->gsym->files : 1 };
	const char *wrong = gsym_names_read(&r->names, f->name, &r->function.name);
	if (wrong)
		record_malformed(r, f->at, wrong);
	else if (r->every_row)
		r->function.path_size = gsym_names_path(&r->names, r->function.name);
}

static bool has_entries(const struct gsym_inlines *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->call[i].entry != 0)
			return true;
	return false;
}

/*
 * If calls have entry addresses, the producer also flags the rows that begin statements. If no row
 * is flagged nevertheless, every row begins a statement.
 */
static void settle_statements(struct gsym_reader *r)
{
	struct function *f = &r->function;

	if (!r->every_row || f->statements || !has_entries(&r->inlines))
		return;
	f->statements = true;
	for (size_t i = 0; i < f->row_count; i++)
		r->rows[i].statement = true;
}

/* If two blocks have the same type, the last one wins, as in a lookup. */
enum cairn_status gsym_reader_read(struct gsym_reader *r, const struct gsym_function *f,
                                   struct gsym_block *merged)
{
	struct gsym_blocks blocks = gsym_blocks(r->gsym, f);
	struct gsym_block block;

	*merged = (struct gsym_block){ .type = GSYM_END };
	begin_gsym_function(r, f);
	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_MERGED)
			*merged = block;
		else if (!read_function_block(r, &block))
			return CAIRN_NO_MEMORY;
	}
	gsym_reader_lose(r, blocks.in.fault);
	settle_statements(r);
	struct function *function = &r->function;
	if (function->row_count || r->inlines.count)
		function->source = FUNCTION_DEBUG;
	function->rows = r->rows;
	function->range = r->inlines.ranges.range;
	function->inlines = r->inlines.call;
	function->inline_count = r->inlines.count;
	function->calls = r->calls;
	return CAIRN_OK;
}

bool gsym_reader_next(struct gsym_reader *r, uint32_t index, struct gsym_function *record)
{
	struct cairn_fault fault;

	r->flawed = false;
	if (gsym_walk_take(&r->walk, index, &fault) &&
	    gsym_function(r->gsym, index, record, &fault) == CAIRN_OK)
		return true;
	gsym_reader_lose(r, fault);
	return false;
}

bool gsym_reader_init(struct gsym_reader *r, const struct gsym *gsym, bool every_row)
{
	*r = (struct gsym_reader){ .gsym = gsym,
		                   .walk = gsym_walk(gsym),
		                   .names = gsym_names(gsym),
		                   .every_row = every_row };
	return read_file_table(r) && gsym_inlines_init(&r->inlines, every_row);
}

void gsym_reader_finish(struct gsym_reader *r)
{
	gsym_inlines_finish(&r->inlines);
	free(r->files);
	free(r->rows);
	free(r->calls);
	free(r->callees);
}

static enum cairn_status emit_record(struct gsym_reader *reader, const struct gsym_function *record,
                                     const struct function_sink *sink, struct gsym_block *merged)
{
	enum cairn_status status = gsym_reader_read(reader, record, merged);

	return status == CAIRN_OK ? sink->take(sink->context, &reader->function) : status;
}

static enum cairn_status emit_merged_functions(struct gsym_reader *reader,
                                               const struct gsym_function *owner,
                                               const struct gsym_block *block,
                                               const struct function_sink *sink)
{
	struct gsym_merged merged = gsym_merged(reader->gsym, owner, block);
	struct gsym_block nested;
	struct gsym_function record;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && gsym_next_merged(&merged, &record))
		status = emit_record(reader, &record, sink, &nested);
	reader->flawed = false;
	gsym_reader_lose(reader, merged.in.fault);
	return status;
}

static enum cairn_status emit_gsym_functions(struct gsym_reader *reader,
                                             const struct function_sink *sink)
{
	enum cairn_status status = CAIRN_OK;
	struct gsym_function record;
	struct gsym_block merged;

	for (uint32_t i = 0; status == CAIRN_OK && i < reader->gsym->functions; i++) {
		if (!gsym_reader_next(reader, i, &record))
			continue;
		status = emit_record(reader, &record, sink, &merged);
		if (status == CAIRN_OK && merged.type == GSYM_MERGED)
			status = emit_merged_functions(reader, &record, &merged, sink);
	}
	return status;
}

enum cairn_status gsym_functions(const struct gsym *gsym, const struct function_sink *sink,
                                 bool every_row, struct gsym_losses *losses)
{
	WITH_CLEANUP(gsym_reader_finish) struct gsym_reader reader;
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (gsym_reader_init(&reader, gsym, every_row))
		status = emit_gsym_functions(&reader, sink);
	if (losses)
		*losses = reader.losses;
	return status;
}

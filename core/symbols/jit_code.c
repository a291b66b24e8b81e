/* SPDX-License-Identifier: MIT */
/* Reads jitdumps and perf maps, finds functions and lines by address and time, and lists them. */
#include "jit_code.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/jitdump.h"
#include "formats/perfmap.h"

#include <stdlib.h>
#include <string.h>

enum { ELF_HEADER = 0x40 }; /* V8 adds the size of an ELF header to line addresses */

/* Code at `old` was moved to `start` after `number` functions had been read. */
struct jit_move {
	uint64_t old, start;
	uint32_t number;
};

static int compare_functions(const void *left, const void *right)
{
	const struct jit_function *a = left, *b = right;

	return ORDER_BY(a->start, b->start, ORDER_BY(a->number, b->number, 0));
}

/* Return the last function that begins below `pc`, or at `pc` with a number below `number`. */
static struct jit_function *find_before(const struct jit_code *code, uint64_t pc, uint64_t number)
{
	struct bisection search = bisect_begin(code->count);

	while (search.low < search.high) {
		const struct jit_function *f = &code->function[search.middle];
		bisect_narrow(&search, f->start < pc || (f->start == pc && f->number < number));
	}
	return search.low > 0 ? &code->function[search.low - 1] : NULL;
}

static bool add_function(struct jit_code *code, const struct jit_function *function)
{
	if (!array_grow(&code->function, &code->capacity, code->count + 1, sizeof(*code->function)))
		return false;
	code->function[code->count] = *function;
	code->function[code->count].number = (uint32_t)code->count;
	code->count++;
	return true;
}

static bool add_details(struct jit_code *code, struct jit_details details)
{
	return ARRAY_APPEND(code->details, code->details_count, code->details_capacity, details);
}

static bool add_load(struct jit_code *code, const struct jitdump_record *record,
                     struct jit_details *before)
{
	const struct jit_details details = *before;

	*before = (struct jit_details){ .lines = { record->code.data, 0 } };
	if (!add_function(code, &(struct jit_function){ .start = record->start,
	                                                .size = record->size,
	                                                .name = record->name,
	                                                .time = record->time }))
		return false;
	if (details.lines.size + record->code.size + details.frames.size == 0)
		return true;
	code->function[code->count - 1].details = (uint32_t)code->details_count;
	return add_details(code, (struct jit_details){ .lines = details.lines,
	                                               .code = record->code,
	                                               .frames = details.frames });
}

static bool add_move(struct jit_code *code, const struct jitdump_record *record)
{
	const struct jit_function moved = { .start = record->start,
		                            .size = record->size,
		                            .name = { record->name.data, 0 },
		                            .time = record->time };

	if (!ARRAY_APPEND(code->move, code->move_count, code->move_capacity,
	                  (struct jit_move){ record->old, record->start, (uint32_t)code->count }))
		return false;
	return add_function(code, &moved);
}

/*
 * Set `shift` to 0 if the first line's address is too low for V8, which adds the size of an ELF
 * header.
 */
static void note_shift(struct jit_code *code, const struct jitdump *dump,
                       const struct jitdump_record *record)
{
	struct cairn_bytes lines = record->lines;
	struct jitdump_line line = { .address = 0 };

	if (jitdump_line(dump, &lines, &line) && line.address - record->start < ELF_HEADER)
		code->shift = 0;
}

/*
 * Copy the name and details of moved code. Lines are not copied because their addresses are
 * absolute.
 */
static bool move_details(struct jit_code *code, const struct jit_function *from,
                         struct jit_function *to)
{
	struct jit_details details = *jit_code_details(code, from);

	to->name = from->name;
	if (from->details == 0)
		return true;
	details.lines.size = 0;
	to->details = (uint32_t)code->details_count;
	return add_details(code, details);
}

/*
 * Give moved code its previous name, in the order of the moves. Returns false if allocation fails.
 */
static bool name_moved_functions(struct jit_code *code)
{
	bool ok = true;

	for (size_t i = 0; ok && i < code->move_count; i++) {
		const struct jit_move *move = &code->move[i];
		struct jit_function *to =
			find_before(code, move->start, (uint64_t)move->number + 1);
		const struct jit_function *from = find_before(code, move->old, move->number);
		if (to && from && from->start == move->old)
			ok = move_details(code, from, to);
	}
	return ok;
}

static bool read_dump(struct jit_code *code, struct jitdump *dump, struct polling *polling)
{
	struct jit_details next = { .lines = { dump->in.data, 0 } };
	struct jitdump_record record;
	uint64_t lines_of = 0;
	bool ok = true;

	code->dump = true;
	code->big = dump->big;
	code->pid = dump->pid;
	code->shift = ELF_HEADER;
	while (ok && code->count < JIT_FUNCTIONS_MAX && jitdump_next(dump, &record)) {
		polling_count(polling, 1);
		if (record.kind == JITDUMP_LOAD) {
			if (lines_of != record.start)
				next.lines.size = 0;
			ok = add_load(code, &record, &next);
		} else if (record.kind == JITDUMP_MOVE) {
			ok = add_move(code, &record);
		} else if (record.kind == JITDUMP_LINES) {
			note_shift(code, dump, &record);
			next.lines = record.lines;
			lines_of = record.start;
		} else {
			next.frames = record.frames;
		}
	}
	return ok;
}

static bool read_map(struct jit_code *code, struct cairn_bytes file, struct polling *polling)
{
	struct perfmap map = perfmap_open(file);
	struct perfmap_entry entry;

	while (code->count < JIT_FUNCTIONS_MAX && perfmap_next(&map, &entry)) {
		polling_count(polling, 1);
		if (!add_function(code, &(struct jit_function){ .start = entry.start,
		                                                .size = entry.size,
		                                                .name = entry.name }))
			return false;
	}
	return true;
}

enum cairn_status jit_code_read(struct jit_code *code, struct cairn_bytes file,
                                struct polling *polling)
{
	const struct jit_details none = { .lines = { file.data, 0 },
		                          .code = { file.data, 0 },
		                          .frames = { file.data, 0 } };
	struct jitdump dump;

	*code = (struct jit_code){ .dump = false };
	/* element 0 of the details stands for "no details" */
	const bool good = add_details(code, none) &&
	                  (jitdump_open(file, &dump) ? read_dump(code, &dump, polling)
	                                             : read_map(code, file, polling));
	if (good && code->count > 0)
		qsort(code->function, code->count, sizeof(*code->function), compare_functions);
	if (good && name_moved_functions(code))
		return CAIRN_OK;
	jit_code_finish(code);
	return CAIRN_NO_MEMORY;
}

void jit_code_finish(struct jit_code *code)
{
	for (size_t i = 0; i < code->details_count; i++)
		free(code->details[i].index.line);
	free(code->function);
	free(code->details);
	free(code->move);
	*code = (struct jit_code){ .dump = false };
}

const struct jit_function *jit_code_find(const struct jit_code *code, uint64_t pc)
{
	const struct jit_function *f = find_before(code, pc, UINT64_MAX);

	return f && pc - f->start < f->size && f->name.size > 0 ? f : NULL;
}

void jit_code_remove_replaced(struct jit_code *code)
{
	size_t kept = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct jit_function f = code->function[i];
		bool replaced = f.name.size == 0;
		while (!replaced && kept > 0 &&
		       f.start - code->function[kept - 1].start < code->function[kept - 1].size) {
			replaced = code->function[kept - 1].number > f.number;
			kept -= !replaced;
		}
		if (!replaced)
			code->function[kept++] = f;
	}
	code->count = kept;
}

/*
 * Read a function's next line. Returns false at the end. Before the first call, set `lines` to the
 * lines in the function's details, and *line to zeros.
 */
static bool jit_code_next_line(const struct jit_code *code, struct cairn_bytes *lines,
                               struct jit_line *line)
{
	const struct jitdump dump = { .big = code->big };
	struct jitdump_line next = { .file = line->file };

	if (!jitdump_line(&dump, lines, &next))
		return false;
	*line = (struct jit_line){ next.address - code->shift, next.line, next.file };
	return true;
}

static void fill_index(struct jit_line_index *index, const struct jit_code *code,
                       struct cairn_bytes lines)
{
	struct jit_line line = { .address = 0 };
	uint64_t highest = 0;

	while (jit_code_next_line(code, &lines, &line)) {
		highest = line.address > highest ? line.address : highest;
		if (!ARRAY_APPEND(index->line, index->count, index->capacity,
		                  (struct jit_indexed_line){ highest, line.line, line.file })) {
			free(index->line);
			*index = (struct jit_line_index){ .line = NULL };
			return;
		}
	}
}

bool jit_code_find_line(struct jit_code *code, const struct jit_function *function, uint64_t pc,
                        struct jit_line *line)
{
	struct jit_details *details = &code->details[function->details];
	struct jit_line_index *index = &details->index;

	if (details->lines.size == 0)
		return false;
	if (!index->line)
		fill_index(index, code, details->lines);
	const size_t before = SORTED_UP_TO(index->line, index->count, highest, pc);
	if (before == 0)
		return false;
	const struct jit_indexed_line *found = &index->line[before - 1];
	*line = (struct jit_line){ found->highest, found->line, found->file };
	return true;
}

/*
 * maximum number of file names to compare with the name in a line, latest first; code with inlined
 * calls has a few names
 */
enum { FILES_SEARCHED = 64 };

struct jit_row_order {
	struct function_row row;
	size_t number;
};

struct jit_work {
	struct function_file *file;
	size_t files, file_capacity;
	uint64_t file_set;
	struct jit_row_order *line;
	size_t lines, line_capacity;
	struct function_row *row;
	size_t rows, row_capacity;
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
	if (!array_grow(&work->file, &work->file_capacity, work->files + 1, sizeof(*work->file)))
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
 * Read the lines inside the function, sorted by address. A line whose address precedes the function
 * takes effect at the function's start, because Erlang's line addresses begin at data in front of
 * the function.
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
		    !array_grow(&work->line, &work->line_capacity, work->lines + 1,
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

/*
 * Create one row per address, and a row at the function's start. If several lines have the same
 * address, use the last one in the file.
 */
static bool make_rows(struct jit_work *work, const struct jit_function *f)
{
	work->rows = 0;
	if (work->lines == 0)
		return true;
	if (!array_grow(&work->row, &work->row_capacity, work->lines + 1, sizeof(*work->row)))
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

static uint64_t find_function_end(const struct jit_function *function)
{
	return function->start + function->size;
}

enum cairn_status jit_history_read(struct jit_history *history, struct cairn_bytes file)
{
	uint64_t reach = 0;

	*history = (struct jit_history){ .steps = allowance_of(HISTORY_STEPS_LEAST,
		                                               HISTORY_STEPS_TIMES, file.size) };
	if (jit_code_read(&history->code, file, NULL) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	history->reach = malloc((history->code.count + 1) * sizeof(*history->reach));
	if (!history->reach) {
		jit_history_finish(history);
		return CAIRN_NO_MEMORY;
	}
	for (size_t i = 0; i < history->code.count; i++) {
		const uint64_t end = find_function_end(&history->code.function[i]);
		reach = end > reach ? end : reach;
		history->reach[i] = reach;
	}
	return CAIRN_OK;
}

void jit_history_finish(struct jit_history *history)
{
	jit_code_finish(&history->code);
	free(history->reach);
	history->reach = NULL;
}

/*
 * Return the next function, in descending order of address, that overlaps a range and had been
 * loaded by *time, or NULL. The range begins at `start`; before the first call, *at must be the
 * number of functions that begin before the range ends.
 */
static const struct jit_function *find_next_over(struct jit_history *history, uint64_t start,
                                                 const uint64_t *time, size_t *at)
{
	while (*at > 0 && history->reach[*at - 1] > start && allowance_draw(&history->steps, 1)) {
		const struct jit_function *function = &history->code.function[--*at];
		/* ignore functions loaded after *time, unless `time` is NULL */
		if (find_function_end(function) > start && (!time || function->time <= *time))
			return function;
	}
	return NULL;
}

static size_t count_before(const struct jit_history *history, uint64_t end)
{
	return SORTED_BELOW(history->code.function, history->code.count, start, end);
}

/*
 * Return true if a function that was loaded later overlaps `found`. If `time` is NULL, return true
 * if any function with a different name does.
 */
static bool is_replaced(struct jit_history *history, const struct jit_function *found,
                        const uint64_t *time)
{
	size_t at = count_before(history, find_function_end(found));
	const struct jit_function *other;

	while ((other = find_next_over(history, found->start, time, &at)))
		if (time ? other->number > found->number : !bytes_equal(other->name, found->name))
			return true;
	return false;
}

const struct jit_function *jit_history_find(struct jit_history *history, uint64_t pc,
                                            const uint64_t *time)
{
	size_t at = pc < UINT64_MAX ? count_before(history, pc + 1) : history->code.count;
	const struct jit_function *found = NULL, *other;

	if (!history->code.dump)
		time = NULL;
	while ((other = find_next_over(history, pc, time, &at)))
		if (!found || other->number > found->number)
			found = other;
	if (!found || found->name.size == 0 || is_replaced(history, found, time) ||
	    history->steps.over)
		return NULL;
	return found;
}

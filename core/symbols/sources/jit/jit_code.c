/* SPDX-License-Identifier: MIT */
/* Reads jitdumps and perf maps, and finds functions and lines by address. */
#include "jit_code.h"

#include "base/memory.h"
#include "base/sort.h"
#include "formats/jitdump.h"
#include "formats/perfmap.h"

#include <stdlib.h>

enum { ELF_HEADER = 0x40 }; /* V8 adds the size of an ELF header to line addresses */

/* A move record: code at `old` moved to `start` after `number` functions were read. */
struct jit_move {
	uint64_t old, start;
	uint32_t number;
};

static int compare_functions(const void *left, const void *right)
{
	const struct jit_function *a = left, *b = right;

	return ORDER_BY(a->start, b->start, ORDER_BY(a->number, b->number, 0));
}

/*
 * Return the last function that begins before `pc`, or at `pc` with a lower number than `number`.
 */
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
	if (!array_grow(&code->function, &code->room, code->count + 1, sizeof(*code->function)))
		return false;
	code->function[code->count] = *function;
	code->function[code->count].number = (uint32_t)code->count;
	code->count++;
	return true;
}

static bool add_details(struct jit_code *code, struct jit_details details)
{
	return ARRAY_APPEND(code->details, code->details_count, code->details_room, details);
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

	if (!ARRAY_APPEND(code->move, code->move_count, code->move_room,
	                  (struct jit_move){ record->old, record->start, (uint32_t)code->count }))
		return false;
	return add_function(code, &moved);
}

/* Clear `shift` if the first line lies where V8's lines never do. */
static void note_shift(struct jit_code *code, const struct jitdump *dump,
                       const struct jitdump_record *record)
{
	struct cairn_bytes lines = record->lines;
	struct jitdump_line line = { .address = 0 };

	if (jitdump_line(dump, &lines, &line) && line.address - record->start < ELF_HEADER)
		code->shift = 0;
}

/* Copy the name and details of moved code, except its lines, whose addresses are absolute. */
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
 * Give moved code its previous name, in the order of the moves. Returns false if memory is short.
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

/* Remember lines or frames for the code that is loaded next. */
static void note_details(struct jit_details *next, uint64_t *lines_of,
                         const struct jitdump_record *record)
{
	if (record->kind == JITDUMP_LINES) {
		next->lines = record->lines;
		*lines_of = record->start;
	} else {
		next->frames = record->frames;
	}
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
		if (record.kind == JITDUMP_LINES)
			note_shift(code, dump, &record);
		if (record.kind == JITDUMP_LOAD) {
			if (lines_of != record.start)
				next.lines.size = 0;
			ok = add_load(code, &record, &next);
		} else if (record.kind == JITDUMP_MOVE) {
			ok = add_move(code, &record);
		} else {
			note_details(&next, &lines_of, &record);
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

static bool read_records(struct jit_code *code, struct cairn_bytes file, struct polling *polling)
{
	const struct jit_details none = { .lines = { file.data, 0 },
		                          .code = { file.data, 0 },
		                          .frames = { file.data, 0 } };
	struct jitdump dump;

	if (!add_details(code, none)) /* details 0 are empty */
		return false;
	return jitdump_open(file, &dump) ? read_dump(code, &dump, polling)
	                                 : read_map(code, file, polling);
}

enum cairn_status jit_code_read(struct jit_code *code, struct cairn_bytes file,
                                struct polling *polling)
{
	*code = (struct jit_code){ .dump = false };
	if (!read_records(code, file, polling)) {
		jit_code_finish(code);
		return CAIRN_NO_MEMORY;
	}
	if (code->count > 0)
		qsort(code->function, code->count, sizeof(*code->function), compare_functions);
	if (name_moved_functions(code))
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

void jit_code_drop_replaced(struct jit_code *code)
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

bool jit_code_next_line(const struct jit_code *code, struct cairn_bytes *lines,
                        struct jit_line *line)
{
	const struct jitdump dump = { .big = code->big };
	struct jitdump_line next = { .file = line->file };

	if (!jitdump_line(&dump, lines, &next))
		return false;
	*line = (struct jit_line){ next.address - code->shift, next.line, next.file };
	return true;
}

static bool add_line(struct jit_line_index *index, const struct jit_line *line)
{
	uint64_t highest = index->count > 0 ? index->line[index->count - 1].highest : 0;

	if (!array_grow(&index->line, &index->room, index->count + 1, sizeof(*index->line)))
		return false;
	if (line->address > highest)
		highest = line->address;
	index->line[index->count++] = (struct jit_indexed_line){ highest, line->line, line->file };
	return true;
}

/* Fill the index. It stays empty if memory is short. */
static void fill_index(struct jit_line_index *index, const struct jit_code *code,
                       struct cairn_bytes lines)
{
	struct jit_line line = { .address = 0 };

	while (jit_code_next_line(code, &lines, &line))
		if (!add_line(index, &line)) {
			free(index->line);
			*index = (struct jit_line_index){ .line = NULL };
			return;
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

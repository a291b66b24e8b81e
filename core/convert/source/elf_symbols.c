/* SPDX-License-Identifier: MIT */
/*
 * Symbols that DWARF does not cover.  Those for which a unit has rows wait until all are known: then each line table is read
 * once, without the rows that none of them asks for, and on several threads.
 */
#include "elf_symbols.h"

#include "base/array_grow.h"
#include "base/order.h"
#include "base/range.h"
#include "base/threads.h"
#include "debuginfo/program/code_symbols.h"

#include <stdatomic.h>
#include <stdlib.h>

/* A symbol that has rows in a unit. */
struct waiting {
	struct cairn_range range;
	struct cairn_bytes name;
	size_t unit;
};

struct reading {
	struct program *program; /* NULL: there is no DWARF */
	const struct elf_symbol_thread *thread;
	struct waiting *waiting;
	size_t count, room;
	size_t *group; /* where those of a unit begin, and where the last ones end */
	size_t groups;
	atomic_size_t next, failed; /* group; a status other than CAIRN_OK */
	atomic_size_t started;      /* threads */
};

static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct reading *r = context;
	const struct cairn_range range = { function->start, function->start + function->size };
	size_t unit = SIZE_MAX;

	if (r->program && function->size > 0 && !program_find_rows(r->program, range, &unit))
		return CAIRN_NO_MEMORY;
	if (unit == SIZE_MAX)
		return r->thread->sink.take(r->thread->sink.context, function);
	if (!array_grow(&r->waiting, &r->room, r->count + 1, sizeof(*r->waiting)))
		return CAIRN_NO_MEMORY;
	r->waiting[r->count++] = (struct waiting){ range, function->name, unit };
	return CAIRN_OK;
}

static int compare_waiting(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	return ORDER_BY(a->unit, b->unit, range_compare(&a->range, &b->range));
}

static enum cairn_status give_with_rows(const struct elf_symbol_thread *thread,
                                        const struct waiting *waiting)
{
	struct function function = { .start = waiting->range.low,
		                     .size = waiting->range.high - waiting->range.low,
		                     .name = waiting->name,
		                     .source = FUNCTION_SYMBOL };
	const enum cairn_status status = program_rows_of(thread->reader, waiting->unit, &function);

	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return status;
	return thread->sink.take(thread->sink.context, &function);
}

static void *run_groups(void *context)
{
	struct reading *r = context;
	const struct elf_symbol_thread *thread = &r->thread[atomic_fetch_add(&r->started, 1)];

	for (size_t group; (group = atomic_fetch_add(&r->next, 1)) < r->groups;)
		for (size_t i = r->group[group]; i < r->group[group + 1]; i++) {
			const enum cairn_status status = give_with_rows(thread, &r->waiting[i]);
			if (status != CAIRN_OK)
				atomic_store(&r->failed, (size_t)status);
			if (atomic_load(&r->failed) != CAIRN_OK)
				return NULL;
		}
	return NULL;
}

/* What readers shall read of line tables: the ranges of all that wait, ascending. */
static struct cairn_range *list_ranges(const struct reading *r, size_t *count)
{
	struct cairn_range *range = malloc(r->count * sizeof(*range));

	if (!range)
		return NULL;
	for (size_t i = 0; i < r->count; i++)
		range[i] = r->waiting[i].range;
	*count = range_merge(range, r->count);
	return range;
}

static enum cairn_status read_waiting(struct reading *r, size_t count)
{
	size_t ranges = 0;
	struct cairn_range *range = list_ranges(r, &ranges);

	r->group = malloc((r->count + 1) * sizeof(*r->group));
	if (!range || !r->group) {
		free(range);
		return CAIRN_NO_MEMORY;
	}
	qsort(r->waiting, r->count, sizeof(*r->waiting), compare_waiting);
	for (size_t i = 0; i < r->count; i++)
		if (i == 0 || r->waiting[i].unit != r->waiting[i - 1].unit)
			r->group[r->groups++] = i;
	r->group[r->groups] = r->count;
	for (size_t i = 0; i < count; i++)
		program_ask_rows(r->thread[i].reader, range, ranges);
	threads_run(count < r->groups ? count : r->groups, run_groups, r);
	for (size_t i = 0; i < count; i++)
		program_ask_rows(r->thread[i].reader, NULL, 0);
	free(range);
	return (enum cairn_status)atomic_load(&r->failed);
}

enum cairn_status elf_symbols_read(struct function_source *origin,
                                   const struct elf_known_functions *known,
                                   const struct elf_symbol_thread *thread, size_t count)
{
	struct reading reading = { .program = origin->elf->program, .thread = thread };
	struct code_symbols symbols = { .aliases = &origin->elf->aliases,
		                        .known = known->range,
		                        .known_count = known->count,
		                        .folded = origin->options.merged };
	const struct function_sink sink = { take_symbol, &reading };

	enum cairn_status status = code_symbols_emit(&symbols, origin->file.bytes, &sink);
	if (status == CAIRN_OK && reading.count > 0)
		status = read_waiting(&reading, count);
	function_source_add_drop(origin, "labels inside of functions", symbols.labels);
	function_source_add_drop(origin, "symbols outside of sections with code", symbols.outside);
	free(reading.waiting);
	free(reading.group);
	return status;
}

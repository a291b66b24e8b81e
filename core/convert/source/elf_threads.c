/* SPDX-License-Identifier: MIT */
/* Functions of an ELF file: units of DWARF on several threads, then symbols. */
#include "elf_symbols.h"

#include "messages.h"

#include "base/array_grow.h"
#include "debuginfo/functions/given_functions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The work of all threads. */
struct work {
	struct function_source *origin;
	const struct function_source_sinks *takers;
	struct given_functions
		*given;             /* of all threads; NULL: equal functions all go to the sinks */
	atomic_size_t next, failed; /* unit; a status other than CAIRN_OK */
};

/* One thread: its reader and its sink, with the ranges of what went through. */
struct worker {
	struct work *work;
	unsigned number;
	struct program_reader *reader;
	struct function_sink sink;
	struct cairn_range *range;
	size_t ranges, room;
	pthread_t thread;
};

static enum cairn_status forward_function(void *context, const struct function *function)
{
	struct worker *w = context;

	if (!ARRAY_APPEND(
		    w->range, w->ranges, w->room,
		    (struct cairn_range){ function->start, function->start + function->size }))
		return CAIRN_NO_MEMORY;
	return w->sink.take(w->sink.context, function);
}

static void *run_worker(void *context)
{
	struct worker *w = context;
	struct work *work = w->work;
	const struct function_source_sinks *takers = work->takers;
	struct function_sink sink = { forward_function, w };
	size_t units = program_units(work->origin->elf->program);

	for (size_t unit; (unit = atomic_fetch_add(&work->next, 1)) < units;) {
		if (w->number == 0 && !function_source_go_on(work->origin, unit, units))
			atomic_store(&work->failed, CAIRN_CANCELLED);
		takers->unit(takers->context, w->number, (uint32_t)unit);
		enum cairn_status status = program_read(w->reader, unit, &sink);
		if (status != CAIRN_OK)
			atomic_store(&work->failed, (size_t)status);
		if (atomic_load(&work->failed) != CAIRN_OK)
			break;
	}
	return NULL;
}

/* Threads that cannot be had are done without. */
static void run_all(struct worker *worker, size_t count)
{
	size_t started = 1;

	while (started < count &&
	       pthread_create(&worker[started].thread, NULL, run_worker, &worker[started]) == 0)
		started++;
	run_worker(&worker[0]);
	for (size_t i = 1; i < started; i++)
		pthread_join(worker[i].thread, NULL);
}

static bool begin_workers(struct work *work, struct worker *worker, size_t count)
{
	struct elf_source *elf = work->origin->elf;

	elf->reader = calloc(count, sizeof(struct program_reader *));
	if (!elf->reader)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct worker *w = &worker[i];
		*w = (struct worker){ .work = work, .number = (unsigned)i };
		if (elf->program && !(w->reader = program_reader_new(elf->program)))
			return false;
		elf->reader[elf->readers++] = w->reader;
		if (w->reader)
			program_give_once(w->reader, work->given);
		if (!work->takers->sink(work->takers->context, w->number, &w->sink))
			return false;
	}
	return true;
}

/* The ranges of all functions, in the first worker's array. */
static bool join_ranges(struct worker *worker, size_t count)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += worker[i].ranges;
	if (count == 1 || all == 0)
		return true;
	if (!array_grow(&worker->range, &worker->room, all, sizeof(*worker->range)))
		return false;
	for (size_t i = 1; i < count; i++) {
		if (worker[i].ranges)
			memcpy(worker->range + worker->ranges, worker[i].range,
			       worker[i].ranges * sizeof(*worker->range));
		worker->ranges += worker[i].ranges;
	}
	return true;
}

static enum cairn_status read_symbols(struct work *work, struct worker *worker, size_t count)
{
	const struct elf_known_functions known = { worker->range, worker->ranges };
	struct elf_symbol_thread *thread = malloc(count * sizeof(*thread));

	if (!thread)
		return CAIRN_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		work->takers->unit(work->takers->context, (unsigned)i, ELF_SOURCE_SYMBOLS_UNIT);
		thread[i] = (struct elf_symbol_thread){ worker[i].reader, worker[i].sink };
	}
	const enum cairn_status status = elf_symbols_read(work->origin, &known, thread, count);
	free(thread);
	return status;
}

/* Reads functions that DWARF does not have, whose ranges are known from then on. */
static enum cairn_status read_go(struct work *work, struct worker *worker)
{
	const struct function_sink sink = { forward_function, worker };

	if (!work->origin->elf->has_go)
		return CAIRN_OK;
	work->takers->unit(work->takers->context, 0, ELF_SOURCE_GO_UNIT);
	return elf_go_read(work->origin, &worker->range, worker->ranges, &sink);
}

static void report_losses(const struct work *work, enum cairn_status status)
{
	struct function_source *origin = work->origin;
	struct elf_source *elf = origin->elf;
	struct program_summary sum = { .units = 0 };

	for (size_t i = 0; i < elf->readers && elf->program; i++)
		program_add_summary(elf->reader[i], &sum);
	if (work->given)
		sum.dropped[PROGRAM_DROP_INLINE] += given_functions_lost(work->given);
	origin->repeated = sum.repeated;
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		function_source_add_drop(origin, program_drop_text((enum program_drop)i),
		                         sum.dropped[i]);
	function_source_add_drop(origin, "damaged units of DWARF, from the damage on", sum.broken);
	origin->no_split = sum.no_split;
	function_source_add_drop(origin, "units whose split half was not found", sum.no_split);
	if (sum.damage.fault.status == CAIRN_OK)
		return;
	origin->damaged = sum.damage.fault.status != CAIRN_UNSUPPORTED;
	const char *next = sum.exhausted ? PROGRAM_EXHAUSTED_NEXT : NULL;
	if (status != CAIRN_OK)
		error_set_fault(origin->error, elf_source_debug_path(origin), sum.damage.section,
		                &sum.damage.fault, next);
	else
		message_tell_fault(origin, CAIRN_MESSAGE_DAMAGE, elf_source_debug_path(origin),
		                   sum.damage.section, &sum.damage.fault, next);
}

static enum cairn_status read_units_and_symbols(struct work *work, struct worker *worker,
                                                size_t count)
{
	if (!begin_workers(work, worker, count))
		return CAIRN_NO_MEMORY;
	if (work->origin->elf->program)
		run_all(worker, count);
	enum cairn_status status = (enum cairn_status)atomic_load(&work->failed);
	if (status == CAIRN_OK && !join_ranges(worker, count))
		status = CAIRN_NO_MEMORY;
	if (status == CAIRN_OK)
		status = read_go(work, worker);
	if (status == CAIRN_OK)
		status = read_symbols(work, worker, count);
	/* where a MALFORMED file is damaged */
	if (status == CAIRN_OK || status == CAIRN_MALFORMED)
		report_losses(work, status);
	return status;
}

enum cairn_status elf_source_read(struct function_source *origin,
                                  const struct function_source_sinks *takers)
{
	if (!elf_source_prepare(origin))
		return origin->error->status;
	struct work work = { .origin = origin, .takers = takers };
	struct program *program = origin->elf->program;
	size_t units = program ? program_units(program) : 0;
	size_t count = origin->options.jobs < units ? origin->options.jobs : units;
	struct worker *worker = calloc(count ? count : 1, sizeof(*worker));

	elf_source_free_readers(origin->elf);
	work.given = takers->once ? given_functions_new(count) : NULL;
	if (!worker || (takers->once && !work.given)) {
		free(worker);
		return CAIRN_NO_MEMORY;
	}
	enum cairn_status status = read_units_and_symbols(&work, worker, count ? count : 1);
	given_functions_free(work.given);
	for (size_t i = 0; i < count || i < 1; i++)
		free(worker[i].range);
	free(worker);
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "origin_elf.h"

#include "debuginfo/code_symbols.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_UNIT = INT32_MAX }; /* behind all units of DWARF */

static struct cairn_bytes debug_bytes(const struct origin *origin)
{
	const struct halves *halves = &origin->elf->halves;

	return halves->debug.path[0] ? halves->debug.file.bytes : origin->file.bytes;
}

static const char *debug_path(const struct origin *origin)
{
	const struct halves *halves = &origin->elf->halves;

	return halves->debug.path[0] ? halves->debug.path : origin->path;
}

/* Two sections of one relocatable file begin at the same address. */
static bool has_one_text(const struct elf *elf)
{
	enum { CODE = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };
	struct elf_section section;
	unsigned texts = 0;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &section) && (section.flags & CODE) == CODE)
			texts += section.size > 0;
	return texts < 2;
}

/* The lowest address that is loaded; relocatable files begin with their first function. */
static uint64_t find_base(const struct elf *elf)
{
	struct elf_segment segment;
	uint64_t base = UINT64_MAX;

	for (uint32_t i = 0; i < elf->segments; i++)
		if (elf_segment(elf, i, &segment) && segment.type == ELF_PT_LOAD &&
		    segment.va < base)
			base = segment.va;
	return base;
}

/* A section's name as part of a message. */
static void printable(struct cairn_bytes text, uint32_t index, char name[64])
{
	size_t size = text.size < 63 ? text.size : 63;

	if (size == 0)
		snprintf(name, 64, "section %" PRIu32, index);
	for (size_t i = 0; i < size; i++) {
		name[i] = (char)(text.data[i] > ' ' && text.data[i] < 0x7f ? text.data[i] : '?');
		name[i + 1] = '\0';
	}
}

static bool is_cut_off(const struct elf *elf, const struct elf_section *section)
{
	return section->type != ELF_SHT_NOBITS && section->index > 0 && section->size > 0 &&
	       elf_section_bytes(elf, section).size == 0;
}

/* A file that was cut short says so here, before anything is made of the rest. */
static bool is_whole(const char *path, struct cairn_bytes bytes)
{
	struct cairn_fault fault;
	struct elf_section section;
	struct elf elf;
	char name[64];

	if (elf_open(bytes, &elf, &fault) != CAIRN_OK) {
		complain_fault(path, NULL, &fault, NULL);
		return false;
	}
	for (uint32_t i = 0; i < elf.sections || (elf.sections == 0 && elf.sections_at); i++) {
		bool there = elf_section(&elf, i, &section);
		if (there && !is_cut_off(&elf, &section))
			continue;
		if (there)
			printable(section.name, i, name);
		fault = (struct cairn_fault){ CAIRN_TRUNCATED,
			                      there ? section.offset : elf.sections_at,
			                      "it reaches behind the end of the file, and begins" };
		complain_fault(path, there ? name : "section headers", &fault, NULL);
		return false;
	}
	return true;
}

static bool take_elf(struct origin *origin)
{
	struct elf elf;

	if (!input_parse_elf(origin->path, &origin->file, &elf))
		return false;
	origin->kind = ORIGIN_ELF;
	origin->build_id = elf_build_id(&elf);
	origin->big = elf.big;
	origin->base = find_base(&elf);
	if (elf.type != ELF_TYPE_REL || has_one_text(&elf))
		return true;
	complain(origin->path, "a relocatable file with several sections of code, whose addresses "
	                       "would collide; link it first");
	return false;
}

static void tell_halves(const struct origin *origin)
{
	const struct halves *h = &origin->elf->halves;

	if (origin->options.quiet)
		return;
	if (h->refused[0] && !h->debug.path[0])
		complain(h->refused, "belongs to another build, and is not used");
	if (h->wants_debug && !h->debug.path[0])
		complain(origin->path, "its file of debugging information is not there");
	if (h->wants_alt && !h->alt.path[0])
		complain(debug_path(origin), "its alternate file (dwz) is not there: names and "
		                             "lines that are in it are lost");
	if (origin->options.verbose && h->debug.path[0])
		complain(origin->path, "with %s", h->debug.path);
	if (origin->options.verbose && h->alt.path[0])
		complain(origin->path, "with %s", h->alt.path);
}

/* .symtab of either half, else what the dynamic linker has. */
static bool read_aliases(struct origin *origin)
{
	struct aliases *aliases = &origin->elf->aliases;
	struct cairn_bytes own = origin->file.bytes, debug = debug_bytes(origin);
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status = aliases_read(aliases, own, ALIASES_SYMTAB, &fault);

	if (aliases->count == 0 && debug.data != own.data)
		status = aliases_read(aliases, debug, ALIASES_SYMTAB, &fault);
	if (aliases->count == 0)
		status = aliases_read(aliases, own, ALIASES_DYNSYM, &fault);
	aliases_sort(aliases);
	if (status == CAIRN_NO_MEMORY)
		complain(origin->path, "out of memory");
	else if (status != CAIRN_OK && status != CAIRN_NOT_FOUND && !origin->options.quiet)
		complain_fault(origin->path, "symbols", &fault, NULL);
	return status != CAIRN_NO_MEMORY;
}

static struct cairn_bytes find_split(void *context, struct cairn_bytes directory,
                                     struct cairn_bytes name, uint64_t id)
{
	(void)id;
	return halves_split(context, directory, name);
}

static bool open_program(struct origin *origin)
{
	struct origin_elf *elf = origin->elf;
	struct program_input input = { .debug = debug_bytes(origin),
		                       .alt = elf->halves.alt.file.bytes,
		                       .split = { find_split, &elf->halves,
		                                  elf->halves.package.file.bytes },
		                       .aliases = &elf->aliases,
		                       .call_sites = origin->options.calls,
		                       .mapped = origin->file.mapped };
	struct program_damage damage = { .section = NULL };
	enum cairn_status status = program_open(&input, &elf->program, &damage);

	if (status == CAIRN_OK || status == CAIRN_NOT_FOUND)
		return true;
	complain_fault(debug_path(origin), damage.section, &damage.fault, NULL);
	return false;
}

struct origin_elf *origin_elf_open(struct origin *origin)
{
	struct origin_elf *elf = calloc(1, sizeof(*elf));

	origin->elf = elf;
	if (!elf) {
		complain(origin->path, "out of memory");
		return NULL;
	}
	halves_find(&elf->halves, origin->path, origin->file.bytes, origin->options.folders);
	const struct halves_file *debug = &elf->halves.debug, *alt = &elf->halves.alt;
	if (is_whole(origin->path, origin->file.bytes) && take_elf(origin) &&
	    (!debug->path[0] || is_whole(debug->path, debug->file.bytes)) &&
	    (!alt->path[0] || is_whole(alt->path, alt->file.bytes))) {
		tell_halves(origin);
		return elf;
	}
	origin_elf_close(elf);
	return NULL;
}

static void free_readers(struct origin_elf *elf)
{
	for (size_t i = 0; i < elf->readers; i++)
		program_reader_free(elf->reader[i]);
	free(elf->reader);
	elf->reader = NULL;
	elf->readers = 0;
}

void origin_elf_close(struct origin_elf *elf)
{
	if (!elf)
		return;
	free_readers(elf);
	program_close(elf->program);
	aliases_finish(&elf->aliases);
	halves_finish(&elf->halves);
	free(elf);
}

/* The work of all threads. */
struct work {
	struct origin *origin;
	const struct origin_takers *takers;
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

static enum cairn_status pass_on(void *context, const struct function *function)
{
	struct worker *w = context;

	if (w->ranges == w->room) {
		size_t room = w->room ? 2 * w->room : 1024;
		struct cairn_range *grown = realloc(w->range, room * sizeof(*grown));
		if (!grown)
			return CAIRN_NO_MEMORY;
		w->range = grown;
		w->room = room;
	}
	w->range[w->ranges++] =
		(struct cairn_range){ function->start, function->start + function->size };
	return w->sink.take(w->sink.context, function);
}

static void *run(void *context)
{
	struct worker *w = context;
	struct work *work = w->work;
	const struct origin_takers *takers = work->takers;
	struct function_sink sink = { pass_on, w };
	size_t units = program_units(work->origin->elf->program);

	for (size_t unit; (unit = atomic_fetch_add(&work->next, 1)) < units;) {
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
	       pthread_create(&worker[started].thread, NULL, run, &worker[started]) == 0)
		started++;
	run(&worker[0]);
	for (size_t i = 1; i < started; i++)
		pthread_join(worker[i].thread, NULL);
}

static bool begin_workers(struct work *work, struct worker *worker, size_t count)
{
	struct origin_elf *elf = work->origin->elf;

	elf->reader = calloc(count, sizeof(struct program_reader *));
	if (!elf->reader)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct worker *w = &worker[i];
		*w = (struct worker){ .work = work, .number = (unsigned)i };
		if (elf->program && !(w->reader = program_reader_new(elf->program)))
			return false;
		elf->reader[elf->readers++] = w->reader;
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
	struct cairn_range *range = realloc(worker->range, all * sizeof(*range));
	if (!range)
		return false;
	worker->range = range;
	for (size_t i = 1; i < count; i++) {
		if (worker[i].ranges)
			memcpy(range + worker->ranges, worker[i].range,
			       worker[i].ranges * sizeof(*range));
		worker->ranges += worker[i].ranges;
	}
	return true;
}

/* A symbol on its way to the sink: with lines, if a table has some for it. */
static enum cairn_status add_rows(void *context, const struct function *function)
{
	struct worker *w = context;
	struct function with_rows = *function;

	if (w->reader && function->size > 0 &&
	    program_rows_at(w->reader, &with_rows) == CAIRN_NO_MEMORY)
		return CAIRN_NO_MEMORY;
	return w->sink.take(w->sink.context, &with_rows);
}

static enum cairn_status read_symbols(struct work *work, struct worker *worker)
{
	struct origin *origin = work->origin;
	struct code_symbols symbols = { .aliases = &origin->elf->aliases,
		                        .known = worker->range,
		                        .known_count = worker->ranges,
		                        .folded = origin->options.folded };
	struct function_sink sink = { add_rows, worker };

	work->takers->unit(work->takers->context, 0, SYMBOLS_UNIT);
	enum cairn_status status = code_symbols_give(&symbols, origin->file.bytes, &sink);
	origin_dropped(origin, "labels inside of functions", symbols.labels);
	origin_dropped(origin, "symbols outside of sections with code", symbols.outside);
	return status;
}

static void sum_up(struct origin *origin)
{
	struct origin_elf *elf = origin->elf;
	struct program_summary sum = { .units = 0 };

	for (size_t i = 0; i < elf->readers && elf->program; i++)
		program_add_summary(elf->reader[i], &sum);
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		origin_dropped(origin, program_drop_text((enum program_drop)i), sum.dropped[i]);
	origin_dropped(origin, "damaged units of DWARF, from the damage on", sum.broken);
	origin_dropped(origin, "units whose split half was not found", sum.no_split);
	if (sum.damage.fault.status == CAIRN_OK)
		return;
	origin->damaged = sum.damage.fault.status != CAIRN_UNSUPPORTED;
	complain_fault(debug_path(origin), sum.damage.section, &sum.damage.fault, NULL);
}

static enum cairn_status read_all(struct work *work, struct worker *worker, size_t count)
{
	if (!begin_workers(work, worker, count))
		return CAIRN_NO_MEMORY;
	if (work->origin->elf->program)
		run_all(worker, count);
	enum cairn_status status = (enum cairn_status)atomic_load(&work->failed);
	if (status != CAIRN_OK)
		return status;
	if (!join_ranges(worker, count))
		return CAIRN_NO_MEMORY;
	status = read_symbols(work, worker);
	if (status == CAIRN_OK)
		sum_up(work->origin);
	return status;
}

/* Symbols and DWARF are opened when they are read: whoever has the result already needs neither. */
static bool prepare(struct origin *origin)
{
	if (!origin->elf->prepared)
		origin->elf->prepared = read_aliases(origin) && open_program(origin);
	return origin->elf->prepared;
}

enum cairn_status origin_elf_read(struct origin *origin, const struct origin_takers *takers)
{
	if (!prepare(origin))
		return CAIRN_UNREADABLE; /* a message was printed */
	struct work work = { .origin = origin, .takers = takers };
	struct program *program = origin->elf->program;
	size_t units = program ? program_units(program) : 0;
	size_t count = origin->options.jobs < units ? (size_t)origin->options.jobs : units;
	struct worker *worker = calloc(count ? count : 1, sizeof(*worker));

	free_readers(origin->elf);
	if (!worker)
		return CAIRN_NO_MEMORY;
	enum cairn_status status = read_all(&work, worker, count ? count : 1);
	for (size_t i = 0; i < count || i < 1; i++)
		free(worker[i].range);
	free(worker);
	return status;
}

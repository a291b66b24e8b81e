/* SPDX-License-Identifier: MIT */
/*
 * Reads functions from ELF files. Several threads read the units of DWARF; then .gopclntab, in Go
 * programs, and the symbol tables supply the functions that DWARF lacks. Symbols for which some
 * unit has line rows are deferred until all symbols have been read. Then each line table is read
 * once, by several threads, and only the rows that these symbols need are kept.
 */
#include "elf_source.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "base/threads.h"
#include "debuginfo/code_symbols.h"
#include "debuginfo/unpack.h"
#include "os/symbol_path.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	GO_UNIT = INT32_MAX - 1,
	SYMBOLS_UNIT = INT32_MAX,
};

static struct cairn_bytes choose_debug_bytes(const struct cairn_functions *origin)
{
	const struct separate_debug_files *separate = &origin->elf->separate;

	return separate->debug.path[0] ? separate->debug.file.bytes : origin->file.bytes;
}

static const char *elf_source_debug_path(const struct cairn_functions *origin)
{
	const struct separate_debug_files *separate = &origin->elf->separate;

	return separate->debug.path[0] ? separate->debug.path : origin->path;
}

static void format_section_name(struct cairn_bytes text, uint32_t index, char name[64])
{
	size_t size = text.size < 63 ? text.size : 63;

	if (size == 0)
		snprintf(name, 64, "section %" PRIu32, index);
	for (size_t i = 0; i < size; i++) {
		name[i] = (char)(text.data[i] > ' ' && text.data[i] < 0x7f ? text.data[i] : '?');
		name[i + 1] = '\0';
	}
}

bool elf_source_check_whole(const char *path, struct cairn_bytes bytes, struct cairn_error *error)
{
	struct cairn_fault fault;
	struct elf_section section;
	struct elf elf;
	char name[64];

	if (elf_open(bytes, &elf, &fault) != CAIRN_OK) {
		error_set_fault(error, path, NULL, &fault, NULL);
		return false;
	}
	for (uint32_t i = 0; i < elf.sections || (elf.sections == 0 && elf.sections_at); i++) {
		bool there = elf_section(&elf, i, &section);
		if (there && (section.type == ELF_SHT_NOBITS || section.index == 0 ||
		              section.size == 0 || elf_section_bytes(&elf, &section).size > 0))
			continue;
		if (there)
			format_section_name(section.name, i, name);
		fault = (struct cairn_fault){ CAIRN_TRUNCATED,
			                      there ? section.offset : elf.sections_at,
			                      "extends past the end of the file; begins" };
		error_set_fault(error, path, there ? name : "section headers", &fault, NULL);
		return false;
	}
	return true;
}

static bool parse_elf(const char *path, struct cairn_bytes bytes, struct elf *elf,
                      struct cairn_error *error)
{
	struct cairn_fault fault;

	if (elf_open(bytes, elf, &fault) == CAIRN_OK)
		return true;
	error_set_fault(error, path, NULL, &fault, "expected an ELF file");
	return false;
}

bool elf_source_check_linked(const char *path, const struct elf *elf, struct cairn_error *error)
{
	if (elf->type != ELF_TYPE_REL || elf_has_one_text(elf))
		return true;
	error_set(error, CAIRN_UNSUPPORTED, path,
	          "is a relocatable file with several code sections at overlapping addresses; link "
	          "the file first");
	return false;
}

static bool read_elf_facts(struct cairn_functions *origin)
{
	struct elf_segment segment;
	struct elf elf;

	if (!parse_elf(origin->path, origin->file.bytes, &elf, origin->error))
		return false;
	origin->build_id = elf_build_id(&elf);
	origin->big = elf.big;
	/*
	 * relocatable files, which have no segments, keep this value; writers then use the start of
	 * the first function
	 */
	origin->base = UINT64_MAX;
	for (uint32_t i = 0; i < elf.segments; i++)
		if (elf_segment(&elf, i, &segment) && segment.type == ELF_PT_LOAD &&
		    segment.va < origin->base)
			origin->base = segment.va;
	return elf_source_check_linked(origin->path, &elf, origin->error);
}

static void report_missing_alt(const struct cairn_functions *origin)
{
	const struct separate_debug_files *h = &origin->elf->separate;
	char hex[BUILD_ID_TEXT_MAX], where[BUILD_ID_PATH_MAX], why[BUILD_ID_PATH_MAX + 400];

	if (!build_id_text(h->alt_id, hex) ||
	    !build_id_path(where, sizeof(where), "DIR", 3, h->alt_id, "debug"))
		snprintf(why, sizeof(why),
		         "the alternate file (dwz) is missing, so its names and lines are omitted");
	else
		snprintf(why, sizeof(why),
		         "the alternate file (dwz) with build ID %s is missing, so its names and "
		         "lines are omitted; \"gsym create\" and \"symbfile create\" take "
		         "%s with --directory DIR",
		         hex, where);
	message_tell_word(origin, CAIRN_MESSAGE_NOTE, elf_source_debug_path(origin),
	                  (const char *)h->alt_name.data, why);
}

static void report_debug_files(const struct cairn_functions *origin)
{
	const struct separate_debug_files *h = &origin->elf->separate;

	if (h->refused[0] && !h->debug.path[0])
		message_tell(origin, CAIRN_MESSAGE_NOTE, h->refused, "ignored: from another build");
	if (h->debug_name && !h->debug.path[0]) {
		char paths[SEPARATE_DEBUG_FILES_LIST_MAX];
		separate_debug_files_list_absent(h, paths);
		message_tell_word(origin, CAIRN_MESSAGE_NOTE, origin->path, paths,
		                  SEPARATE_DEBUG_FILES_ABSENT);
	}
	if (h->wants_alt && !h->alt.path[0])
		report_missing_alt(origin);
	if (h->debug.path[0])
		message_tell(origin, CAIRN_MESSAGE_DETAIL, origin->path, "with %s", h->debug.path);
	if (h->alt.path[0])
		message_tell(origin, CAIRN_MESSAGE_DETAIL, origin->path, "with %s", h->alt.path);
}

static bool report_symbol_fault(const struct cairn_functions *origin, const char *where,
                                enum cairn_status status, const struct cairn_fault *fault)
{
	if (status == CAIRN_NO_MEMORY)
		error_set_memory(origin->error, origin->path);
	else if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		message_tell_fault(origin, CAIRN_MESSAGE_NOTE, origin->path, where, fault, NULL);
	return status != CAIRN_NO_MEMORY;
}

/*
 * Open the symbol file named by the user. If both this file and the program have a build ID, the
 * two IDs must be equal. Returns false and sets the origin's error on failure.
 */
static bool open_given_symbols(struct cairn_functions *origin)
{
	const char *path = origin->options.symbols;
	struct elf elf;

	if (!path)
		return true;
	if (function_source_open_file(&origin->options, path, &origin->elf->symbols,
	                              origin->error) != CAIRN_OK ||
	    !parse_elf(path, origin->elf->symbols.bytes, &elf, origin->error))
		return false;
	const struct cairn_bytes id = elf_build_id(&elf), own = origin->build_id;
	if (id.size == 0 || own.size == 0 || bytes_equal(id, own))
		return elf_source_check_whole(path, origin->elf->symbols.bytes, origin->error);
	error_set(origin->error, CAIRN_MISMATCH, path, "does not belong to the same build as %s",
	          origin->path);
	return false;
}

static bool read_given_symbols(struct cairn_functions *origin)
{
	struct elf_source *elf = origin->elf;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status =
		aliases_read(&elf->aliases, elf->symbols.bytes, ALIASES_SYMTAB, &fault);

	aliases_sort(&elf->aliases);
	if (status == CAIRN_NOT_FOUND)
		message_tell(origin, CAIRN_MESSAGE_NOTE, origin->options.symbols,
		             "contains no .symtab");
	return report_symbol_fault(origin, "symbols", status, &fault);
}

/*
 * Read .symtab from the program or the debug file. Without .symtab, read .dynsym and
 * .gnu_debugdata.
 */
static bool read_aliases(struct cairn_functions *origin)
{
	struct elf_source *elf = origin->elf;
	struct cairn_bytes own = origin->file.bytes, debug = choose_debug_bytes(origin);
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status;
	bool ok = true;

	if (origin->options.symbols)
		return read_given_symbols(origin);
	status = aliases_read(&elf->aliases, own, ALIASES_SYMTAB, &fault);
	if (elf->aliases.count == 0 && debug.data != own.data)
		status = aliases_read(&elf->aliases, debug, ALIASES_SYMTAB, &fault);
	if (elf->aliases.count == 0) {
		status = aliases_read(&elf->aliases, own, ALIASES_DYNSYM, &fault);
		/* also read .gnu_debugdata, which distributions add to stripped programs */
		struct cairn_fault mini = { CAIRN_OK, 0, NULL };
		size_t size = 0;
		enum cairn_status unpacked = minidebug_read(own, &elf->minidebug, &size, &mini);
		if (unpacked == CAIRN_OK)
			unpacked = aliases_read(&elf->aliases,
			                        (struct cairn_bytes){ elf->minidebug, size },
			                        ALIASES_SYMTAB, &mini);
		ok = report_symbol_fault(origin, ".gnu_debugdata", unpacked, &mini);
	}
	aliases_sort(&elf->aliases);
	return report_symbol_fault(origin, "symbols", status, &fault) && ok;
}

static struct cairn_bytes find_split(void *context, struct cairn_bytes directory,
                                     struct cairn_bytes name, uint64_t id)
{
	(void)id;
	return separate_debug_files_dwo(context, directory, name);
}

/*
 * Parameters and result of program_open(), which may run on another thread while symbols are read.
 * Errors are reported after both have finished.
 */
struct opening {
	struct program_input input;
	struct program *program;
	struct program_damage damage;
	enum cairn_status status;
};

static void *run_opening(void *context)
{
	struct opening *opening = context;

	opening->status = program_open(&opening->input, &opening->program, &opening->damage);
	return NULL;
}

static bool open_both(struct cairn_functions *origin)
{
	struct elf_source *elf = origin->elf;
	struct opening opening = { .input = { .debug = choose_debug_bytes(origin),
		                              .alt = elf->separate.alt.file.bytes,
		                              .split = { find_split, &elf->separate,
		                                         elf->separate.package.file.bytes },
		                              .aliases = &elf->aliases,
		                              .call_sites = origin->options.calls,
		                              .every_row = origin->options.statements,
		                              .columns = origin->columns,
		                              .mapped = origin->file.mapped,
		                              .threads = origin->options.jobs } };
	pthread_t thread;
	const bool beside = origin->options.jobs > 1 &&
	                    pthread_create(&thread, NULL, run_opening, &opening) == 0;
	const bool has_aliases = read_aliases(origin);

	if (beside)
		pthread_join(thread, NULL);
	else if (has_aliases)
		run_opening(&opening);
	elf->program = opening.program;
	if (!has_aliases || opening.status == CAIRN_OK || opening.status == CAIRN_NOT_FOUND)
		return has_aliases;
	error_set_fault(origin->error, elf_source_debug_path(origin), opening.damage.section,
	                &opening.damage.fault, NULL);
	return false;
}

static bool open_go(struct cairn_functions *origin)
{
	struct elf_source *elf = origin->elf;
	struct cairn_fault fault;
	enum cairn_status status = go_program_open(origin->file.bytes, &elf->go, &fault);

	elf->has_go = status == CAIRN_OK;
	if (status == CAIRN_OK || status == CAIRN_NOT_FOUND)
		return true;
	if (status == CAIRN_NO_MEMORY)
		error_set_memory(origin->error, origin->path);
	else
		message_tell_fault(origin, CAIRN_MESSAGE_NOTE, origin->path, NULL, &fault, NULL);
	return status != CAIRN_NO_MEMORY;
}

static void fetch_debug_file(struct cairn_functions *origin)
{
	const struct cairn_functions_options *options = &origin->options;
	struct separate_debug_files *separate = &origin->elf->separate;
	char path[SEPARATE_DEBUG_FILES_PATH_MAX];
	struct elf elf;

	if (!options->fetch || separate->debug.path[0] || !elf_opens(origin->file.bytes, &elf) ||
	    separate->has_dwarf)
		return;
	const struct cairn_bytes id = elf_build_id(&elf);
	if (id.size == 0 || !options->fetch(options->context, id, path, sizeof(path)))
		return;
	if (!separate_debug_files_give(separate, path, id))
		message_tell(origin, CAIRN_MESSAGE_DAMAGE, path,
		             "ignored: unreadable or from another build");
}

bool elf_source_open(struct cairn_functions *origin)
{
	struct elf_source *elf = calloc(1, sizeof(*elf));

	origin->elf = elf;
	if (!elf) {
		error_set_memory(origin->error, origin->path);
		return false;
	}
	const struct separate_debug_rules rules = { .directories = origin->options.directories,
		                                    .access = &origin->options.files };
	separate_debug_files_find_by(&elf->separate, origin->path, origin->file.bytes, &rules);
	fetch_debug_file(origin);
	const struct separate_debug_file *debug = &elf->separate.debug, *alt = &elf->separate.alt;
	if (elf_source_check_whole(origin->path, origin->file.bytes, origin->error) &&
	    read_elf_facts(origin) && open_given_symbols(origin) &&
	    (!debug->path[0] ||
	     elf_source_check_whole(debug->path, debug->file.bytes, origin->error)) &&
	    (!alt->path[0] || elf_source_check_whole(alt->path, alt->file.bytes, origin->error))) {
		report_debug_files(origin);
		return true;
	}
	return false;
}

static void elf_source_free_readers(struct elf_source *elf)
{
	for (size_t i = 0; i < elf->readers; i++)
		program_reader_free(elf->reader[i]);
	free(elf->reader);
	elf->reader = NULL;
	elf->readers = 0;
}

void elf_source_close(struct cairn_functions *origin)
{
	struct elf_source *elf = origin->elf;

	if (!elf)
		return;
	origin->elf = NULL;
	elf_source_free_readers(elf);
	if (elf->has_go) {
		go_functions_free(elf->go_functions);
		go_program_close(&elf->go);
	}
	program_close(elf->program);
	aliases_finish(&elf->aliases);
	free(elf->minidebug);
	os_file_close(&elf->symbols);
	separate_debug_files_finish(&elf->separate);
	free(elf);
}

struct work {
	struct cairn_functions *origin;
	const struct function_source_sinks *sinks;
	struct recorded_functions *given;
	/* index of the next unit to read, and status of a failed read (otherwise CAIRN_OK) */
	atomic_size_t next, failed;
};

struct worker {
	struct work *work;
	unsigned number;
	struct program_reader *reader;
	struct function_sink sink;
	struct cairn_range *range;
	size_t ranges, capacity;
	pthread_t thread;
};

static enum cairn_status forward_function(void *context, const struct function *function)
{
	struct worker *w = context;

	if (!ARRAY_APPEND(
		    w->range, w->ranges, w->capacity,
		    (struct cairn_range){ function->start, function->start + function->size }))
		return CAIRN_NO_MEMORY;
	return w->sink.take(w->sink.context, function);
}

static void *run_worker(void *context)
{
	struct worker *w = context;
	struct work *work = w->work;
	const struct function_source_sinks *sinks = work->sinks;
	struct function_sink sink = { forward_function, w };
	size_t units = program_units(work->origin->elf->program);

	for (size_t unit; (unit = atomic_fetch_add(&work->next, 1)) < units;) {
		if (w->number == 0 && !function_source_continue(work->origin, unit, units))
			atomic_store(&work->failed, CAIRN_CANCELLED);
		sinks->unit(sinks->context, w->number, (uint32_t)unit);
		enum cairn_status status = program_read(w->reader, unit, &sink);
		if (status != CAIRN_OK)
			atomic_store(&work->failed, (size_t)status);
		if (atomic_load(&work->failed) != CAIRN_OK)
			break;
	}
	return NULL;
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
		if (!work->sinks->sink(work->sinks->context, w->number, &w->sink))
			return false;
	}
	return true;
}

/* Append the function ranges that the other workers collected to the first worker's array. */
static bool join_ranges(struct worker *worker, size_t count)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += worker[i].ranges;
	if (count == 1 || all == 0)
		return true;
	if (!array_grow(&worker->range, &worker->capacity, all, sizeof(*worker->range)))
		return false;
	for (size_t i = 1; i < count; i++) {
		if (worker[i].ranges)
			memcpy(worker->range + worker->ranges, worker[i].range,
			       worker[i].ranges * sizeof(*worker->range));
		worker->ranges += worker[i].ranges;
	}
	return true;
}

struct waiting {
	struct cairn_range range;
	struct cairn_bytes name;
	size_t unit;
};

struct reading {
	struct program *program;
	struct worker *worker;
	struct waiting *waiting;
	size_t count, capacity;
	/*
	 * for each unit with deferred symbols, the index of its first symbol in `waiting`; the last
	 * element is the number of symbols
	 */
	size_t *group;
	size_t groups;
	/*
	 * index of the next group of symbols to read, and status of a failed read (otherwise
	 * CAIRN_OK)
	 */
	atomic_size_t next, failed;
	atomic_size_t started;
};

static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct reading *r = context;
	const struct cairn_range range = { function->start, function->start + function->size };
	size_t unit = SIZE_MAX;

	if (r->program && function->size > 0 && !program_find_rows(r->program, range, &unit))
		return CAIRN_NO_MEMORY;
	if (unit == SIZE_MAX)
		return r->worker->sink.take(r->worker->sink.context, function);
	if (!array_grow(&r->waiting, &r->capacity, r->count + 1, sizeof(*r->waiting)))
		return CAIRN_NO_MEMORY;
	r->waiting[r->count++] = (struct waiting){ range, function->name, unit };
	return CAIRN_OK;
}

static int compare_waiting(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	return ORDER_BY(a->unit, b->unit, range_compare(&a->range, &b->range));
}

static enum cairn_status give_with_rows(const struct worker *worker, const struct waiting *waiting)
{
	struct function function = { .start = waiting->range.low,
		                     .size = waiting->range.high - waiting->range.low,
		                     .name = waiting->name,
		                     .source = FUNCTION_SYMBOL };
	const enum cairn_status status = program_rows_of(worker->reader, waiting->unit, &function);

	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return status;
	return worker->sink.take(worker->sink.context, &function);
}

static void *run_groups(void *context)
{
	struct reading *r = context;
	const struct worker *worker = &r->worker[atomic_fetch_add(&r->started, 1)];

	for (size_t group; (group = atomic_fetch_add(&r->next, 1)) < r->groups;)
		for (size_t i = r->group[group]; i < r->group[group + 1]; i++) {
			const enum cairn_status status = give_with_rows(worker, &r->waiting[i]);
			if (status != CAIRN_OK)
				atomic_store(&r->failed, (size_t)status);
			if (atomic_load(&r->failed) != CAIRN_OK)
				return NULL;
		}
	return NULL;
}

/* Read the line tables for deferred symbols, keeping only the rows that the symbols need. */
static enum cairn_status read_waiting(struct reading *r, size_t count)
{
	struct cairn_range *range = malloc(r->count * sizeof(*range));

	r->group = malloc((r->count + 1) * sizeof(*r->group));
	if (!range || !r->group) {
		free(range);
		return CAIRN_NO_MEMORY;
	}
	for (size_t i = 0; i < r->count; i++)
		range[i] = r->waiting[i].range;
	const size_t ranges = range_merge(range, r->count);
	qsort(r->waiting, r->count, sizeof(*r->waiting), compare_waiting);
	for (size_t i = 0; i < r->count; i++)
		if (i == 0 || r->waiting[i].unit != r->waiting[i - 1].unit)
			r->group[r->groups++] = i;
	r->group[r->groups] = r->count;
	for (size_t i = 0; i < count; i++)
		program_ask_rows(r->worker[i].reader, range, ranges);
	threads_run(count < r->groups ? count : r->groups, run_groups, r);
	for (size_t i = 0; i < count; i++)
		program_ask_rows(r->worker[i].reader, NULL, 0);
	free(range);
	return (enum cairn_status)atomic_load(&r->failed);
}

/*
 * Read the symbols for code that no function contains yet. Call this after join_ranges(), because
 * the first worker must have the ranges of all functions emitted so far.
 */
static enum cairn_status read_symbols(const struct work *work, struct worker *worker, size_t count)
{
	struct cairn_functions *origin = work->origin;
	struct reading reading = { .program = origin->elf->program, .worker = worker };
	struct code_symbols symbols = { .aliases = &origin->elf->aliases,
		                        .known = worker->range,
		                        .known_count = worker->ranges,
		                        .folded = origin->options.merged };
	const struct function_sink sink = { take_symbol, &reading };

	for (size_t i = 0; i < count; i++)
		work->sinks->unit(work->sinks->context, (unsigned)i, SYMBOLS_UNIT);
	enum cairn_status status = code_symbols_emit(&symbols, origin->file.bytes, &sink);
	if (status == CAIRN_OK && reading.count > 0)
		status = read_waiting(&reading, count);
	function_source_add_drop(origin, "labels inside of functions", symbols.labels);
	function_source_add_drop(origin, "symbols outside of sections with code", symbols.outside);
	free(reading.waiting);
	free(reading.group);
	return status;
}

/* Emit the functions in .gopclntab that begin outside all functions emitted so far. */
static enum cairn_status read_unknown_go(struct elf_source *elf, struct worker *worker)
{
	const struct function_sink sink = { forward_function, worker };
	const struct gopclntab *table = &elf->go.table;
	const size_t count = worker->ranges;
	struct gopclntab_function function;
	enum cairn_status status = CAIRN_OK;
	uint64_t reach = 0;
	size_t at = 0;

	if (count)
		qsort(worker->range, count, sizeof(*worker->range), range_compare);
	for (uint64_t i = 0; i < table->functions && status == CAIRN_OK; i++) {
		if (!gopclntab_read_function(table, i, &function))
			continue;
		for (; at < count && worker->range[at].low <= function.start; at++)
			reach = worker->range[at].high > reach ? worker->range[at].high : reach;
		if (function.start >= reach)
			status = go_functions_read(elf->go_functions, i, &sink);
	}
	return status;
}

static enum cairn_status read_go(const struct work *work, struct worker *worker)
{
	struct cairn_functions *origin = work->origin;
	struct elf_source *elf = origin->elf;

	if (!elf->has_go)
		return CAIRN_OK;
	work->sinks->unit(work->sinks->context, 0, GO_UNIT);
	go_functions_free(elf->go_functions);
	elf->go_functions = go_functions_new(&elf->go);
	if (!elf->go_functions)
		return CAIRN_NO_MEMORY;
	const enum cairn_status status = read_unknown_go(elf, worker);
	function_source_add_drop(origin, "damaged functions of Go's table",
	                         go_functions_damaged(elf->go_functions));
	if (status == CAIRN_OK && go_functions_exhausted(elf->go_functions)) {
		message_tell(origin, CAIRN_MESSAGE_DAMAGE, origin->path,
		             "reading Go's function table exceeds the work limit; the remaining "
		             "functions are omitted");
		origin->damaged = true;
	}
	return status;
}

static void report_losses(const struct work *work, enum cairn_status status)
{
	struct cairn_functions *origin = work->origin;
	struct elf_source *elf = origin->elf;
	struct program_summary sum = { .units = 0 };

	for (size_t i = 0; i < elf->readers && elf->program; i++)
		program_add_summary(elf->reader[i], &sum);
	if (work->given)
		sum.dropped[PROGRAM_DROP_INLINE] += recorded_functions_lost(work->given);
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
	if (work->origin->elf->program) {
		/*
		 * number of running workers, which is smaller than `count` if the system refuses to
		 * create more threads
		 */
		size_t started = 1;
		while (started < count && pthread_create(&worker[started].thread, NULL, run_worker,
		                                         &worker[started]) == 0)
			started++;
		run_worker(&worker[0]);
		for (size_t i = 1; i < started; i++)
			pthread_join(worker[i].thread, NULL);
	}
	enum cairn_status status = (enum cairn_status)atomic_load(&work->failed);
	if (status == CAIRN_OK && !join_ranges(worker, count))
		status = CAIRN_NO_MEMORY;
	if (status == CAIRN_OK)
		status = read_go(work, worker);
	if (status == CAIRN_OK)
		status = read_symbols(work, worker, count);
	/* after MALFORMED, report_losses() sets an error that gives the location of the damage */
	if (status == CAIRN_OK || status == CAIRN_MALFORMED)
		report_losses(work, status);
	return status;
}

enum cairn_status elf_source_read(struct cairn_functions *origin,
                                  const struct function_source_sinks *sinks)
{
	if (!origin->elf->prepared)
		origin->elf->prepared = open_both(origin) && open_go(origin);
	if (!origin->elf->prepared)
		return origin->error->status;
	struct work work = { .origin = origin, .sinks = sinks };
	struct program *program = origin->elf->program;
	size_t units = program ? program_units(program) : 0;
	size_t count = origin->options.jobs < units ? origin->options.jobs : units;
	struct worker *worker = calloc(count ? count : 1, sizeof(*worker));

	elf_source_free_readers(origin->elf);
	work.given = sinks->once ? recorded_functions_new(count) : NULL;
	if (!worker || (sinks->once && !work.given)) {
		free(worker);
		return CAIRN_NO_MEMORY;
	}
	enum cairn_status status = read_units_and_symbols(&work, worker, count ? count : 1);
	recorded_functions_free(work.given);
	for (size_t i = 0; i < count || i < 1; i++)
		free(worker[i].range);
	free(worker);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Files of symbols as a source of a symbolizer: GSYM, Breakpad, symbfiles, Go's tables; or symbols that a host opened. */
#include "symbolizer.h"

#include "base/array_grow.h"
#include "os/module/symbol_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	FOUND_MAX =
		1 << 16,   /* locations of one address, with those of functions of the same code */
	WORTH_SORTING = 8, /* addresses that are looked up together */
};

/* The symbols of a module, and what their locations are collected in. */
struct symbol_file {
	struct cairn_symbol_file *file; /* NULL: a host opened the symbols */
	struct cairn_symbols *symbols,
		*own;    /* own: to be freed; NULL: they belong to the file, or the host */
	uint64_t lowest; /* va from which the file counts */
	struct cairn_location *locations;
	size_t room;
};

struct cairn_symbols *symbolizer_opened_symbols(void *opened)
{
	return ((struct symbol_file *)opened)->symbols;
}

bool symbolizer_opened_conversion(const void *opened)
{
	const struct symbol_file *file = opened;

	return file->file && symbol_file_is_conversion(file->file);
}

/* Where the module begins, from which Breakpad counts.  False: nobody knows. */
static bool find_lowest(struct cairn_symbol_search *search, const struct cairn_symbols *symbols,
                        uint64_t *lowest)
{
	const struct cairn_symbolizer_options *options = search->options;
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct cairn_open_file debug;

	*lowest = 0;
	if (cairn_symbols_format(symbols) != CAIRN_SYMBOLS_BREAKPAD)
		return true;
	if (options->place && !search->module->has_lowest)
		search->file(search, CAIRN_FILE_DEBUG, none, none, &debug);
	*lowest = search->module->lowest;
	return search->module->has_lowest || !options->place ||
	       options->place(options->place_context, search->module, symbols, lowest);
}

static enum cairn_status make_opened_file(struct cairn_symbol_search *search,
                                          struct cairn_symbols *symbols, void **opened)
{
	uint64_t lowest;

	if (!find_lowest(search, symbols, &lowest))
		return CAIRN_NOT_FOUND;
	struct symbol_file *made = calloc(1, sizeof(*made));
	if (!made)
		return CAIRN_NO_MEMORY;
	*made = (struct symbol_file){ .symbols = symbols, .lowest = lowest };
	*opened = made;
	return CAIRN_OK;
}

enum cairn_status symbolizer_take_symbols(struct cairn_symbol_search *search,
                                          struct cairn_symbols *symbols, void **opened)
{
	const enum cairn_status status = make_opened_file(search, symbols, opened);

	if (status == CAIRN_OK)
		((struct symbol_file *)*opened)->own = symbols;
	else
		cairn_symbols_free(symbols);
	return status;
}

static void report_file(const struct cairn_symbol_search *search, const char *path)
{
	struct stat about;

	if (stat(path, &about) == 0)
		module_files_report(search->context, path, (uint64_t)about.st_size);
}

static enum cairn_status open_symbol_file_of(void *context, struct cairn_symbol_search *search,
                                             void **opened, struct cairn_fault *fault)
{
	const struct cairn_symbol_module *module = search->module;
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct symbol_file_rules rules = { search->options->folders, search->options->no_cache,
		                           search->options->no_system_folders, CAIRN_NO_BYTES };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_open_file program = { .path = NULL };
	struct cairn_symbol_file *file;
	struct cairn_error refused;

	(void)context;
	if (search->file(search, CAIRN_FILE_PROGRAM, none, none, &program) && program.path)
		rules.program = program.bytes;
	const char *path = program.path ? program.path : module->path ? module->path : "/";
	options.build_id = module->build_id;
	enum cairn_status status = symbol_file_search(path, &rules, &options, &file, &refused);
	if (status != CAIRN_OK && refused.status == CAIRN_MISMATCH)
		module_files_note_missing(search->context, CAIRN_MISSING_BUILD);
	if (status != CAIRN_OK) {
		*fault = (struct cairn_fault){ refused.status, refused.offset,
			                       cairn_status_text(refused.status) };
		return status;
	}
	status = make_opened_file(search, cairn_symbol_file_symbols(file), opened);
	if (status != CAIRN_OK) {
		cairn_symbol_file_close(file);
		return status;
	}
	((struct symbol_file *)*opened)->file = file;
	report_file(search, cairn_symbol_file_path(file));
	return CAIRN_OK;
}

static enum cairn_status open_lent_symbols(void *context, struct cairn_symbol_search *search,
                                           void **opened, struct cairn_fault *fault)
{
	(void)fault;
	return make_opened_file(search, context, opened);
}

void symbolizer_close_symbols(void *opened)
{
	struct symbol_file *file = opened;

	cairn_symbol_file_close(file->file);
	cairn_symbols_free(file->own);
	free(file->locations);
	free(file);
}

/* More locations of one answer than that are left out. */
static size_t collect_function(struct symbol_file *file, struct cairn_lookup_result *answer,
                               size_t count)
{
	while (count < FOUND_MAX &&
	       array_grow(&file->locations, &file->room, count + 1, sizeof(*file->locations)) &&
	       cairn_lookup_result_next(answer, &file->locations[count]))
		count++;
	return count;
}

static void find_one(struct symbol_file *file, uint64_t va, size_t index,
                     const struct cairn_symbol_taker *taker)
{
	struct cairn_lookup_result answer;
	struct cairn_symbol_found found = { .count = 0 };

	if (cairn_symbols_find(file->symbols, va, &answer) == CAIRN_OK)
		found.count = found.all = collect_function(file, &answer, 0);
	/* damage of folded functions is none of the function's own */
	const struct cairn_fault fault = answer.fault;
	while (found.count > 0 && cairn_lookup_result_next_folded(&answer))
		found.all = collect_function(file, &answer, found.all);
	found.locations = file->locations;
	found.fault = fault.status != CAIRN_OK && fault.status != CAIRN_NOT_FOUND ? &fault : NULL;
	if (found.count > 0 || found.fault)
		taker->take(taker->context, index, &found);
}

/* Each function is decoded once for all of the addresses in it. */
static void find_sorted(struct symbol_file *file, const uint64_t *vas, size_t count,
                        const struct cairn_symbol_taker *taker)
{
	struct cairn_batch batch;

	if (cairn_symbols_find_many(file->symbols, vas, count, &batch) != CAIRN_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct cairn_batch_item *item = &batch.items[i];
		const enum cairn_status status = item->fault.status;
		const struct cairn_symbol_found found = {
			.locations = batch.locations + item->first,
			.count = item->count,
			.all = item->count,
			.fault = status != CAIRN_OK && status != CAIRN_NOT_FOUND ? &item->fault
			                                                         : NULL
		};
		if (item->has_folded)
			find_one(file, vas[i], i, taker);
		else if (found.count > 0 || found.fault)
			taker->take(taker->context, i, &found);
	}
	cairn_batch_free(&batch);
}

void symbolizer_find_symbols(void *opened, const uint64_t *vas, size_t count,
                             const struct cairn_symbol_taker *taker)
{
	struct symbol_file *file = opened;

	if (file->lowest == 0 && count >= WORTH_SORTING) {
		find_sorted(file, vas, count, taker);
		return;
	}
	for (size_t i = 0; i < count; i++)
		find_one(file, vas[i] - file->lowest, i, taker);
}

static const char *find_file_path(const void *opened)
{
	const struct symbol_file *file = opened;

	return file->file ? cairn_symbol_file_path(file->file) : NULL;
}

const struct cairn_symbol_source symbolizer_symbol_files = { .size = sizeof(
								     symbolizer_symbol_files),
	                                                     .rank = 100,
	                                                     .name = "symbols",
	                                                     .open = open_symbol_file_of,
	                                                     .find = symbolizer_find_symbols,
	                                                     .close = symbolizer_close_symbols,
	                                                     .path = find_file_path };

void cairn_symbols_as_source(struct cairn_symbols *symbols, unsigned rank,
                             struct cairn_symbol_source *source)
{
	*source = symbolizer_symbol_files;
	source->rank = rank;
	source->context = symbols;
	source->open = open_lent_symbols;
}

static enum cairn_status open_go_table(void *context, struct cairn_symbol_search *search,
                                       void **opened, struct cairn_fault *fault)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_open_file program;
	struct cairn_symbols *symbols;

	(void)context;
	options.format = CAIRN_SYMBOLS_GO;
	if (!search->file(search, CAIRN_FILE_PROGRAM, none, none, &program))
		return CAIRN_NOT_FOUND;
	const enum cairn_status status =
		cairn_symbols_open(program.bytes, &options, &symbols, fault);
	return status == CAIRN_OK ? symbolizer_take_symbols(search, symbols, opened) : status;
}

const struct cairn_symbol_source symbolizer_go_table = { .size = sizeof(symbolizer_go_table),
	                                                 .rank = SYMBOLIZER_LATE,
	                                                 .name = "go",
	                                                 .open = open_go_table,
	                                                 .find = symbolizer_find_symbols,
	                                                 .close = symbolizer_close_symbols };

/* SPDX-License-Identifier: MIT */
/*
 * Opens symbol files (GSYM, Breakpad, symbfile, Go tables) by path or through the search of
 * cairn_symbols_search(). Makes them, or symbols that a host has opened, available as sources of
 * a symbolizer.
 */
#include "symbolizer.h"
#include "symbols.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "locate/symbol_files.h"
#include "os/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	/*
	 * maximum number of locations at one address, including functions folded into the same code
	 */
	FOUND_MAX = 1 << 16,
	WORTH_SORTING = 8, /* minimum number of addresses for which sorting pays off */
};

struct symbols_file {
	struct os_file file; /* empty if the functions have been read into memory */
	char path[];
};

static void close_file(struct symbols_file *file)
{
	os_file_close(&file->file);
	free(file);
}

/*
 * Open a file like cairn_symbols_open(). On failure, *system is the errno value if the file cannot be
 * read, otherwise 0.
 */
static enum cairn_status open_file(const char *path, const struct cairn_symbols_options *options,
                                   struct cairn_symbols **symbols, struct cairn_fault *fault,
                                   int *system)
{
	const size_t length = strlen(path);
	struct symbols_file *file = calloc(1, sizeof(*file) + length + 1);

	*system = 0;
	if (!file)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	memcpy(file->path, path, length);
	*system = os_file_open_regular(path, &file->file);
	if (*system) {
		free(file);
		return fault_set(fault, CAIRN_UNREADABLE, "cannot be read");
	}
	const enum cairn_status status =
		cairn_symbols_open_bytes(file->file.bytes, options, symbols, fault);
	if (status != CAIRN_OK) {
		close_file(file);
		return status;
	}
	if ((*symbols)->format != CAIRN_SYMBOLS_GSYM) {
		os_file_close(&file->file);
		file->file = (struct os_file){ .bytes = { NULL, 0 } };
	}
	(*symbols)->file = file;
	(*symbols)->close_file = close_file;
	return CAIRN_OK;
}

enum cairn_status cairn_symbols_open(const char *path, const struct cairn_symbols_options *options,
                                     struct cairn_symbols **symbols, struct cairn_error *error)
{
	struct cairn_fault fault;
	int system;
	const enum cairn_status status = open_file(path, options, symbols, &fault, &system);

	if (system)
		return error_set_unreadable(error, system, path);
	return status == CAIRN_OK ? status : error_set_fault(error, path, NULL, &fault, NULL);
}

const char *cairn_symbols_path(const struct cairn_symbols *symbols)
{
	return symbols->file ? symbols->file->path : NULL;
}

/*
 * The last file that a search has rejected. Searches do not set a struct cairn_error until they fail,
 * because the strings of the thread's last error belong to the host.
 */
struct refusal {
	struct cairn_fault fault;
	char path[ERROR_PATH];
};

/*
 * Open a candidate and check that it belongs to the binary, because a file of unknown origin may
 * claim any build ID. Returns NOT_FOUND to continue the search, and sets *refused if the file does
 * not belong to the binary.
 */
static enum cairn_status try_candidate(const struct symbol_files *candidate,
                                       const struct cairn_symbols_options *options,
                                       struct cairn_symbols **symbols, struct refusal *refused)
{
	struct cairn_symbols_options wanted = *options;
	struct cairn_fault fault;
	int system;

	if (candidate->kind == SYMBOL_FILES_ANY_BUILD)
		wanted.build_id.size = 0;
	if (candidate->kind == SYMBOL_FILES_GO_TABLE)
		wanted.format = CAIRN_SYMBOLS_GO;
	enum cairn_status status = open_file(candidate->path, &wanted, symbols, &fault, &system);
	if (status == CAIRN_OK) {
		status = os_cache_origin_check((*symbols)->file->file.bytes, candidate->binary,
		                               &fault);
		if (status == CAIRN_OK)
			return status;
		cairn_symbols_free(*symbols);
		*symbols = NULL;
	}
	if (!system) {
		refused->fault = fault;
		snprintf(refused->path, sizeof(refused->path), "%s", candidate->path);
	}
	return status == CAIRN_NO_MEMORY ? status : CAIRN_NOT_FOUND;
}

/*
 * Open the first candidate that belongs to the binary. *refused describes the last rejected file;
 * see cairn_symbols_search().
 */
static enum cairn_status search_symbols(struct symbol_files *candidates,
                                        const struct cairn_symbols_options *given,
                                        struct cairn_symbols **symbols, struct refusal *refused)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	enum cairn_status status = CAIRN_NOT_FOUND;

	sized_take(&options, sizeof(options), given);
	bytes_fill(&options.build_id);
	options.format = CAIRN_SYMBOLS_GSYM;
	options.pid = 0;
	const bool has_id = options.build_id.size > 0;
	candidates->order = has_id ? symbol_files_all : symbol_files_nameless;
	candidates->build_id = options.build_id;
	refused->path[0] = '\0';
	refused->fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "no symbol file found" };
	while (status == CAIRN_NOT_FOUND && symbol_files_next(candidates))
		status = try_candidate(candidates, &options, symbols, refused);
	symbol_files_finish(candidates);
	return status;
}

enum cairn_status cairn_symbols_search(const char *binary, const char *directories,
                                       const struct cairn_symbols_options *options,
                                       struct cairn_symbols **symbols, struct cairn_error *error)
{
	struct symbol_files candidates = { .binary = binary, .directories = directories };
	struct refusal refused;
	const enum cairn_status status = search_symbols(&candidates, options, symbols, &refused);

	if (status == CAIRN_OK)
		return status;
	if (status == CAIRN_NOT_FOUND && refused.fault.status == status &&
	    !candidates.build_id.size)
		error_set(error, status, binary,
		          "cannot search for symbols: the program has no build ID");
	else
		error_set_fault(error, refused.path, NULL, &refused.fault, NULL);
	return status;
}

struct symbol_file {
	struct cairn_symbols *symbols;
	bool is_own; /* free the symbols on close, because no host owns them */
	/* the module's lowest address, to which addresses in the file are relative */
	uint64_t lowest;
	struct cairn_location *locations;
	size_t capacity;
};

struct cairn_symbols *symbolizer_opened_symbols(void *opened)
{
	return ((struct symbol_file *)opened)->symbols;
}

bool symbolizer_opened_conversion(const void *opened)
{
	const struct symbol_file *file = opened;
	struct os_cache_origin made;

	return file->symbols->file &&
	       os_cache_origin_read(file->symbols->file->file.bytes, &made) == CAIRN_OK;
}

/*
 * Find the module's lowest address, to which Breakpad addresses are relative. Returns false if it
 * is unknown.
 */
static bool find_lowest(struct cairn_symbol_search *search, const struct cairn_symbols *symbols,
                        uint64_t *lowest)
{
	const struct cairn_symbolizer_options *options = search->options;
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct cairn_open_file debug;

	*lowest = 0;
	if (cairn_symbols_format(symbols) != CAIRN_SYMBOLS_BREAKPAD)
		return true;
	if (options->find_lowest && !search->module->has_lowest)
		search->file(search, CAIRN_FILE_DEBUG, none, none, &debug);
	*lowest = search->module->lowest;
	return search->module->has_lowest || !options->find_lowest ||
	       options->find_lowest(options->find_lowest_context, search->module, symbols, lowest);
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

/*
 * Take ownership of `symbols` for a source. On success *opened owns them; on failure they are freed.
 */
static enum cairn_status take_symbols(struct cairn_symbol_search *search,
                                      struct cairn_symbols *symbols, void **opened)
{
	const enum cairn_status status = make_opened_file(search, symbols, opened);

	if (status == CAIRN_OK)
		((struct symbol_file *)*opened)->is_own = true;
	else
		cairn_symbols_free(symbols);
	return status;
}

static enum cairn_status open_symbol_file_of(void *context, struct cairn_symbol_search *search,
                                             void **opened, struct cairn_fault *fault)
{
	const struct cairn_symbol_module *module = search->module;
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct symbol_files candidates = { .directories = search->options->directories,
		                           .no_cache = search->options->skip & CAIRN_SKIP_CACHE,
		                           .no_system = search->options->skip & CAIRN_SKIP_SYSTEM };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_open_file program = { .path = NULL };
	struct cairn_symbols *symbols;
	struct refusal refused;
	struct stat about;

	(void)context;
	if (search->file(search, CAIRN_FILE_PROGRAM, none, none, &program) && program.path)
		candidates.program = program.bytes;
	candidates.binary = program.path ? program.path : module->path ? module->path : "/";
	options.build_id = module->build_id;
	enum cairn_status status = search_symbols(&candidates, &options, &symbols, &refused);
	if (status != CAIRN_OK && refused.fault.status == CAIRN_MISMATCH)
		((struct module_files *)search->context)->missing |= CAIRN_MISSING_BUILD;
	if (status != CAIRN_OK) {
		*fault = (struct cairn_fault){ refused.fault.status, refused.fault.offset,
			                       cairn_status_text(refused.fault.status) };
		return status;
	}
	status = take_symbols(search, symbols, opened);
	if (status == CAIRN_OK && stat(symbols->file->path, &about) == 0)
		module_files_report(search->context, symbols->file->path, (uint64_t)about.st_size);
	return status;
}

static enum cairn_status open_lent_symbols(void *context, struct cairn_symbol_search *search,
                                           void **opened, struct cairn_fault *fault)
{
	(void)fault;
	return make_opened_file(search, context, opened);
}

static void close_symbols(void *opened)
{
	struct symbol_file *file = opened;

	if (file->is_own)
		cairn_symbols_free(file->symbols);
	free(file->locations);
	free(file);
}

static size_t collect_function(struct symbol_file *file, struct cairn_lookup_result *answer,
                               size_t count)
{
	while (count < FOUND_MAX &&
	       array_grow(&file->locations, &file->capacity, count + 1, sizeof(*file->locations)) &&
	       cairn_lookup_result_next(answer, &file->locations[count]))
		count++;
	return count;
}

static void find_one(struct symbol_file *file, uint64_t va, size_t index,
                     const struct cairn_symbol_taker *sink)
{
	struct cairn_lookup_result answer;
	struct cairn_symbol_found found = { .count = 0 };

	if (cairn_symbols_find(file->symbols, va, &answer) == CAIRN_OK)
		found.count = found.all = collect_function(file, &answer, 0);
	/* save the fault, because damage in the folded functions must not affect this function */
	const struct cairn_fault fault = answer.fault;
	while (found.count > 0 && cairn_lookup_result_next_folded(&answer))
		found.all = collect_function(file, &answer, found.all);
	found.locations = file->locations;
	found.fault = fault.status != CAIRN_OK && fault.status != CAIRN_NOT_FOUND ? &fault : NULL;
	if (found.count > 0 || found.fault)
		sink->take(sink->context, index, &found);
}

/* Look up many addresses in ascending order, so that each function is decoded at most once. */
static void find_sorted(struct symbol_file *file, const uint64_t *vas, size_t count,
                        const struct cairn_symbol_taker *sink)
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
			find_one(file, vas[i], i, sink);
		else if (found.count > 0 || found.fault)
			sink->take(sink->context, i, &found);
	}
	cairn_batch_free(&batch);
}

static void find_symbols(void *opened, const uint64_t *vas, size_t count,
                         const struct cairn_symbol_taker *sink)
{
	struct symbol_file *file = opened;

	if (file->lowest == 0 && count >= WORTH_SORTING) {
		find_sorted(file, vas, count, sink);
		return;
	}
	for (size_t i = 0; i < count; i++)
		find_one(file, vas[i] - file->lowest, i, sink);
}

static const char *find_file_path(const void *opened)
{
	const struct symbol_file *file = opened;

	return file->is_own ? cairn_symbols_path(file->symbols) : NULL;
}

const struct cairn_symbol_source symbolizer_symbol_files = { .size = sizeof(
								     symbolizer_symbol_files),
	                                                     .rank = 100,
	                                                     .name = "symbols",
	                                                     .open = open_symbol_file_of,
	                                                     .find = find_symbols,
	                                                     .close = close_symbols,
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
		cairn_symbols_open_bytes(program.bytes, &options, &symbols, fault);
	return status == CAIRN_OK ? take_symbols(search, symbols, opened) : status;
}

const struct cairn_symbol_source symbolizer_go_table = { .size = sizeof(symbolizer_go_table),
	                                                 .rank = SYMBOLIZER_LATE,
	                                                 .name = "go",
	                                                 .open = open_go_table,
	                                                 .find = find_symbols,
	                                                 .close = close_symbols };

enum {
	GUID = 16,           /* number of build ID bytes that a debug ID contains */
	BREAKPAD_RANK = 150, /* rank after sources that match the full build ID, and before DWARF */
};

/*
 * Open a module's .sym file in a Breakpad symbol store. The build ID's bytes are permuted because
 * the first three fields of a GUID are written as big-endian numbers.
 */
static enum cairn_status open_breakpad_tree(void *context, struct cairn_symbol_search *search,
                                            void **opened, struct cairn_fault *fault)
{
	static const uint8_t order[GUID] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const struct cairn_symbol_module *module = search->module;
	const char *name = module->path ? strrchr(module->path, '/') : NULL;
	struct cairn_symbols *symbols = NULL;
	char text[2 * GUID + 2];
	uint8_t id[GUID] = { 0 };
	struct located found;

	(void)context;
	memcpy(id, module->build_id.data,
	       module->build_id.size < GUID ? module->build_id.size : GUID);
	for (size_t i = 0; i < GUID; i++)
		snprintf(text + 2 * i, 3, "%02X", id[order[i]]);
	strcpy(text + 2 * GUID, "0");
	if (!name ||
	    !locate_breakpad(search->options->directories, &search->options->files,
	                     (struct cairn_bytes){ (const uint8_t *)name + 1, strlen(name + 1) },
	                     (struct cairn_bytes){ (const uint8_t *)text, 2 * GUID + 1 }, &found))
		return CAIRN_NOT_FOUND;
	enum cairn_status status =
		cairn_symbols_open_bytes(found.file.bytes, NULL, &symbols, fault);
	/* compare with the code ID in the file, which is the full build ID */
	if (status == CAIRN_OK) {
		const struct cairn_bytes own = cairn_symbols_build_id(symbols);
		if (cairn_symbols_format(symbols) != CAIRN_SYMBOLS_BREAKPAD || own.size < GUID ||
		    memcmp(own.data, id, GUID) != 0)
			status = CAIRN_NOT_FOUND;
	}
	if (status == CAIRN_OK && search->options->opened)
		search->options->opened(search->options->opened_context, found.path, 0);
	/* the file is not needed after its functions have been read into memory */
	located_close(&found);
	if (status == CAIRN_OK)
		return take_symbols(search, symbols, opened);
	cairn_symbols_free(symbols);
	return status;
}

const struct cairn_symbol_source breakpad_tree_source = { .size = sizeof(breakpad_tree_source),
	                                                  .rank = BREAKPAD_RANK,
	                                                  .name = "breakpad",
	                                                  .open = open_breakpad_tree,
	                                                  .find = find_symbols,
	                                                  .close = close_symbols };

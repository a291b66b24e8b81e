/* SPDX-License-Identifier: MIT */
/*
 * Queries a symbolizer's sources in order of rank, and keeps the best result for each address.
 * Modules remain open until they exceed the configured limits; then the least recently used one is
 * closed. A module's files are searched among the programs named by the host, at the module's path,
 * in build ID trees, and finally through the host's `fetch` callback.
 */
#include "symbolizer.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sized.h"
#include "locate/locate.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	FIRST_CAPACITY = 2,
	SOURCES_MAX = 16,
	MODULES = 256,
	MEMORY = 1 << 30,
};

struct symbolizer_opened {
	bool looked;
	void *symbols; /* NULL if the source found nothing for the module */
};

struct symbolizer_module {
	uint64_t hash;
	uint64_t used; /* sequence number of the last call that used the module */
	uint64_t memory;
	struct module_files files;
	struct symbolizer_opened opened[SOURCES_MAX];
	bool has_labels;
	struct elf_tables *labels; /* NULL if the module has no labels */
};

struct symbolizer_pending {
	size_t index;
	uint64_t va;
};

/* Chain of locations at one address. `first` is an index into the list of all locations. */
struct symbolizer_chain {
	size_t first;
	bool any;
};

struct cairn_symbolizer {
	struct cairn_symbolizer_options options;
	struct cairn_symbol_source source[SOURCES_MAX];
	size_t source_count;
	/* module used by the last call; its memory use may have changed since it was measured */
	struct symbolizer_module *current;
	/* bytes used by all modules; counted only if options.memory_max is set */
	uint64_t memory;
	struct symbolizer_module **modules;
	size_t module_count, module_capacity;
	uint64_t calls;
	/* results and buffers of the last call */
	struct cairn_location *locations;
	size_t location_count, location_capacity;
	struct symbolizer_pending *pending;
	struct symbolizer_chain *chains;
	uint64_t *vas;
	size_t answer_capacity;
	bool memory_short;
};

/*
 * Copy the identity of `module` to `files`, which must be zero. Returns false if allocation fails.
 */
static bool open_files(struct module_files *files, const struct cairn_symbolizer_options *options,
                       const struct cairn_symbol_module *module)
{
	files->options = options;
	files->module = *module;
	files->path = copy_text(module->path ? module->path : "");
	files->build_id = malloc(module->build_id.size + 1);
	if (!files->path || !files->build_id) {
		free(files->path);
		free(files->build_id);
		return false;
	}
	if (module->build_id.size > 0)
		memcpy(files->build_id, module->build_id.data, module->build_id.size);
	files->module.path = module->path ? files->path : NULL;
	files->module.build_id.data = files->build_id;
	return true;
}

static void drop_separate(struct module_files *files)
{
	if (files->separate)
		separate_debug_files_finish(files->separate);
	free(files->separate);
	files->separate = NULL;
}

void module_files_report(const struct module_files *files, const char *path, uint64_t size)
{
	if (files->options->opened)
		files->options->opened(files->options->opened_context, path, size);
}

/*
 * Ask the host to fetch a file that is missing on this machine. On success, set `path` to its local
 * path.
 */
static bool fetch_path(const struct module_files *files, enum cairn_module_file wanted, char *path,
                       size_t size)
{
	const struct cairn_symbolizer_options *options = files->options;

	return options->fetch && files->module.build_id.size > 0 &&
	       options->fetch(options->fetch_context, wanted, files->module.build_id, path, size);
}

static bool fetch_program(void *context, char *path, size_t size)
{
	return fetch_path(context, CAIRN_FILE_PROGRAM, path, size);
}

static void find_program(struct module_files *files)
{
	const struct cairn_symbolizer_options *options = files->options;
	const struct cairn_symbol_module *module = &files->module;
	enum locate_place order[5] = { LOCATE_GIVEN };
	size_t places = 1;
	struct locate_search search = {
		.order = order,
		.path = { (const uint8_t *)files->path, strlen(files->path) },
		.build_id = module->build_id,
		.given = options->programs,
		.given_count = options->program_count,
		.sysroot = options->sysroot,
		.directories = options->directories,
		.no_system = options->skip & CAIRN_SKIP_SYSTEM,
		.any_build = options->builds == CAIRN_BUILD_ANY,
		.access = &options->files,
		.fetch = fetch_program,
		.context = files,
	};
	if (!(options->skip & CAIRN_SKIP_MODULE_PATHS) &&
	    (options->builds != CAIRN_BUILD_NAMED || module->build_id.size > 0))
		order[places++] = LOCATE_NAME;
	if (!search.any_build)
		order[places++] = LOCATE_TREES;
	order[places] = LOCATE_FETCHED;
	if (locate_file(&search, &files->program))
		module_files_report(files, files->program.path, files->program.file.bytes.size);
	else
		files->missing |= CAIRN_MISSING_PROGRAM;
	if (files->program.other_build)
		files->missing |= CAIRN_MISSING_BUILD;
}

static void adopt_lowest(struct module_files *files, const struct elf *elf)
{
	struct cairn_symbol_module *module = &files->module;
	struct cairn_range span;

	if (module->has_lowest || !elf_load_span(elf, &span))
		return;
	module->lowest = span.low & ~(uint64_t)(PAGE - 1);
	module->has_lowest = true;
}

/*
 * Return the contents of the module's program file, or empty bytes. On first use, also set the
 * module's build ID and lowest address if the host has not provided them.
 */
static struct cairn_bytes find_program_bytes(struct module_files *files)
{
	const bool lent = files->module.file.size > 0, looked = files->looked_program;
	struct elf elf;

	files->looked_program = true;
	if (!looked && !lent)
		find_program(files);
	const struct cairn_bytes found = lent ? files->module.file : files->program.file.bytes;
	if (looked || found.size == 0 || !elf_opens(found, &elf))
		return found;
	const struct cairn_bytes id = elf_build_id(&elf);
	uint8_t *grown =
		files->module.build_id.size > 0 ? NULL : realloc(files->build_id, id.size + 1);
	if (grown) {
		if (id.size > 0)
			memcpy(grown, id.data, id.size);
		files->build_id = grown;
		files->module.build_id = (struct cairn_bytes){ grown, id.size };
	}
	adopt_lowest(files, &elf);
	return found;
}

static const struct cairn_symbol_module *find_module_facts(struct module_files *files)
{
	find_program_bytes(files);
	return &files->module;
}

static void find_separate_files(struct module_files *files)
{
	const struct cairn_symbolizer_options *options = files->options;
	const struct cairn_bytes program = find_program_bytes(files);
	const struct separate_debug_rules rules = {
		.directories = options->directories,
		.no_system_folders = options->skip & CAIRN_SKIP_SYSTEM,
		.any_build = options->builds == CAIRN_BUILD_ANY,
		.only_directories =
			(options->skip & CAIRN_SKIP_SYSTEM) && (options->skip & CAIRN_SKIP_CACHE),
		.access = &options->files
	};
	const char *path = files->program.path ? files->program.path : files->path;
	struct separate_debug_files *separate = calloc(1, sizeof(*separate));
	char fetched[LOCATE_PATH_MAX];
	struct elf elf;

	files->looked_separate = true;
	files->separate = separate;
	if (!separate)
		return;
	if (program.size > 0)
		separate_debug_files_find_by(separate, path, program, &rules);
	else
		separate_debug_files_find_by_id(separate, path, files->module.build_id, &rules);
	if (!separate->debug.path[0] && !separate->has_dwarf &&
	    fetch_path(files, CAIRN_FILE_DEBUG, fetched, sizeof(fetched)))
		separate_debug_files_give(separate, fetched, files->module.build_id);
	if (separate->refused[0])
		files->missing |= CAIRN_MISSING_BUILD;
	if (separate->debug.path[0]) {
		module_files_report(files, separate->debug.path, separate->debug.file.bytes.size);
		if (program.size == 0 && elf_opens(separate->debug.file.bytes, &elf))
			adopt_lowest(files, &elf);
		return;
	}
	if (!separate->has_dwarf)
		files->missing |= CAIRN_MISSING_DEBUG;
	/*
	 * Drop the paths if no file was found: they take thousands of bytes, and a log may refer to
	 * thousands of modules without files.
	 */
	if (program.size == 0 && files->module.debug_file.size == 0)
		drop_separate(files);
}

static bool give_bytes(struct cairn_bytes bytes, struct cairn_open_file *file)
{
	*file = (struct cairn_open_file){ .bytes = bytes };
	return bytes.size > 0;
}

/*
 * Set *file to an opened file for use by a source. file->handle is set only if the host has opened
 * the file. file->mapped, which allows the source to release pages, is set only if the host has
 * opened the file or the option `in_order` is set.
 */
static bool give_file(const struct module_files *files, const struct os_file *opened,
                      const char *path, struct cairn_open_file *file)
{
	if (!path || !path[0] || !give_bytes(opened->bytes, file))
		return false;
	file->path = path;
	if (opened->access)
		file->handle = opened->memory;
	if (opened->access || files->options->in_order)
		file->mapped = opened->mapped;
	return true;
}

static bool get_file(struct module_files *files, enum cairn_module_file wanted,
                     struct cairn_bytes directory, struct cairn_bytes name,
                     struct cairn_open_file *file)
{
	const struct separate_debug_file *found = NULL;

	if (wanted == CAIRN_FILE_PROGRAM) {
		const struct cairn_bytes bytes = find_program_bytes(files);
		return files->program.path
		               ? give_file(files, &files->program.file, files->program.path, file)
		               : give_bytes(bytes, file);
	}
	if (wanted == CAIRN_FILE_DEBUG && files->module.debug_file.size > 0)
		return give_bytes(files->module.debug_file, file);
	if (!files->looked_separate)
		find_separate_files(files);
	if (!files->separate)
		return false;
	switch (wanted) {
	case CAIRN_FILE_SPLIT:
		return give_bytes(separate_debug_files_dwo(files->separate, directory, name), file);
	case CAIRN_FILE_PROGRAM:
	case CAIRN_FILE_DEBUG:
		found = &files->separate->debug;
		break;
	case CAIRN_FILE_ALTERNATE:
		found = &files->separate->alt;
		break;
	case CAIRN_FILE_PACKAGE:
		found = &files->separate->package;
		break;
	}
	return give_file(files, &found->file, found->path, file);
}

static void each_file(const struct module_files *files,
                      void (*each)(const struct os_file *file, uint64_t *sum), uint64_t *sum)
{
	each(&files->program.file, sum);
	if (!files->separate)
		return;
	each(&files->separate->debug.file, sum);
	each(&files->separate->alt.file, sum);
	each(&files->separate->package.file, sum);
}

static void release_file(const struct os_file *file, uint64_t *sum)
{
	(void)sum;
	if (file->mapped && !file->access)
		os_file_release_pages(file->bytes);
}

static void release_pages(const struct module_files *files)
{
	each_file(files, release_file, NULL);
}

static void count_file(const struct os_file *file, uint64_t *sum)
{
	if (!file->mapped && !file->access && file->memory)
		*sum += file->bytes.size;
}

static struct cairn_symbol_module copy_module(const struct cairn_symbol_module *given)
{
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;

	sized_take(&module, sizeof(module), given);
	bytes_fill(&module.build_id);
	bytes_fill(&module.file);
	bytes_fill(&module.debug_file);
	return module;
}

static uint64_t hash_module(const struct cairn_symbol_module *module)
{
	const char *path = module->path ? module->path : "";
	const struct cairn_bytes text = { (const uint8_t *)path, strlen(path) };

	return hash_text(text, hash_text(module->build_id, 0));
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/*
 * Return true if `open` is the module that the host specified. Ignore a build ID read from the
 * module's file, because a host that specifies no build ID still means this module.
 */
static bool is_module(const struct symbolizer_module *open, uint64_t hash,
                      const struct cairn_symbol_module *module)
{
	const struct cairn_symbol_module *known = &open->files.module;

	return open->hash == hash && is_same_text(known->path, module->path) &&
	       known->file.data == module->file.data &&
	       known->debug_file.data == module->debug_file.data &&
	       (module->build_id.size == 0 || bytes_equal(known->build_id, module->build_id));
}

static void close_module(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module)
{
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (module->opened[i].symbols)
			symbolizer->source[i].close(module->opened[i].symbols);
	elf_tables_close(module->labels);
	drop_separate(&module->files);
	located_close(&module->files.program);
	free(module->files.path);
	free(module->files.build_id);
	free(module);
}

static struct symbolizer_module *add_module(struct cairn_symbolizer *symbolizer, uint64_t hash,
                                            const struct cairn_symbol_module *module)
{
	if (!array_grow(&symbolizer->modules, &symbolizer->module_capacity,
	                symbolizer->module_count + 1, sizeof(*symbolizer->modules)))
		return NULL;
	struct symbolizer_module *added = calloc(1, sizeof(*added));
	if (!added || !open_files(&added->files, &symbolizer->options, module)) {
		free(added);
		return NULL;
	}
	added->hash = hash;
	symbolizer->modules[symbolizer->module_count++] = added;
	return added;
}

static uint64_t count_memory(const struct cairn_symbolizer *symbolizer,
                             const struct symbolizer_module *module)
{
	uint64_t bytes = module->labels ? elf_tables_memory(module->labels) : 0;

	each_file(&module->files, count_file, &bytes);
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (module->opened[i].symbols && symbolizer->source[i].memory)
			bytes += symbolizer->source[i].memory(module->opened[i].symbols);
	return bytes;
}

/*
 * Update a module's recorded memory use. Memory use changes only while the module is in use, so it
 * is measured then, and again when the next module is requested.
 */
static void recount_memory(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module)
{
	if (!module || symbolizer->options.memory_max == UINT64_MAX)
		return;
	symbolizer->memory -= module->memory;
	module->memory = count_memory(symbolizer, module);
	symbolizer->memory += module->memory;
}

static struct symbolizer_module *get_module(struct cairn_symbolizer *symbolizer,
                                            const struct cairn_symbol_module *given)
{
	const struct cairn_symbol_module module = copy_module(given);
	const uint64_t hash = hash_module(&module);
	struct symbolizer_module *found = NULL;

	for (size_t i = 0; !found && i < symbolizer->module_count; i++)
		if (is_module(symbolizer->modules[i], hash, &module))
			found = symbolizer->modules[i];
	if (!found)
		found = add_module(symbolizer, hash, &module);
	if (found)
		found->used = ++symbolizer->calls;
	recount_memory(symbolizer, symbolizer->current);
	symbolizer->current = found;
	return found;
}

/*
 * Return the index of the least recently used module other than `keep`, or module_count if there is
 * no other module.
 */
static size_t find_oldest(const struct cairn_symbolizer *symbolizer,
                          const struct symbolizer_module *keep)
{
	size_t oldest = symbolizer->module_count;

	for (size_t i = 0; i < symbolizer->module_count; i++)
		if (symbolizer->modules[i] != keep &&
		    (oldest == symbolizer->module_count ||
		     symbolizer->modules[i]->used < symbolizer->modules[oldest]->used))
			oldest = i;
	return oldest;
}

static void remove_module(struct cairn_symbolizer *symbolizer, size_t number)
{
	symbolizer->memory -= symbolizer->modules[number]->memory;
	if (symbolizer->current == symbolizer->modules[number])
		symbolizer->current = NULL;
	close_module(symbolizer, symbolizer->modules[number]);
	symbolizer->modules[number] = symbolizer->modules[--symbolizer->module_count];
}

static void bound_modules(struct cairn_symbolizer *symbolizer, struct symbolizer_module *keep)
{
	const struct cairn_symbolizer_options *options = &symbolizer->options;
	const bool is_bounded = options->memory_max != UINT64_MAX;

	recount_memory(symbolizer, keep);
	while (symbolizer->module_count > options->modules_max ||
	       (is_bounded && symbolizer->memory > options->memory_max)) {
		const size_t oldest = find_oldest(symbolizer, keep);
		if (oldest == symbolizer->module_count)
			break;
		remove_module(symbolizer, oldest);
	}
	if (!is_bounded || symbolizer->module_count != 1 ||
	    symbolizer->memory <= options->memory_max)
		return;
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (symbolizer->modules[0]->opened[i].symbols && symbolizer->source[i].release)
			symbolizer->source[i].release(symbolizer->modules[0]->opened[i].symbols);
}

static void close_modules(struct cairn_symbolizer *symbolizer)
{
	while (symbolizer->module_count > 0)
		remove_module(symbolizer, symbolizer->module_count - 1);
}

void cairn_symbolizer_forget(struct cairn_symbolizer *symbolizer,
                             const struct cairn_symbol_module *given)
{
	if (!given) {
		close_modules(symbolizer);
		return;
	}
	const struct cairn_symbol_module module = copy_module(given);
	const uint64_t hash = hash_module(&module);
	for (size_t i = 0; i < symbolizer->module_count; i++)
		if (is_module(symbolizer->modules[i], hash, &module)) {
			remove_module(symbolizer, i);
			return;
		}
}

static bool find_file(struct cairn_symbol_search *search, enum cairn_module_file wanted,
                      struct cairn_bytes directory, struct cairn_bytes name,
                      struct cairn_open_file *file)
{
	return get_file(search->context, wanted, directory, name, file);
}

static void *open_source(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module,
                         size_t source, struct cairn_fault *fault)
{
	const struct cairn_symbol_source *from = &symbolizer->source[source];
	struct symbolizer_opened *opened = &module->opened[source];
	struct cairn_symbol_search search = { .size = sizeof(search),
		                              .module = find_module_facts(&module->files),
		                              .options = &symbolizer->options,
		                              .file = find_file,
		                              .context = &module->files };
	void *symbols = NULL;

	if (!opened->looked && from->open(from->context, &search, &symbols, fault) == CAIRN_OK)
		opened->symbols = symbols;
	opened->looked = true;
	return opened->symbols;
}

struct cairn_symbols *symbolizer_symbols(struct cairn_symbolizer *symbolizer,
                                         const struct cairn_symbol_module *module)
{
	struct symbolizer_module *open = get_module(symbolizer, module);
	struct cairn_fault fault;

	for (size_t i = 0; open && i < symbolizer->source_count; i++)
		if (symbolizer->source[i].open == symbolizer_symbol_files.open) {
			void *opened = open_source(symbolizer, open, i, &fault);
			return opened ? symbolizer_opened_symbols(opened) : NULL;
		}
	return NULL;
}

bool cairn_symbolizer_file(struct cairn_symbolizer *symbolizer,
                           const struct cairn_symbol_module *module, enum cairn_module_file wanted,
                           struct cairn_open_file *file)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct symbolizer_module *open = get_module(symbolizer, module);

	return open && get_file(&open->files, wanted, none, none, file);
}

bool cairn_symbolizer_label(struct cairn_symbolizer *symbolizer,
                            const struct cairn_symbol_module *module, uint64_t va,
                            struct cairn_location *location)
{
	struct symbolizer_module *open = get_module(symbolizer, module);

	if (!open)
		return false;
	struct cairn_symbol_search search = { .file = find_file, .context = &open->files };
	if (!open->has_labels)
		(void)!elf_tables_open(&search, true, &open->labels);
	open->has_labels = true;
	return open->labels && elf_tables_find(open->labels, va, location);
}

static bool add_own_sources(struct cairn_symbolizer *symbolizer)
{
	struct cairn_symbol_source files = symbolizer_symbol_files;

	if (symbolizer->options.symbols_late)
		files.rank = SYMBOLIZER_LATE;
	return cairn_symbolizer_add(symbolizer, &files) == CAIRN_OK &&
	       cairn_symbolizer_add(symbolizer, &symbolizer_go_table) == CAIRN_OK &&
	       cairn_symbolizer_add(symbolizer, &symbolizer_tables) == CAIRN_OK &&
	       cairn_symbolizer_add(symbolizer, &symbolizer_stubs) == CAIRN_OK;
}

struct cairn_symbolizer *cairn_symbolizer_new(const struct cairn_symbolizer_options *options)
{
	struct cairn_symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->options = (struct cairn_symbolizer_options)CAIRN_SYMBOLIZER_OPTIONS;
	sized_take(&symbolizer->options, sizeof(symbolizer->options), options);
	if (symbolizer->options.modules_max == 0)
		symbolizer->options.modules_max = MODULES;
	if (symbolizer->options.memory_max == 0)
		symbolizer->options.memory_max = MEMORY;
	if ((symbolizer->options.skip & CAIRN_SKIP_BUILTIN_SOURCES) || add_own_sources(symbolizer))
		return symbolizer;
	cairn_symbolizer_free(symbolizer);
	return NULL;
}

void cairn_symbolizer_free(struct cairn_symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	close_modules(symbolizer);
	free(symbolizer->modules);
	free(symbolizer->locations);
	free(symbolizer->pending);
	free(symbolizer->chains);
	free(symbolizer->vas);
	free(symbolizer);
}

enum cairn_status cairn_symbolizer_add(struct cairn_symbolizer *symbolizer,
                                       const struct cairn_symbol_source *source)
{
	size_t at = symbolizer->source_count;

	if (at == SOURCES_MAX)
		return CAIRN_LIMIT;
	close_modules(symbolizer);
	for (; at > 0 && symbolizer->source[at - 1].rank > source->rank; at--)
		symbolizer->source[at] = symbolizer->source[at - 1];
	symbolizer->source[at] = (struct cairn_symbol_source){ .size = sizeof(*source) };
	sized_take(&symbolizer->source[at], sizeof(*source), source);
	symbolizer->source_count++;
	return CAIRN_OK;
}

struct question {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_answer *answers;
	size_t pending;
	const struct cairn_symbol_source *source;
	void *opened;
};

static bool reserve(struct cairn_symbolizer *symbolizer, size_t count)
{
	size_t capacity[] = { symbolizer->answer_capacity, symbolizer->answer_capacity,
		              symbolizer->answer_capacity };

	if (!array_grow(&symbolizer->pending, &capacity[0], count, sizeof(*symbolizer->pending)) ||
	    !array_grow(&symbolizer->chains, &capacity[1], count, sizeof(*symbolizer->chains)) ||
	    !array_grow(&symbolizer->vas, &capacity[2], count, sizeof(*symbolizer->vas)))
		return false;
	symbolizer->answer_capacity = capacity[0];
	return true;
}

static bool is_complete(const struct question *question, size_t index)
{
	const struct symbolizer_chain *chain = &question->symbolizer->chains[index];

	return chain->any && (question->symbolizer->options.ranking == CAIRN_RANK_FIRST ||
	                      question->symbolizer->locations[chain->first].line > 0);
}

static bool is_better(const struct question *question, size_t index,
                      const struct cairn_symbol_found *found)
{
	const struct symbolizer_chain *chain = &question->symbolizer->chains[index];

	return !chain->any || found->locations[0].line > 0 ||
	       found->locations[0].offset < question->symbolizer->locations[chain->first].offset;
}

static void take_answer(void *context, size_t number, const struct cairn_symbol_found *found)
{
	struct question *question = context;
	struct cairn_symbolizer *symbolizer = question->symbolizer;
	const size_t index = symbolizer->pending[number].index, first = symbolizer->location_count;
	struct cairn_symbol_answer *answer = &question->answers[index];

	if (found->fault && answer->fault.status == CAIRN_OK)
		answer->fault = *found->fault;
	if (found->count == 0 || is_complete(question, index) || !is_better(question, index, found))
		return;
	if (!array_grow_from(&symbolizer->locations, &symbolizer->location_capacity,
	                     first + found->all, sizeof(*symbolizer->locations),
	                     FIRST_CAPACITY * symbolizer->answer_capacity)) {
		symbolizer->memory_short = true;
		return;
	}
	memcpy(symbolizer->locations + first, found->locations,
	       found->all * sizeof(*found->locations));
	symbolizer->location_count += found->all;
	symbolizer->chains[index] = (struct symbolizer_chain){ first, true };
	answer->count = found->count;
	answer->all = found->all;
	answer->source = question->source->name;
	answer->path = question->source->path ? question->source->path(question->opened) : NULL;
}

static void keep_pending(struct question *question)
{
	struct symbolizer_pending *pending = question->symbolizer->pending;
	size_t kept = 0;

	for (size_t i = 0; i < question->pending; i++)
		if (!is_complete(question, pending[i].index))
			pending[kept++] = pending[i];
	question->pending = kept;
}

static void note_losses(struct question *question)
{
	const struct cairn_symbol_source *source = question->source;
	const char *flaw = source->flaw ? source->flaw(question->opened) : NULL;

	const bool damaged = source->damaged && source->damaged(question->opened);

	for (size_t i = 0; (flaw || damaged) && i < question->pending; i++) {
		struct cairn_symbol_answer *answer =
			&question->answers[question->symbolizer->pending[i].index];
		answer->flaw = flaw ? flaw : answer->flaw;
		answer->missing |= damaged ? CAIRN_MISSING_PART : 0u;
	}
}

static void ask_sources(struct question *question, struct symbolizer_module *module)
{
	struct cairn_symbolizer *symbolizer = question->symbolizer;
	const struct cairn_symbol_taker sink = { take_answer, question };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	for (size_t i = 0; i < symbolizer->source_count && question->pending > 0; i++) {
		const struct cairn_symbol_source *source = &symbolizer->source[i];
		question->source = source;
		question->opened = open_source(symbolizer, module, i, &fault);
		if (!question->opened)
			continue;
		for (size_t k = 0; k < question->pending; k++)
			symbolizer->vas[k] = symbolizer->pending[k].va;
		source->find(question->opened, symbolizer->vas, question->pending, &sink);
		note_losses(question);
		keep_pending(question);
		/* stop if sources of higher rank cannot add anything */
		if (source->whole || (source->complete && source->complete(question->opened)))
			break;
	}
}

static bool has_nothing(const struct cairn_symbolizer *symbolizer,
                        const struct symbolizer_module *module)
{
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (!module->opened[i].looked || module->opened[i].symbols)
			return false;
	return true;
}

/*
 * Set the pointers to the locations of each address. The list of locations must not move
 * afterwards.
 */
static void finish_answers(const struct question *question, const struct symbolizer_module *module,
                           size_t count)
{
	const struct cairn_symbolizer *symbolizer = question->symbolizer;
	const unsigned missing =
		module->files.missing | (has_nothing(symbolizer, module) ? CAIRN_MISSING_ALL : 0u);

	for (size_t i = 0; i < count; i++) {
		struct cairn_symbol_answer *answer = &question->answers[i];
		const struct symbolizer_chain *chain = &symbolizer->chains[i];
		answer->missing |= missing;
		if (chain->any)
			answer->locations = symbolizer->locations + chain->first;
		if (!chain->any || answer->locations->line == 0)
			answer->missing |= CAIRN_MISSING_LINE;
		if (answer->fault.status != CAIRN_OK)
			answer->status = answer->fault.status;
		else if (chain->any)
			answer->status = CAIRN_OK;
	}
}

enum cairn_status cairn_symbolizer_find(struct cairn_symbolizer *symbolizer,
                                        const struct cairn_symbol_module *module,
                                        const uint64_t *vas, size_t count,
                                        struct cairn_symbol_answer *answers, size_t answer_size)
{
	const bool same = answer_size == sizeof(*answers);
	struct question question = {
		.symbolizer = symbolizer,
		.answers = same ? answers : calloc(count + 1, sizeof(*answers)),
	};
	struct symbolizer_module *open = get_module(symbolizer, module);

	if (!open || !question.answers || !reserve(symbolizer, count)) {
		free(same ? NULL : question.answers);
		return CAIRN_NO_MEMORY;
	}
	bound_modules(symbolizer, open);
	const uint64_t lowest = module->from_lowest ? find_module_facts(&open->files)->lowest : 0;
	for (size_t i = 0; i < count; i++) {
		question.answers[i] = (struct cairn_symbol_answer){ .status = CAIRN_NOT_FOUND };
		symbolizer->pending[i] = (struct symbolizer_pending){ i, lowest + vas[i] };
		symbolizer->chains[i] = (struct symbolizer_chain){ 0, false };
	}
	question.pending = count;
	symbolizer->location_count = 0;
	symbolizer->memory_short = false;
	ask_sources(&question, open);
	finish_answers(&question, open, count);
	for (size_t i = 0; !same && i < count; i++)
		memcpy((uint8_t *)answers + i * answer_size, &question.answers[i],
		       answer_size < sizeof(*answers) ? answer_size : sizeof(*answers));
	free(same ? NULL : question.answers);
	if (symbolizer->options.in_order)
		release_pages(&open->files);
	return symbolizer->memory_short ? CAIRN_NO_MEMORY : CAIRN_OK;
}

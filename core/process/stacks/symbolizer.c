/* SPDX-License-Identifier: MIT */
/*
 * The symbolizer of stacks: the options of the host's search, and sources of names that only stacks
 * have because they serve the unwinder as well. These are the Breakpad files of a minidump's
 * modules, found in stores of such files, and the function tables of Go programs, which include
 * frame sizes.
 */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

enum { STACKS_RANK_BREAKPAD = 110, STACKS_RANK_GO = 300 };

static void find_breakpad(struct cairn_stacks *stacks, size_t index)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];
	struct stacks_module *files = &stacks->modules[index];

	if (files->breakpad_looked)
		return;
	files->breakpad_looked = true;
	if (!locate_breakpad(stacks->search.folders, &stacks->search.files, module->debug_name,
	                     module->debug_id, &files->breakpad))
		return;
	files->stack_cfi = stack_cfi_new(files->breakpad.file.bytes);
	if (cairn_symbol_file_open(files->breakpad.path, NULL, &files->breakpad_symbols, NULL) !=
	    CAIRN_OK)
		files->breakpad_symbols = NULL;
	stacks_report_opened(stacks, files->breakpad.file.bytes.size);
}

static const struct stack_cfi *find_rules(void *context, uint64_t pc, uint64_t *low)
{
	struct cairn_stacks *stacks = context;
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module)
		return NULL;
	size_t index = (size_t)(module - stacks->snapshot.modules);
	find_breakpad(stacks, index);
	*low = module->low;
	return stacks->modules[index].stack_cfi;
}

bool stacks_report_modules(struct cairn_stacks *stacks)
{
	bool complete = true;

	stacks->space->breakpad = (struct stack_cfi_files){ find_rules, stacks };
	cairn_space_begin_modules(stacks->space);
	for (size_t i = 0; i < stacks->snapshot.module_count; i++) {
		const struct snapshot_module *module = &stacks->snapshot.modules[i];
		const struct cairn_host_module report = { .name = module->path,
			                                  .low = module->low,
			                                  .high = module->high,
			                                  .machine = stacks->snapshot.machine,
			                                  .big_endian = stacks->snapshot.big_endian,
			                                  .text = { module->low, module->high } };
		complete &= cairn_space_add_module(stacks->space, &report) == CAIRN_OK;
	}
	cairn_space_end_modules(stacks->space);
	return complete;
}

static void take_names(const struct cairn_symbol_taker *taker, size_t index,
                       const struct cairn_location *locations, size_t count)
{
	const struct cairn_symbol_found answer = { .locations = locations,
		                                   .count = count,
		                                   .all = count };

	if (count > 0)
		taker->take(taker->context, index, &answer);
}

/* Do nothing, because names are freed with their module. */
static void leave_names(void *opened)
{
	(void)opened;
}

/*
 * Succeed for every module. find_breakpad_names() opens the file, because it depends on the module.
 */
static enum cairn_status open_breakpad_names(void *context, struct cairn_symbol_search *search,
                                             void **opened, struct cairn_fault *fault)
{
	(void)search;
	(void)fault;
	*opened = context;
	return CAIRN_OK;
}

/* Look up addresses in a Breakpad file, which are relative to the module's first byte. */
static void find_breakpad_names(void *opened, const uint64_t *vas, size_t count,
                                const struct cairn_symbol_taker *taker)
{
	struct cairn_stacks *stacks = opened;
	const struct snapshot_module *module = &stacks->snapshot.modules[stacks->asked];
	const uint64_t lowest = snapshot_module_start(module) - module->bias;
	struct cairn_location found[CAIRN_STACK_NAMES];
	struct cairn_lookup_result answer;

	find_breakpad(stacks, stacks->asked);
	struct cairn_symbol_file *file = stacks->modules[stacks->asked].breakpad_symbols;
	for (size_t i = 0; file && i < count; i++) {
		size_t got = 0;
		if (cairn_symbols_find(cairn_symbol_file_symbols(file), vas[i] - lowest, &answer) ==
		    CAIRN_OK)
			while (got < CAIRN_STACK_NAMES &&
			       cairn_lookup_result_next(&answer, &found[got]))
				got++;
		take_names(taker, i, found, got);
	}
}

static struct go_program *find_go_program(struct cairn_stacks *stacks, size_t index)
{
	struct stacks_module *files = &stacks->modules[index];
	struct cairn_fault fault;

	if (files->go_looked)
		return files->go;
	files->go_looked = true;
	stacks_find_file(stacks, index);
	if (!files->found.path)
		return NULL;
	struct go_program *program = malloc(sizeof(*program));
	if (program && go_program_open(files->found.file.bytes, program, &fault) == CAIRN_OK)
		files->go = program;
	else
		free(program);
	return files->go;
}

static const struct gopclntab *find_go_table(void *context, uint64_t pc, uint64_t *bias)
{
	struct cairn_stacks *stacks = context;
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module || !module->has_bias)
		return NULL;
	const struct go_program *program =
		find_go_program(stacks, (size_t)(module - stacks->snapshot.modules));
	*bias = module->bias;
	return program ? &program->table : NULL;
}

void stacks_set_go(struct cairn_stacks *stacks)
{
	stacks->space->go = (struct go_tables){ find_go_table, stacks };
}

static enum cairn_status open_go_names(void *context, struct cairn_symbol_search *search,
                                       void **opened, struct cairn_fault *fault)
{
	struct cairn_stacks *stacks = context;
	const struct go_program *program = find_go_program(stacks, stacks->asked);

	(void)search;
	(void)fault;
	if (!program)
		return CAIRN_NOT_FOUND;
	struct stacks_module *files = &stacks->modules[stacks->asked];
	if (!files->go_functions)
		files->go_functions = go_functions_new(program);
	*opened = files->go_functions;
	return files->go_functions ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static void find_go_names(void *opened, const uint64_t *vas, size_t count,
                          const struct cairn_symbol_taker *taker)
{
	struct cairn_location found[CAIRN_STACK_NAMES];

	for (size_t i = 0; i < count; i++) {
		const size_t got = go_functions_find(opened, vas[i], found, CAIRN_STACK_NAMES);
		take_names(taker, i, found, got);
	}
}

void stacks_close_sources(struct stacks_module *module)
{
	cairn_symbol_file_close(module->breakpad_symbols);
	stack_cfi_free(module->stack_cfi);
	located_close(&module->breakpad);
	go_functions_free(module->go_functions);
	if (module->go)
		go_program_close(module->go);
	free(module->go);
}

/*
 * Fetch a file for the symbolizer. Programs are excluded because stacks pass them to the
 * symbolizer.
 */
static bool fetch_for_symbolizer(void *context, enum cairn_module_file wanted,
                                 struct cairn_bytes build_id, char *path, size_t size)
{
	struct cairn_stacks *stacks = context;

	(void)build_id;
	return wanted != CAIRN_FILE_PROGRAM &&
	       stacks_fetch_file(stacks, stacks->asked, wanted, path, size);
}

/*
 * Adopt the host's search options, apart from those that do not apply: stacks supply the programs
 * themselves, and files must stay open until the end.
 */
static void adopt_rules(struct cairn_stacks *stacks)
{
	const struct cairn_symbolizer_options *from = stacks->options.search;
	struct cairn_symbolizer_options *search = &stacks->search;

	*search = (struct cairn_symbolizer_options)CAIRN_SYMBOLIZER_OPTIONS;
	if (from)
		memcpy(search, from, from->size < sizeof(*search) ? from->size : sizeof(*search));
	stacks->fetch = search->fetch;
	stacks->fetch_context = search->fetch_context;
	search->size = sizeof(*search);
	search->programs = NULL;
	search->program_count = 0;
	search->builds = CAIRN_BUILD_PROVEN;
	search->ranking = CAIRN_RANK_LINES;
	search->only_files_given = true;
	search->bare = false;
	search->modules_max = SIZE_MAX;
	search->memory_max = UINT64_MAX;
	search->fetch = fetch_for_symbolizer;
	search->fetch_context = stacks;
}

bool stacks_open_symbolizer(struct cairn_stacks *stacks)
{
	const struct cairn_symbol_source own[] = {
		{ .size = sizeof(struct cairn_symbol_source),
		  .rank = STACKS_RANK_BREAKPAD,
		  .name = "breakpad",
		  .context = stacks,
		  .open = open_breakpad_names,
		  .find = find_breakpad_names,
		  .close = leave_names },
		{ .size = sizeof(struct cairn_symbol_source),
		  .rank = STACKS_RANK_GO,
		  .name = "go",
		  .context = stacks,
		  .open = open_go_names,
		  .find = find_go_names,
		  .close = leave_names },
	};
	bool good;

	adopt_rules(stacks);
	stacks->symbolizer = cairn_symbolizer_new(&stacks->search);
	good = stacks->symbolizer != NULL;
	for (size_t i = 0; good && i < sizeof(own) / sizeof(own[0]); i++)
		good = cairn_symbolizer_add(stacks->symbolizer, &own[i]) == CAIRN_OK;
	for (size_t i = 0; good && i < stacks->options.source_count; i++)
		good = cairn_symbolizer_add(stacks->symbolizer, stacks->options.sources[i]) ==
		       CAIRN_OK;
	return good;
}

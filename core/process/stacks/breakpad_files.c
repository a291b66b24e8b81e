/* SPDX-License-Identifier: MIT */
/*
 * Breakpad files of the modules of a minidump: found in trees as Breakpad's symbol stores have them,
 * DIR/NAME/ID/NAME.sym, believed by the ID that they hold, and used for names and for unwinding.
 */
#include "stacks.h"

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

/* The file of the module that is being asked about, which find_names() takes from `opened`. */
static enum cairn_status open_names(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	(void)search;
	(void)fault;
	*opened = context;
	return CAIRN_OK;
}

/* `lowest` is the va of the module's first byte, from which addresses of Breakpad count. */
static size_t look_up(struct cairn_symbol_file *file, uint64_t va, uint64_t lowest,
                      struct cairn_location locations[CAIRN_STACK_NAMES])
{
	struct cairn_symbols *symbols = cairn_symbol_file_symbols(file);
	struct cairn_lookup_result answer;
	size_t count = 0;

	if (cairn_symbols_find(symbols, va - lowest, &answer) != CAIRN_OK)
		return 0;
	while (count < CAIRN_STACK_NAMES && cairn_lookup_result_next(&answer, &locations[count]))
		count++;
	return count;
}

static void find_names(void *opened, const uint64_t *vas, size_t count,
                       const struct cairn_symbol_taker *taker)
{
	struct cairn_stacks *stacks = opened;
	const struct snapshot_module *module = &stacks->snapshot.modules[stacks->asked];
	const struct stacks_module *files = &stacks->modules[stacks->asked];
	struct cairn_location found[CAIRN_STACK_NAMES];

	find_breakpad(stacks, stacks->asked);
	for (size_t i = 0; files->breakpad_symbols && i < count; i++) {
		const size_t got = look_up(files->breakpad_symbols, vas[i],
		                           snapshot_module_start(module) - module->bias, found);
		stacks_take_names(taker, i, found, got);
	}
}

struct cairn_symbol_source stacks_breakpad_source(struct cairn_stacks *stacks)
{
	return (struct cairn_symbol_source){ .size = sizeof(struct cairn_symbol_source),
		                             .rank = STACKS_RANK_BREAKPAD,
		                             .name = "breakpad",
		                             .context = stacks,
		                             .open = open_names,
		                             .find = find_names,
		                             .close = stacks_leave_names };
}

void stacks_close_breakpad(struct stacks_module *module)
{
	cairn_symbol_file_close(module->breakpad_symbols);
	stack_cfi_free(module->stack_cfi);
	located_close(&module->breakpad);
}

/* SPDX-License-Identifier: MIT */
/* The tables of functions of Go programs among the modules: sizes of frames, and names. */
#include "stacks.h"

#include <stdlib.h>

/* The table is looked for once, in the module's own file. */
static struct go_program *find_program(struct cairn_stacks *stacks, size_t index)
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

static const struct gopclntab *find_table(void *context, uint64_t pc, uint64_t *bias)
{
	struct cairn_stacks *stacks = context;
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module || !module->has_bias)
		return NULL;
	const struct go_program *program =
		find_program(stacks, (size_t)(module - stacks->snapshot.modules));
	*bias = module->bias;
	return program ? &program->table : NULL;
}

void stacks_set_go(struct cairn_stacks *stacks)
{
	stacks->space->go = (struct go_tables){ find_table, stacks };
}

/* The names of the module that is being asked about. */
static enum cairn_status open_names(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	struct cairn_stacks *stacks = context;
	const struct go_program *program = find_program(stacks, stacks->asked);

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

static void find_names(void *opened, const uint64_t *vas, size_t count,
                       const struct cairn_symbol_taker *taker)
{
	struct cairn_location found[CAIRN_STACK_NAMES];

	for (size_t i = 0; i < count; i++) {
		const size_t got = go_functions_find(opened, vas[i], found, CAIRN_STACK_NAMES);
		stacks_take_names(taker, i, found, got);
	}
}

struct cairn_symbol_source stacks_go_source(struct cairn_stacks *stacks)
{
	return (struct cairn_symbol_source){ .size = sizeof(struct cairn_symbol_source),
		                             .rank = STACKS_RANK_GO,
		                             .name = "go",
		                             .context = stacks,
		                             .open = open_names,
		                             .find = find_names,
		                             .close = stacks_leave_names };
}

void stacks_close_go(struct stacks_module *module)
{
	go_functions_free(module->go_functions);
	if (module->go)
		go_program_close(module->go);
	free(module->go);
}

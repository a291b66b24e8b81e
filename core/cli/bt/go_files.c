/* SPDX-License-Identifier: MIT */
/* The tables of functions of Go programs among the modules: sizes of frames, and names. */
#include "bt.h"

#include <stdlib.h>

/* The table is looked for once, in the module's own file. */
static struct go_program *find_program(struct bt *bt, size_t index)
{
	struct bt_module *files = &bt->modules[index];
	struct cairn_fault fault;

	if (files->go_looked)
		return files->go;
	files->go_looked = true;
	bt_find_file(bt, index);
	if (!files->path)
		return NULL;
	struct go_program *program = malloc(sizeof(*program));
	if (program && go_program_open(files->file.bytes, program, &fault) == CAIRN_OK)
		files->go = program;
	else
		free(program);
	return files->go;
}

static const struct gopclntab *find_table(void *context, uint64_t pc, uint64_t *bias)
{
	struct bt *bt = context;
	const struct snapshot_module *module = snapshot_find_module(&bt->snapshot, pc);

	if (!module || !module->has_bias)
		return NULL;
	const struct go_program *program =
		find_program(bt, (size_t)(module - bt->snapshot.modules));
	*bias = module->bias;
	return program ? &program->table : NULL;
}

void bt_set_go(struct bt *bt)
{
	space_set_go(bt->space, (struct go_tables){ find_table, bt });
}

size_t bt_ask_go(struct bt *bt, struct bt_module *files, uint64_t va,
                 struct cairn_location found[DEBUGINFO_LOCATIONS])
{
	const struct go_program *program = find_program(bt, (size_t)(files - bt->modules));

	if (!program)
		return 0;
	if (!files->go_functions)
		files->go_functions = go_functions_new(program);
	return files->go_functions
	               ? go_functions_find(files->go_functions, va, found, DEBUGINFO_LOCATIONS)
	               : 0;
}

void bt_close_go(struct bt_module *module)
{
	go_functions_free(module->go_functions);
	if (module->go)
		go_program_close(module->go);
	free(module->go);
}

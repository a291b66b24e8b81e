/* SPDX-License-Identifier: MIT */
/*
 * Reports what the source says about the program as a whole: its process, its modules, and
 * problems.
 */
#include "stacks.h"

size_t cairn_stacks_problems(const struct cairn_stacks *stacks, struct cairn_fault *fault)
{
	if (fault && stacks->snapshot.problem_count > 0)
		*fault = stacks->snapshot.problems[0].fault;
	return stacks->snapshot.problem_count;
}

bool cairn_stacks_problem(const struct cairn_stacks *stacks, size_t number,
                          struct cairn_source_problem *problem)
{
	if (number >= stacks->snapshot.problem_count)
		return false;
	const struct snapshot_problem *from = &stacks->snapshot.problems[number];
	*problem = (struct cairn_source_problem){ from->part, from->fault };
	return true;
}

void cairn_stacks_process(const struct cairn_stacks *stacks, struct cairn_process *process)
{
	const struct snapshot *from = &stacks->snapshot;

	*process = (struct cairn_process){ .kind = from->kind,
		                           .machine = from->machine,
		                           .machine_name = from->machine_name,
		                           .pid = from->pid,
		                           .program = from->program,
		                           .command_line = from->command_line,
		                           .auxv = from->auxv,
		                           .left_out = from->left_out };
}

static void describe_module(const struct snapshot_module *from, struct cairn_loaded_module *module)
{
	*module = (struct cairn_loaded_module){ .low = from->low,
		                                .high = from->high,
		                                .start = snapshot_module_start(from),
		                                .has_bias = from->has_bias,
		                                .bias = from->bias,
		                                .remapped = from->remapped,
		                                .path = from->path,
		                                .build_id = from->build_id,
		                                .package = from->package,
		                                .file = from->file_path,
		                                .file_missing = from->file_why };
}

size_t cairn_stacks_modules(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.module_count;
}

bool cairn_stacks_module(const struct cairn_stacks *stacks, size_t number,
                         struct cairn_loaded_module *module)
{
	if (number >= stacks->snapshot.module_count)
		return false;
	describe_module(&stacks->snapshot.modules[number], module);
	return true;
}

void cairn_stacks_find_files(struct cairn_stacks *stacks)
{
	for (size_t i = 0; i < stacks->snapshot.module_count; i++)
		stacks_find_file(stacks, i);
}

bool cairn_stacks_module_at(struct cairn_stacks *stacks, uint64_t pc,
                            struct cairn_loaded_module *module)
{
	size_t index;
	const struct snapshot_module *found = stacks_find_module(stacks, pc, &index);

	if (found)
		describe_module(found, module);
	return found != NULL;
}

struct cairn_bytes cairn_stacks_perf_map(const struct cairn_stacks *stacks)
{
	return stacks->jit.map.bytes;
}

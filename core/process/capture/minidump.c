/* SPDX-License-Identifier: MIT */
/* Implements cairn_minidump_write(): writes a minidump of a program whose stacks are open. */
#include <cairn.h>

#include "base/error.h"
#include "loader.h"
#include "plan.h"
#include "writers/minidump/minidump_writer.h"

#include <string.h>

static enum cairn_status write_file(struct cairn_stacks *stacks, struct capture_plan *plan,
                                    const struct loader_facts *loader,
                                    const struct cairn_minidump_options *options,
                                    struct cairn_minidump_summary *summary,
                                    struct cairn_error *error)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const struct cairn_target memory = capture_plan_memory(plan, &snapshot->memory);
	const struct minidump_draft draft = {
		.snapshot = snapshot,
		.memory = &memory,
		.ranges = plan->ranges,
		.range_count = plan->count,
		.stacks = plan->stacks,
		.program = loader->program,
		.dynamics = loader->dynamics,
		.dynamic = { loader->dynamic, loader->dynamic_size },
		.loader = loader->base,
		.loader_break = loader->brk,
		.time = options->time,
	};

	summary->threads = snapshot->thread_count;
	summary->whole = plan->whole;
	/* A second mapping of a file is not listed. */
	for (size_t i = 0; i < snapshot->module_count; i++)
		summary->modules += !snapshot->modules[i].remapped;
	for (size_t i = 0; i < plan->count; i++)
		summary->memory += plan->ranges[i].high - plan->ranges[i].low;
	return minidump_write(&draft, options->write, options->context, &summary->bytes, error);
}

enum cairn_status cairn_minidump_write(struct cairn_stacks *stacks,
                                       const struct cairn_minidump_options *options,
                                       struct cairn_minidump_summary *summary,
                                       struct cairn_error *error)
{
	struct cairn_minidump_options own = CAIRN_MINIDUMP_OPTIONS;
	struct cairn_minidump_summary filled = { .size = sizeof(filled) };
	struct capture_plan plan = { .ranges = NULL };
	struct loader_facts loader = { .dynamics = NULL };
	struct cairn_thread thread;
	enum cairn_status status;

	memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP)
		return error_set(error, CAIRN_UNSUPPORTED, NULL, "it is a minidump already");
	/* use the thread names that only the host knows */
	for (size_t i = 0; i < stacks->snapshot.thread_count; i++)
		if (cairn_stacks_thread(stacks, i, &thread))
			stacks->snapshot.threads[i].name = thread.name;
	if (capture_plan_make(&plan, stacks) && loader_facts_find(&loader, stacks))
		status = write_file(stacks, &plan, &loader, &own, &filled, error);
	else
		status = error_set_memory(error, NULL);
	if (summary && status == CAIRN_OK) {
		filled.size = summary->size;
		memcpy(summary, &filled,
		       summary->size < sizeof(filled) ? summary->size : sizeof(filled));
	}
	loader_facts_finish(&loader);
	capture_plan_finish(&plan);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Writes a minidump of a program whose stacks are open: cairn_minidump_write(). */
#include <cairn.h>

#include "base/error.h"
#include "loader.h"
#include "plan.h"
#include "writers/minidump/minidump_writer.h"

#include <stdlib.h>
#include <string.h>

struct making {
	struct cairn_stacks *stacks;
	struct cairn_minidump_options options;
	struct cairn_minidump_summary summary;
	struct cairn_error *error;
	struct capture_plan plan;
	struct loader_facts loader;
};

static enum cairn_status refuse_stacks(struct making *m, enum cairn_status status, const char *what)
{
	return error_set(m->error, status, NULL, "%s", what);
}

/* A part that is mapped twice is not listed. */
static size_t count_modules(const struct snapshot *snapshot)
{
	size_t count = 0;

	for (size_t i = 0; i < snapshot->module_count; i++)
		count += !snapshot->modules[i].remapped;
	return count;
}

static enum cairn_status write_file(struct making *m)
{
	struct snapshot *snapshot = &m->stacks->snapshot;
	const struct cairn_target memory = capture_plan_memory(&m->plan, &snapshot->memory);
	const struct minidump_draft draft = {
		.snapshot = snapshot,
		.memory = &memory,
		.ranges = m->plan.ranges,
		.range_count = m->plan.count,
		.stacks = m->plan.stacks,
		.program = m->loader.program,
		.dynamics = m->loader.dynamics,
		.dynamic = { m->loader.dynamic, m->loader.dynamic_size },
		.loader = m->loader.base,
		.loader_break = m->loader.brk,
		.time = m->options.time,
	};
	return minidump_write(&draft, m->options.write, m->options.context, &m->summary.bytes,
	                      m->error);
}

static void fill_summary(struct making *m)
{
	m->summary.threads = m->stacks->snapshot.thread_count;
	m->summary.modules = count_modules(&m->stacks->snapshot);
	m->summary.whole = m->plan.whole;
	for (size_t i = 0; i < m->plan.count; i++)
		m->summary.memory += m->plan.ranges[i].high - m->plan.ranges[i].low;
}

/* Names that only the host knows become those of the threads. */
static void take_names(struct cairn_stacks *stacks)
{
	struct cairn_thread thread;

	for (size_t i = 0; i < stacks->snapshot.thread_count; i++)
		if (cairn_stacks_thread(stacks, i, &thread))
			stacks->snapshot.threads[i].name = thread.name;
}

static enum cairn_status make_minidump(struct making *m)
{
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (m->stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP)
		return refuse_stacks(m, CAIRN_UNSUPPORTED, "it is a minidump already");
	take_names(m->stacks);
	if (capture_plan_make(&m->plan, m->stacks) && loader_facts_find(&m->loader, m->stacks))
		status = write_file(m);
	else
		refuse_stacks(m, status, "out of memory");
	if (status == CAIRN_OK)
		fill_summary(m);
	loader_facts_finish(&m->loader);
	capture_plan_finish(&m->plan);
	return status;
}

enum cairn_status cairn_minidump_write(struct cairn_stacks *stacks,
                                       const struct cairn_minidump_options *options,
                                       struct cairn_minidump_summary *summary,
                                       struct cairn_error *error)
{
	struct making m = { .stacks = stacks, .options = CAIRN_MINIDUMP_OPTIONS, .error = error };

	memcpy(&m.options, options,
	       options->size < sizeof(m.options) ? options->size : sizeof(m.options));
	const enum cairn_status status = make_minidump(&m);
	if (summary && status == CAIRN_OK) {
		m.summary.size = summary->size;
		memcpy(summary, &m.summary,
		       summary->size < sizeof(m.summary) ? summary->size : sizeof(m.summary));
	}
	return status;
}

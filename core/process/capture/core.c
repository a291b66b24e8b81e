/* SPDX-License-Identifier: MIT */
/* Writes a core of a minidump whose stacks are open: cairn_core_write(). */
#include <cairn.h>

#include "base/base_name.h"
#include "base/error.h"
#include "reopened.h"

#include <string.h>

static enum cairn_status write_core(const struct reopened *r,
                                    const struct cairn_core_options *options,
                                    struct cairn_core_summary *summary, struct cairn_error *error)
{
	const struct core_draft draft = { .snapshot = &r->stacks->snapshot,
		                          .segments = r->map.segments,
		                          .segment_count = r->map.count,
		                          .files = r->files,
		                          .file_count = r->file_count,
		                          .auxv = { r->auxv.data, r->auxv.size },
		                          .name = base_name(r->stacks->snapshot.program) };
	struct core_output output = { options->write, options->context, 0 };
	struct cairn_fault fault;
	const enum cairn_status status = core_write(&draft, &output, &summary->bytes, &fault);

	if (output.error)
		error_set_system(error, output.error, NULL, "the core cannot be written");
	else if (status != CAIRN_OK)
		error_set_fault(error, NULL, NULL, &fault, NULL);
	return status;
}

static void fill_core_summary(const struct reopened *r, struct cairn_core_summary *summary)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;

	summary->threads = snapshot->thread_count;
	for (size_t i = 0; i < snapshot->module_count; i++) {
		const bool linked = reopened_is_linked(r, i);
		summary->modules += linked;
		summary->missing += linked && snapshot->modules[i].file.size == 0;
	}
	summary->linked = r->list.size > 0;
	if (r->program < snapshot->module_count)
		summary->program = snapshot->modules[r->program].file_path;
}

enum cairn_status cairn_core_write(struct cairn_stacks *stacks,
                                   const struct cairn_core_options *options,
                                   struct cairn_core_summary *summary, struct cairn_error *error)
{
	struct cairn_core_options own = CAIRN_CORE_OPTIONS;
	struct cairn_core_summary filled = { .size = sizeof(filled) };
	enum cairn_status status = CAIRN_NO_MEMORY;
	struct reopened r;

	memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (stacks->snapshot.kind != SNAPSHOT_MINIDUMP)
		return error_set(error, CAIRN_UNSUPPORTED, NULL, "it is no minidump");
	if (reopened_make(&r, stacks))
		status = write_core(&r, &own, &filled, error);
	else
		error_set_memory(error, NULL);
	fill_core_summary(&r, &filled);
	reopened_finish(&r);
	if (summary && status == CAIRN_OK) {
		filled.size = summary->size;
		memcpy(summary, &filled,
		       summary->size < sizeof(filled) ? summary->size : sizeof(filled));
	}
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Writes a core of a minidump whose stacks are open: cairn_core_write(). */
#include <cairn.h>

#include "base/base_name.h"
#include "base/error.h"
#include "loader.h"
#include "placeholders.h"
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
		                          .signature_bits = reopened_signature_bits(r),
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

/* Modules, those without files of their own, and the program's file; true: that is not here. */
static bool fill_found_files(const struct cairn_stacks *stacks, struct cairn_core_summary *summary)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const size_t program = loader_find_program(snapshot);

	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *module = &snapshot->modules[i];
		const bool linked = reopened_is_linked(snapshot, module);
		summary->modules += linked;
		summary->missing += linked && module->file.size == 0;
	}
	return program < snapshot->module_count && snapshot->modules[program].file.size == 0;
}

/* The path of the program's file, which outlives a file that stands in for it. */
static void fill_program(struct cairn_stacks *stacks, struct cairn_core_summary *summary)
{
	struct snapshot *snapshot = &stacks->snapshot;
	const size_t program = loader_find_program(snapshot);

	if (program < snapshot->module_count)
		summary->program = snapshot_keep(snapshot, snapshot->modules[program].file_path);
}

static enum cairn_status place_files(const struct placeholders *made,
                                     const struct cairn_core_options *options,
                                     struct cairn_error *error)
{
	for (size_t i = 0; i < made->count; i++) {
		const struct placeholder_file *file = &made->file[i];
		const int failed =
			options->place(options->context, file->path, file->part, file->parts);
		if (failed)
			return error_set_system(error, failed, file->path, "cannot write");
	}
	return CAIRN_OK;
}

/* Files are made for the machines of which cores are written. */
static bool can_stand_in(const struct snapshot *snapshot)
{
	return (snapshot->machine == CAIRN_MACHINE_AMD64 ||
	        snapshot->machine == CAIRN_MACHINE_AARCH64) &&
	       !snapshot->big_endian;
}

/* What a core is made of, besides its stacks. */
struct core_making {
	struct cairn_stacks *stacks;
	const struct cairn_core_options *options;
	struct vector_records vectors;
	struct cairn_core_summary *summary;
};

static enum cairn_status write_reopened(const struct core_making *m, bool program_made,
                                        struct cairn_error *error)
{
	struct reopened r = { .stacks = m->stacks,
		              .vectors = &m->vectors,
		              .program_made = program_made };
	const enum cairn_status status = reopened_make(&r)
	                                         ? write_core(&r, m->options, m->summary, error)
	                                         : error_set_memory(error, NULL);

	m->summary->threads = m->stacks->snapshot.thread_count;
	m->summary->linked = r.list.size > 0;
	reopened_finish(&r);
	return status;
}

static enum cairn_status write_with_files(const struct core_making *m, bool program_made,
                                          struct cairn_error *error)
{
	struct placeholders made;
	enum cairn_status status = placeholders_make(&made, m->stacks, m->options->folder)
	                                   ? place_files(&made, m->options, error)
	                                   : error_set_memory(error, NULL);

	if (status == CAIRN_OK)
		status = write_reopened(m, program_made, error);
	fill_program(m->stacks, m->summary);
	m->summary->placed = made.count;
	m->summary->ambiguous = made.rows.ambiguous + made.rows.left_out;
	placeholders_finish(&made);
	return status;
}

static enum cairn_status make_core(struct core_making *m, struct cairn_error *error)
{
	const struct cairn_core_options *options = m->options;
	enum cairn_status status;

	cairn_stacks_find_files(m->stacks);
	const bool lacks_program = fill_found_files(m->stacks, m->summary);
	if (!vector_records_find(&m->vectors, m->stacks))
		return error_set_memory(error, NULL);
	if (options->folder && options->place && can_stand_in(&m->stacks->snapshot))
		return write_with_files(m, lacks_program, error);
	status = write_reopened(m, false, error);
	fill_program(m->stacks, m->summary);
	return status;
}

bool cairn_core_next_thread(struct cairn_stacks *stacks, size_t *at, struct cairn_thread *thread)
{
	size_t number;

	return core_next_thread(&stacks->snapshot, at, &number) &&
	       cairn_stacks_thread(stacks, number, thread);
}

enum cairn_status cairn_core_write(struct cairn_stacks *stacks,
                                   const struct cairn_core_options *options,
                                   struct cairn_core_summary *summary, struct cairn_error *error)
{
	struct cairn_core_options own = CAIRN_CORE_OPTIONS;
	struct cairn_core_summary filled = { .size = sizeof(filled) };
	struct core_making making = { .stacks = stacks, .options = &own, .summary = &filled };

	memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (stacks->snapshot.kind != CAIRN_STACKS_MINIDUMP)
		return error_set(error, CAIRN_UNSUPPORTED, NULL, "it is no minidump");
	const enum cairn_status status = make_core(&making, error);
	vector_records_finish(&making.vectors);
	if (summary && status == CAIRN_OK) {
		filled.size = summary->size;
		memcpy(summary, &filled,
		       summary->size < sizeof(filled) ? summary->size : sizeof(filled));
	}
	return status;
}

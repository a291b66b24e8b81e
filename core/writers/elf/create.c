/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_functions_write_object(), which writes the functions of an input as an ELF
 * object with DWARF.
 */
#include "object_writer.h"

#include "base/bytes.h"
#include "base/sized.h"
#include "debuginfo/function_source.h"
#include "formats/elf/elf.h"
#include "os/symbol_path.h"

#include <stdlib.h>
#include <string.h>

struct writing {
	struct cairn_functions *origin;
	struct cairn_symbol_object_options options;
	struct cairn_symbol_object_summary summary;
	struct functions_output output;
	struct os_file file;
	/* file with an SFrame table generated for the program; may be empty */
	struct os_file sframe_file;
	struct elf elf;
	struct cairn_program program;
	struct frame_table frames;
	bool has_frames;
	struct cairn_object_options object;
	struct elf_writer *writer;
};

static void read_program_facts(struct writing *w)
{
	struct cairn_range *keep = &w->object.keep;
	struct elf_segment s;

	w->object.machine = w->elf.machine;
	w->object.big_endian = w->elf.big;
	w->object.by_clang = elf_by_clang(&w->elf);
	w->object.unwinds = elf_unwinds(&w->elf);
	w->object.narrow = !w->elf.wide;
	for (uint32_t i = 0; i < w->elf.segments; i++) {
		if (!elf_segment(&w->elf, i, &s) || s.type != ELF_PT_LOAD ||
		    !(s.flags & ELF_PF_EXECUTE) || s.memory_size > UINT64_MAX - s.va)
			continue;
		bool first = keep->low == keep->high;
		if (first || s.va < keep->low)
			keep->low = s.va;
		if (first || s.va + s.memory_size > keep->high)
			keep->high = s.va + s.memory_size;
	}
}

static struct cairn_bytes open_sframe_file(struct writing *w)
{
	const struct cairn_bytes none = { NULL, 0 };
	struct elf_section section;
	char path[SYMBOL_PATH_MAX];

	if (elf_find_section(&w->elf, ".eh_frame", &section) ||
	    elf_find_section(&w->elf, ".sframe", &section) ||
	    cairn_sframe_file_locate(w->options.program, elf_build_id(&w->elf), NULL, path,
	                             sizeof(path)) != CAIRN_OK ||
	    os_file_open_regular(path, &w->sframe_file) != 0)
		return none;
	return w->sframe_file.bytes;
}

static enum cairn_status read_program_parts(struct writing *w)
{
	const struct frame_writer_options options = { .limit = ELF_WRITER_LIMIT,
		                                      .sframe_file = open_sframe_file(w) };
	const struct cairn_bytes file = w->elf.bytes;
	struct cairn_fault fault = { .status = CAIRN_OK };
	enum cairn_status status = cairn_program_parse(file, &w->program, &fault);

	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return error_set(w->output.error, status, w->options.program, "%s", fault.what);
	w->object.section = w->program.section;
	w->object.sections = status == CAIRN_OK ? w->program.sections : 0;
	w->object.entry = w->program.entry;
	w->object.program = file;
	status = frame_table_make(file, &options, &w->frames);
	w->has_frames = status == CAIRN_OK;
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return error_set(w->output.error, status, w->options.program, "%s",
		                 cairn_status_text(status));
	return CAIRN_OK;
}

static enum cairn_status open_target(struct writing *w)
{
	static const struct cairn_functions_options usual;
	const char *path = w->options.program;
	struct cairn_fault fault;

	if (!path)
		return CAIRN_OK;
	const enum cairn_status status = function_source_open_file(
		w->origin ? &w->origin->options : &usual, path, &w->file, w->output.error);
	if (status != CAIRN_OK)
		return status;
	if (elf_open(w->file.bytes, &w->elf, &fault) != CAIRN_OK)
		return error_set_fault(w->output.error, path, NULL, &fault, "expected an ELF file");
	read_program_facts(w);
	return w->object.for_lldb ? read_program_parts(w) : CAIRN_OK;
}

static enum cairn_status check_build(struct writing *w)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	const struct cairn_bytes own = w->origin ? w->origin->build_id : none;

	w->object.build_id = own;
	if (!w->options.program)
		return CAIRN_OK;
	const struct cairn_bytes id = elf_build_id(&w->elf);
	w->object.build_id = id;
	if (!w->origin || w->options.any_build || (id.size && bytes_equal(id, own)))
		return CAIRN_OK;
	return error_set(w->output.error, CAIRN_MISMATCH, w->origin->path, "%s",
	                 !id.size   ? "the program has no build ID to compare with"
	                 : own.size ? "belongs to another build"
	                            : "does not record which build it belongs to");
}

static enum cairn_status count_written_function(void *context, const struct function *function)
{
	struct writing *w = context;
	const struct function_sink sink = elf_writer_sink(w->writer);

	w->summary.functions++;
	return sink.take(sink.context, function);
}

static enum cairn_status finish_object(struct writing *w)
{
	uint8_t *bytes;
	size_t size;
	enum cairn_status status = elf_writer_finish(w->writer, &bytes, &size);

	if (status == CAIRN_NOT_FOUND)
		return error_set(w->output.error, status, w->output.input, "contains no functions");
	if (status != CAIRN_OK)
		return error_set(w->output.error, status, functions_output_path(&w->output), "%s",
		                 cairn_status_text(status));
	status = functions_output_write(&w->output, "", &(struct cairn_bytes){ bytes, size }, 1);
	w->summary.bytes = size;
	free(bytes);
	return status;
}

static enum cairn_status convert_to_object(struct writing *w)
{
	const struct function_sink sink = { count_written_function, w };
	enum cairn_status status = CAIRN_OK;

	w->writer = elf_writer_new(&w->object, w->has_frames ? &w->frames : NULL, 0);
	if (!w->writer)
		return error_set_memory(w->output.error, functions_output_path(&w->output));
	if (w->origin)
		status = function_source_read_serially(w->origin, sink, w->output.error);
	if (status == CAIRN_OK)
		status = finish_object(w);
	elf_writer_free(w->writer);
	return status;
}

static enum cairn_status make_object(struct writing *w)
{
	enum cairn_status status = open_target(w);

	if (status == CAIRN_OK)
		status = check_build(w);
	if (status == CAIRN_OK)
		status = convert_to_object(w);
	w->summary.frames = w->frames.functions;
	w->summary.damaged = w->frames.damaged;
	w->summary.fault = w->frames.fault;
	frame_table_finish(&w->frames);
	if (w->sframe_file.bytes.data)
		os_file_close(&w->sframe_file);
	if (w->file.bytes.data)
		os_file_close(&w->file);
	return status;
}

enum cairn_status cairn_functions_write_object(struct cairn_functions *functions,
                                               const struct cairn_symbol_object_options *options,
                                               const struct cairn_output *output,
                                               struct cairn_symbol_object_summary *summary,
                                               struct cairn_error *error)
{
	struct writing *w = calloc(1, sizeof(*w));

	if (!w)
		return error_set_memory(error, NULL);
	sized_take(&w->options, sizeof(w->options), options);
	w->origin = functions;
	w->object.machine = w->options.machine;
	w->object.big_endian = w->options.big_endian;
	w->object.narrow = w->options.narrow;
	w->object.for_lldb = w->options.for_lldb;
	w->output = functions_output_of(output, w->origin ? w->origin->path : w->options.program,
	                                error);
	const enum cairn_status status = make_object(w);
	sized_give(&w->summary, sizeof(w->summary), summary);
	free(w);
	return status;
}

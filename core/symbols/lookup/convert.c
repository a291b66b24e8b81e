/* SPDX-License-Identifier: MIT */
/* Converts a symbfile or Breakpad file to a GSYM image in memory. */
#include "convert.h"

#include "base/cleanup.h"
#include "formats/breakpad/breakpad.h"
#include "formats/gsym/gsym.h"
#include "symbols/index/build.h"
#include "symbols/sources/breakpad/breakpad.h"
#include "symbols/sources/go/go.h"
#include "symbols/sources/jit/jit.h"
#include "symbols/sources/symbfile/symbfile.h"
#include "writers/gsym/writer.h"

#include <stdlib.h>

static enum cairn_status reject_conversion(struct cairn_fault *fault, enum cairn_status status,
                                           const char *what)
{
	*fault = (struct cairn_fault){ status, 0, what };
	return status;
}

bool symbols_must_convert(struct cairn_bytes file, enum cairn_symbol_format *format)
{
	if (symbfile_has_magic(file))
		*format = CAIRN_SYMBOLS_SYMBFILE;
	else if (!gsym_has_magic(file) && breakpad_is_likely(file))
		*format = CAIRN_SYMBOLS_BREAKPAD;
	else
		return false;
	return true;
}

/* Functions of one of the formats; their texts live until it is closed. */
struct input {
	struct symbfile_built symbfile;
	struct breakpad_file *breakpad;
	struct go_program go;
	bool has_go;
	struct go_functions *go_functions;
	struct jit_code jit;
	bool has_jit;
	struct cairn_bytes build_id;
	struct polling *polling;
};

static enum cairn_status open_go(struct cairn_bytes file, struct input *from,
                                 struct cairn_fault *fault)
{
	enum cairn_status status = go_program_open(file, &from->go, fault);

	if (status == CAIRN_NOT_FOUND)
		return reject_conversion(fault, status, "not a Go program");
	if (status != CAIRN_OK)
		return status;
	from->has_go = true;
	from->build_id = elf_build_id(&from->go.elf);
	from->go_functions = go_functions_new(&from->go);
	return from->go_functions ? CAIRN_OK
	                          : reject_conversion(fault, CAIRN_NO_MEMORY, "out of memory");
}

static enum cairn_status open_jit(struct cairn_bytes file, struct input *from,
                                  struct cairn_fault *fault)
{
	from->has_jit = true;
	if (jit_code_read(&from->jit, file, from->polling) != CAIRN_OK)
		return reject_conversion(fault, CAIRN_NO_MEMORY, "out of memory");
	jit_code_drop_replaced(&from->jit);
	return CAIRN_OK;
}

static enum cairn_status open_input(struct cairn_bytes file, enum cairn_symbol_format format,
                                    struct input *from, struct cairn_fault *fault)
{
	if (format == CAIRN_SYMBOLS_GO)
		return open_go(file, from, fault);
	if (format == CAIRN_SYMBOLS_JIT)
		return open_jit(file, from, fault);
	if (format == CAIRN_SYMBOLS_BREAKPAD) {
		from->breakpad = breakpad_file_new_polled(file, from->polling);
		if (!from->breakpad)
			return reject_conversion(fault, CAIRN_NO_MEMORY, "out of memory");
		from->build_id = breakpad_file_build_id(from->breakpad);
		return CAIRN_OK;
	}
	enum cairn_status status = symbfile_build_polled(&file, 1, from->polling, &from->symbfile);
	if (status != CAIRN_OK)
		return reject_conversion(fault, status,
		                         status == CAIRN_NO_MEMORY
		                                 ? "out of memory"
		                                 : "ranges that overlap too much");
	return CAIRN_OK;
}

static void close_input(struct input *from)
{
	breakpad_file_free(from->breakpad);
	go_functions_free(from->go_functions);
	jit_code_finish(&from->jit);
	if (from->has_go)
		go_program_close(&from->go);
	else if (!from->breakpad && !from->has_jit)
		symbfile_built_free(&from->symbfile);
}

static enum cairn_status read_go(const struct input *from, const struct function_sink *sink)
{
	enum cairn_status status = CAIRN_OK;

	for (uint64_t i = 0; i < from->go.table.functions && status == CAIRN_OK; i++)
		status = go_functions_read(from->go_functions, i, sink);
	return status;
}

static enum cairn_status read_functions(const struct input *from, const struct function_sink *sink)
{
	struct breakpad_summary report;

	if (from->go_functions)
		return read_go(from, sink);
	if (from->has_jit)
		return jit_functions(&from->jit, sink);
	if (!from->breakpad)
		return symbfile_functions(&from->symbfile.index, sink);
	return breakpad_functions(from->breakpad, 0, sink, NULL, &report);
}

/* Between functions the host is asked. */
struct passing {
	struct function_sink to;
	struct polling *polling;
};

static enum cairn_status pass_function(void *context, const struct function *function)
{
	struct passing *passing = context;

	polling_count(passing->polling, 1 + function->row_count + function->inline_count);
	return passing->to.take(passing->to.context, function);
}

static enum cairn_status write_gsym(const struct input *from, struct gsym_writer *writer,
                                    struct gsym_output *output)
{
	struct gsym_shard *shard = gsym_writer_shard(writer);

	if (!shard)
		return CAIRN_NO_MEMORY;
	struct passing passing = { gsym_shard_sink(shard), from->polling };
	const struct function_sink sink = { pass_function, &passing };
	enum cairn_status status = read_functions(from, &sink);
	if (status == CAIRN_OK)
		status = gsym_writer_order(writer);
	return status == CAIRN_OK ? gsym_writer_image(writer, 0, UINT64_MAX, output) : status;
}

/* Why there is nothing to be had of a file that was read. */
static enum cairn_status reject_empty_input(const struct input *from, struct cairn_fault *fault)
{
	const struct cairn_fault *damage = &from->symbfile.fault[0];

	if (damage->status != CAIRN_OK) {
		*fault = *damage;
		return damage->status;
	}
	return reject_conversion(fault, CAIRN_NOT_FOUND,
	                         from->symbfile.pads
	                                 ? "return pads alone, which are not symbols of functions"
	                                 : "no functions in it");
}

static void free_writer(struct gsym_writer **writer)
{
	gsym_writer_free(*writer);
}

enum cairn_status symbols_convert(struct cairn_bytes file, enum cairn_symbol_format format,
                                  struct polling *polling, struct symbols_converted *converted,
                                  struct cairn_fault *fault)
{
	struct gsym_output output = { .data = NULL };
	WITH_CLEANUP(close_input)
	struct input from = { .build_id = { (const uint8_t *)"", 0 }, .polling = polling };
	enum cairn_status status = open_input(file, format, &from, fault);

	if (status != CAIRN_OK)
		return status;
	const struct gsym_writer_options options = {
		.version = 1, .base = UINT64_MAX, .uuid = from.build_id, .keep_order = true
	};
	WITH_CLEANUP(free_writer) struct gsym_writer *writer = gsym_writer_new(&options);
	status = writer ? write_gsym(&from, writer, &output) : CAIRN_NO_MEMORY;
	if (status == CAIRN_OK)
		*converted = (struct symbols_converted){ output.data, output.size,
			                                 from.symbfile.fault[0] };
	else if (status == CAIRN_NOT_FOUND)
		status = reject_empty_input(&from, fault);
	else
		reject_conversion(fault, status, cairn_status_text(status));
	return status;
}

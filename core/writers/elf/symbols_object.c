/* SPDX-License-Identifier: MIT */
/* Implements cairn_object_make(), which writes an object for any kind of symbols. */
#include "writer.h"

#include "base/memory.h"
#include "symbols/lookup/symbols.h"
#include "symbols/sources/gsym.h"

#include <stdlib.h>

enum { ELF_AMD64 = 62 };
/* Number of functions, rows and calls between calls of the host's poll(). */
enum { POLL_WORK = 1 << 14 };

struct counter {
	struct function_sink to;
	const struct cairn_object_options *options;
	const struct frame_writer_options *how;
	uint64_t count;
	uint64_t work;
};

static enum cairn_status forward_counted_function(void *context, const struct function *function)
{
	struct counter *counter = context;

	if (frame_writer_leaves_out(counter->how, function->start))
		return CAIRN_OK;
	counter->count++;
	counter->work += 1 + function->row_count + function->inline_count;
	if (counter->options->poll && counter->work >= POLL_WORK) {
		counter->work = 0;
		counter->options->poll(counter->options->poll_context);
	}
	return counter->to.take(counter->to.context, function);
}

/* Get the frames of the program or of JIT code. Return NOT_FOUND if neither has frames. */
static enum cairn_status make_frames(const struct cairn_object_options *options,
                                     const struct frame_writer_options *how,
                                     struct frame_table *frames)
{
	enum cairn_status status = CAIRN_NOT_FOUND;
	if (options->program.size > 0 && options->for_lldb)
		status = frame_table_make(options->program, how, frames);
	if (options->program.size > 0 && status == CAIRN_NOT_FOUND) {
		frame_table_finish(frames);
		status = frame_table_make_go(options->program, how, frames);
	}
	if (options->jit.size > 0 && options->machine == ELF_AMD64)
		status = frame_table_make_jit(options->jit, how, frames);
	return status;
}

static void free_writer(struct elf_writer **writer)
{
	elf_writer_free(*writer);
}

enum cairn_status cairn_object_make(const struct cairn_symbols *symbols,
                                    const struct cairn_object_options *options,
                                    struct cairn_object *object)
{
	const struct frame_writer_options how = { .limit = ELF_WRITER_LIMIT,
		                                  .poll = options->poll,
		                                  .poll_context = options->poll_context,
		                                  .excluded = options->excluded,
		                                  .excluded_count = options->excluded_count,
		                                  .sframe_file = options->sframe_file };
	WITH_CLEANUP(frame_table_finish) struct frame_table frames = { .functions = 0 };
	enum cairn_status status = make_frames(options, &how, &frames);
	const bool has_frames = status == CAIRN_OK;
	if (!has_frames && status != CAIRN_NOT_FOUND)
		return status;
	WITH_CLEANUP(free_writer)
	struct elf_writer *writer = elf_writer_new(options, has_frames ? &frames : NULL, 0);
	struct gsym_losses losses = { .count = 0 };
	uint8_t *bytes = NULL;
	size_t size = 0;

	if (!writer)
		return CAIRN_NO_MEMORY;
	struct counter counter = { elf_writer_sink(writer), options, &how, 0, POLL_WORK };
	const struct function_sink sink = { forward_counted_function, &counter };
	status = CAIRN_OK;
	if (symbols && !symbols->is_image)
		status = kept_functions_give(&symbols->functions.list, &sink);
	else if (symbols)
		status = gsym_functions(&symbols->image.gsym, &sink, true, &losses);
	if (status == CAIRN_OK)
		status = elf_writer_finish(writer, &bytes, &size);
	if (status == CAIRN_OK)
		*object = (struct cairn_object){
			{ bytes, size }, counter.count, losses.count, losses.first
		};
	return status;
}

void cairn_object_free(struct cairn_object *object)
{
	static const uint8_t nothing[1];

	if (object->bytes.data != nothing)
		free((void *)(uintptr_t)object->bytes.data);
	object->bytes = (struct cairn_bytes){ nothing, 0 };
}

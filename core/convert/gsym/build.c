/* SPDX-License-Identifier: MIT */
/* Feeds the functions of an input to a GSYM writer and orders them. */
#include "build.h"

#include "base/error.h"

static bool lend_writer_sink(void *context, unsigned thread, struct function_sink *sink)
{
	struct gsym_shard *shard = gsym_writer_shard(context);

	(void)thread;
	if (shard)
		*sink = gsym_shard_sink(shard);
	return shard != NULL;
}

static void begin_writer_unit(void *context, unsigned thread, uint32_t unit)
{
	gsym_shard_unit(gsym_writer_thread(context, thread), unit);
}

static int compare_names(const void *context, uint64_t va, struct cairn_bytes a,
                         struct cairn_bytes b)
{
	return function_source_compare_names(context, va, a, b);
}

struct gsym_writer_options gsym_build_options(const struct function_source *origin)
{
	return (struct gsym_writer_options){ .version = 1,
		                             .big = origin->big,
		                             .calls = origin->options.calls,
		                             .columns = origin->columns,
		                             .base = origin->base,
		                             .uuid = origin->build_id,
		                             .order = { compare_names, origin },
		                             .keep_order = origin->kind != CAIRN_SYMBOLS_ELF };
}

enum cairn_status gsym_build(struct function_source *origin, struct gsym_writer *writer,
                             struct cairn_error *error)
{
	const struct function_source_sinks takers = { lend_writer_sink, begin_writer_unit, writer,
		                                      true };
	enum cairn_status status = function_source_read(origin, &takers, error);

	if (status != CAIRN_OK)
		return status;
	status = gsym_writer_order(writer);
	if (status == CAIRN_NOT_FOUND)
		return error_set(error, status, origin->path, "no functions in it");
	return status == CAIRN_OK ? CAIRN_OK : error_set_memory(error, origin->path);
}

enum cairn_status gsym_build_image(struct function_source *origin, bool merged,
                                   struct gsym_output *output, struct cairn_error *error)
{
	struct gsym_writer_options options = gsym_build_options(origin);

	options.merged = merged;
	struct gsym_writer *writer = gsym_writer_new(&options);
	enum cairn_status status =
		writer ? gsym_build(origin, writer, error) : error_set_memory(error, origin->path);

	if (status == CAIRN_OK && gsym_writer_image(writer, 0, UINT64_MAX, output) != CAIRN_OK)
		status = error_set_memory(error, origin->path);
	gsym_writer_free(writer);
	return status;
}

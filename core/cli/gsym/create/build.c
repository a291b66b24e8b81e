/* SPDX-License-Identifier: MIT */
/* Feeds the functions of an input to a GSYM writer and orders them. */
#include "build.h"

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
		                             .base = origin->base,
		                             .uuid = origin->build_id,
		                             .compare_names = compare_names,
		                             .context = origin,
		                             .keep_order = origin->kind != FUNCTION_SOURCE_ELF };
}

struct function_source_sinks gsym_build_sinks(struct gsym_writer *writer)
{
	return (struct function_source_sinks){ lend_writer_sink, begin_writer_unit, writer };
}

int gsym_build(struct function_source *origin, struct gsym_writer *writer)
{
	struct function_source_sinks takers = gsym_build_sinks(writer);

	if (function_source_read(origin, &takers) != CAIRN_OK)
		return EXIT_BROKEN;
	switch (gsym_writer_order(writer)) {
	case CAIRN_OK:
		return EXIT_CLEAN;
	case CAIRN_NOT_FOUND:
		print_diagnostic(origin->path, "no functions in it");
		return EXIT_MISSING;
	case CAIRN_NO_MEMORY:
	case CAIRN_TRUNCATED:
	case CAIRN_MALFORMED:
	case CAIRN_UNSUPPORTED:
	case CAIRN_UNREADABLE:
	case CAIRN_MISMATCH:
		break;
	}
	print_diagnostic(origin->path, "out of memory");
	return EXIT_BROKEN;
}

int gsym_build_image(struct function_source *origin, bool merged, struct gsym_output *output)
{
	struct gsym_writer_options options = gsym_build_options(origin);

	options.merged = merged;
	struct gsym_writer *writer = gsym_writer_new(&options);
	int status = writer ? gsym_build(origin, writer) : EXIT_BROKEN;

	if (!writer || (status == EXIT_CLEAN &&
	                gsym_writer_image(writer, 0, UINT64_MAX, output) != CAIRN_OK)) {
		print_diagnostic(origin->path, "out of memory");
		status = EXIT_BROKEN;
	}
	gsym_writer_free(writer);
	return status;
}

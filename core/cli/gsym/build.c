/* SPDX-License-Identifier: MIT */
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
	return origin_compare_names(context, va, a, b);
}

struct gsym_writer_options gsym_build_options(const struct origin *origin)
{
	return (struct gsym_writer_options){ .version = 1,
		                             .big = origin->big,
		                             .calls = origin->options.calls,
		                             .base = origin->base,
		                             .uuid = origin->build_id,
		                             .compare_names = compare_names,
		                             .context = origin,
		                             .keep_order = origin->kind != ORIGIN_ELF };
}

struct origin_takers gsym_build_takers(struct gsym_writer *writer)
{
	return (struct origin_takers){ lend_writer_sink, begin_writer_unit, writer };
}

int gsym_build(struct origin *origin, struct gsym_writer *writer)
{
	struct origin_takers takers = gsym_build_takers(writer);

	if (origin_read(origin, &takers) != CAIRN_OK)
		return EXIT_BROKEN;
	switch (gsym_writer_order(writer)) {
	case CAIRN_OK:
		return EXIT_CLEAN;
	case CAIRN_NOT_FOUND:
		complain(origin->path, "no functions in it");
		return EXIT_MISSING;
	case CAIRN_NO_MEMORY:
	case CAIRN_TRUNCATED:
	case CAIRN_MALFORMED:
	case CAIRN_UNSUPPORTED:
	case CAIRN_UNREADABLE:
	case CAIRN_MISMATCH:
		break;
	}
	complain(origin->path, "out of memory");
	return EXIT_BROKEN;
}

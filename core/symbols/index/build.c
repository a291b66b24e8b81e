/* SPDX-License-Identifier: MIT */
/* Reads symbfiles in any record order and builds their segments, frames and bucket table. */
#include "build.h"

#include "segments.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { BUCKET_SEGMENTS = 4 }; /* segments in a bucket, about */

/* Counts all from the first segment on, so that the base is one, and 32 bits are enough again. */
static void rebase_segments(struct index_build *b)
{
	struct segments *s = &b->out;
	uint64_t first = 0;

	if (s->count == 0)
		return;
	first = s->wide ? ((uint64_t *)s->start)[0] : ((uint32_t *)s->start)[0];
	for (size_t i = 0; i < s->count; i++)
		if (s->wide)
			((uint64_t *)s->start)[i] -= first;
		else
			((uint32_t *)s->start)[i] -= (uint32_t)first;
	for (size_t i = 0; i < b->nodes.count; i++)
		if (s->wide)
			((uint64_t *)b->nodes.start)[i] -= first;
		else
			((uint32_t *)b->nodes.start)[i] -= (uint32_t)first;
	s->origin += first;
}

/* A bucket for about each BUCKET_SEGMENTS segments: the last one that begins at or before it. */
static uint32_t *make_buckets(struct symbfile_index *x)
{
	uint64_t span = symbfile_index_at(x, x->start, x->segments - 1) - x->base;
	size_t wanted = x->segments / BUCKET_SEGMENTS + 1, segment = 0;

	while (x->shift < 63 && (span >> x->shift) >= wanted)
		x->shift++;
	x->buckets = (size_t)(span >> x->shift) + 1;
	uint32_t *bucket = malloc(x->buckets * sizeof(*bucket));
	for (size_t i = 0; bucket && i < x->buckets; i++) {
		uint64_t begin = (uint64_t)i << x->shift;
		while (segment + 1 < x->segments &&
		       symbfile_index_at(x, x->start, segment + 1) - x->base <= begin)
			segment++;
		bucket[i] = (uint32_t)segment;
	}
	return bucket;
}

static void fill_built_index(struct index_build *b, struct symbfile_built *built)
{
	static const uint32_t no_text = 0;
	struct symbfile_index *x = &built->index;

	*x = (struct symbfile_index){
		.wide = b->out.wide,
		.base = b->out.origin,
		.start = b->out.start,
		.node = b->out.node,
		.line = b->out.line,
		.segments = b->out.count,
		.nodes = b->nodes.node,
		.node_start = b->nodes.start,
		.node_count = b->nodes.count,
		.text_at = b->pool.at ? b->pool.at : &no_text,
		.texts = b->pool.count,
		.blob = b->pool.blob,
		.blob_size = b->pool.blob_size,
		.pad = b->pad,
		.pad_first = b->pad_first ? b->pad_first : &no_text,
		.pads = b->pads,
		.frames = b->frames,
		.frame_count = b->frame_count,
	};
	built->ranges = b->ranges;
	built->pads = b->pads;
	void *memory[] = { b->out.start, b->out.node, b->out.line, b->nodes.node, b->nodes.start,
		           b->pool.blob, b->pool.at,  b->pad,      b->pad_first,  b->frames };
	memcpy(built->memory, memory, sizeof(memory));
	slot_table_finish(&b->pool.slots);
	symbfile_sweep_free(b->sweep);
	*b = (struct index_build){ .stop = b->stop };
}

/* What is not the index's now. */
static void free_build_arrays(struct index_build *b)
{
	symbfile_sweep_free(b->sweep);
	free(b->out.start);
	free(b->out.node);
	free(b->out.line);
	free(b->nodes.node);
	free(b->nodes.start);
	free(b->outlines);
	free(b->pad);
	free(b->pad_first);
	free(b->frames);
	string_pool_finish(&b->pool);
}

static void read_and_order_files(struct index_build *b, struct symbfile_built *built)
{
	for (size_t i = 0; i < b->file_count && b->stop == BUILD_CONTINUE; i++)
		built->fault[i] = build_read(b, (uint32_t)i);
	if (b->stop == BUILD_CONTINUE)
		build_put_in_order(b);
	if (b->stop == BUILD_CONTINUE)
		build_sort_pads(b);
}

static enum cairn_status status_of(enum build_stop_reason stop)
{
	return stop == BUILD_NO_MEMORY ? CAIRN_NO_MEMORY : CAIRN_UNSUPPORTED;
}

/* One try, with addresses of 32 or 64 bits. */
static enum build_stop_reason try_build(const struct cairn_bytes *files, size_t count, bool wide,
                                        struct polling *polling, struct symbfile_built *built)
{
	WITH_CLEANUP(free_build_arrays)
	struct index_build b = { .files = files,
		                 .file_count = count,
		                 .out = { .wide = wide },
		                 .nodes = { .limit = UINT32_MAX },
		                 .polling = polling };

	*built = (struct symbfile_built){ .ranges = 0 };
	read_and_order_files(&b, built);
	if (b.stop != BUILD_CONTINUE)
		return b.stop;
	rebase_segments(&b);
	fill_built_index(&b, built);
	if (built->index.segments == 0)
		return BUILD_CONTINUE;
	uint32_t *bucket = make_buckets(&built->index);
	built->index.bucket = bucket;
	built->memory[COUNT_OF(built->memory) - 1] = bucket;
	return bucket ? BUILD_CONTINUE : BUILD_NO_MEMORY;
}

enum cairn_status symbfile_build(const struct cairn_bytes *files, size_t count,
                                 struct polling *polling, struct symbfile_built *built)
{
	*built = (struct symbfile_built){ .ranges = 0 };
	if (count > SYMBFILE_FILES_MAX)
		return CAIRN_UNSUPPORTED;
	enum build_stop_reason stop = try_build(files, count, false, polling, built);
	if (stop == BUILD_TOO_WIDE)
		stop = try_build(files, count, true, polling, built);
	if (stop == BUILD_CONTINUE)
		return CAIRN_OK;
	symbfile_built_free(built);
	return status_of(stop);
}

void symbfile_built_free(struct symbfile_built *built)
{
	for (size_t i = 0; i < COUNT_OF(built->memory); i++)
		free(built->memory[i]);
	memset(built->memory, 0, sizeof(built->memory));
}

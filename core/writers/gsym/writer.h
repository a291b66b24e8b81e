/* SPDX-License-Identifier: MIT */
/*
 * Converts functions, which may be added in any order and by several threads, to a GSYM file:
 *
 *	struct gsym_writer *writer = gsym_writer_new(&options);
 *	struct gsym_shard *shard = gsym_writer_shard(writer);     one for each thread
 *	struct function_sink sink = gsym_shard_sink(shard);
 *	... the reader passes its functions to the sink
 *	gsym_writer_order(writer);
 *	gsym_writer_image(writer, 0, UINT64_MAX, &image);         one file, or piece after piece
 *
 * The file depends only on the functions, not on the thread or the time at which they were added:
 * functions are sorted by start and end, and strings and files are numbered by their first use in
 * that order. If several functions have the same range, one becomes the entry (see writer.c). The
 * others are merged into it if requested, and otherwise only counted.
 *
 * Each function is encoded when it is added, so it needs about as much memory as in the file.
 * Strings are not copied: the readers must stay open until the file is written.
 */
#ifndef CAIRN_WRITERS_GSYM_WRITER_H
#define CAIRN_WRITERS_GSYM_WRITER_H

#include "base/function.h"

#include <cairn/functions.h>

struct gsym_writer;
struct gsym_shard;

struct gsym_writer_options {
	/* 1 or 2; version 2 is used anyway if version 1 cannot represent the data */
	unsigned version;
	bool big;
	bool merged, calls;
	/*
	 * write column numbers, in blocks that other readers skip; used for files in cairn's cache
	 */
	bool columns;
	uint64_t base; /* base address; lowered to the start of the first function if necessary */
	struct cairn_bytes uuid;
	struct function_order order;
	/* among functions with the same range, choose the one added first as the entry */
	bool keep_order;
};

/* Create a writer. Strings in the options are borrowed. Returns NULL if allocation fails. */
struct gsym_writer *gsym_writer_new(const struct gsym_writer_options *options);
void gsym_writer_free(struct gsym_writer *writer);

struct gsym_shard *gsym_writer_shard(struct gsym_writer *writer);
struct gsym_shard *gsym_writer_thread(struct gsym_writer *writer, unsigned thread);
struct function_sink gsym_shard_sink(struct gsym_shard *shard);

/*
 * Declare that the functions added next belong to `unit`. Equal functions are ordered by unit and
 * then by time of addition, so all functions in a unit must be added to the same shard.
 */
void gsym_shard_unit(struct gsym_shard *shard, uint32_t unit);

/*
 * Sort all functions. Must be called after the last function has been added and before the first
 * image is written. Returns NOT_FOUND if there are no functions.
 */
CAIRN_MUST_USE enum cairn_status gsym_writer_order(struct gsym_writer *writer);
/*
 * Set the members of *summary from `functions` to `cut` to statistics about the input, and the
 * other members to 0.
 */
void gsym_writer_summary(const struct gsym_writer *writer, struct cairn_gsym_summary *summary);

uint32_t gsym_writer_count(const struct gsym_writer *writer);
uint64_t gsym_writer_start(const struct gsym_writer *writer, uint32_t entry);

struct gsym_output {
	uint8_t *data;
	size_t size;
	uint32_t count;
	unsigned version;
	const char *why; /* reason for writing version 2 instead of version 1, or NULL */
	size_t strings, files;
};

/*
 * Layout of a file that contains the entries starting at `first`: as many as fit in `limit` bytes,
 * but at least one.
 */
struct gsym_outline;

/*
 * Compute the layout of a file. The file can be written piece by piece until the next layout is
 * computed. Returns NULL if allocation fails.
 */
struct gsym_outline *gsym_writer_outline(struct gsym_writer *writer, uint32_t first,
                                         uint64_t limit);
void gsym_outline_free(struct gsym_outline *file);

struct gsym_output gsym_outline_facts(const struct gsym_outline *file);

struct gsym_piece {
	uint64_t at;
	size_t size;
};

/*
 * Access the pieces of a file. They cover the file without gaps, and several threads may write them
 * in any order.
 */
size_t gsym_outline_pieces(const struct gsym_outline *file);
struct gsym_piece gsym_outline_piece(const struct gsym_outline *file, size_t number);
void gsym_outline_put(const struct gsym_outline *file, size_t number, uint8_t *bytes);

CAIRN_MUST_USE enum cairn_status gsym_writer_image(struct gsym_writer *writer, uint32_t first,
                                                   uint64_t limit, struct gsym_output *output);

#endif

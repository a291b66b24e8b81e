/* SPDX-License-Identifier: MIT */
/*
 * Converts functions to symbfiles. Functions may be added by several threads:
 *
 *	struct symbfile_maker *maker = symbfile_maker_new();
 *	struct symbfile_shard *shard = symbfile_maker_shard(maker);     one for each thread
 *	struct function_sink sink = symbfile_shard_sink(shard);
 *	... the reader passes its functions to the sink
 *	status = symbfile_maker_arrange(maker, &names);
 *	status = symbfile_maker_ranges(maker, &file);
 *	status = symbfile_maker_pads(maker, &code, &pads);
 *	symbfile_maker_free(maker);
 *
 * The result depends only on the functions, not on the thread or the time at which they were added.
 *
 * Each function becomes a tree of records in pre-order. Where the function's own lines change to
 * another file, a new piece of the function begins, followed by the inlined calls in that piece.
 * Where functions overlap, an address belongs to the function that begins last or, among equal
 * starts, to the one that was added first. Trees are cut accordingly, so that readers never mix two
 * trees. A symbol is used only if it fits completely into a gap in the debugging information.
 * Inlined calls are written even if they have no lines.
 *
 * Strings are copied, so the readers may be closed before the files are written.
 */
#ifndef CAIRN_WRITERS_SYMBFILE_MAKER_H
#define CAIRN_WRITERS_SYMBFILE_MAKER_H

#include "base/byte_buffer.h"
#include "base/function.h"

#include <cairn/functions.h>

struct symbfile_maker;
struct symbfile_shard;

struct symbfile_maker *symbfile_maker_new(void);
void symbfile_maker_free(struct symbfile_maker *maker);

struct symbfile_shard *symbfile_maker_shard(struct symbfile_maker *maker);
struct symbfile_shard *symbfile_maker_thread(struct symbfile_maker *maker, unsigned thread);
struct function_sink symbfile_shard_sink(struct symbfile_shard *shard);

/*
 * Declare that the functions added next belong to `unit`. All functions of a unit must be added to
 * the same shard.
 */
void symbfile_shard_unit(struct symbfile_shard *shard, uint32_t unit);

/*
 * Callback that converts names. It is called once for each distinct name, and its result is copied
 * before the next call. NULL leaves names unchanged.
 */
struct symbfile_names {
	struct cairn_bytes (*name)(void *context, struct cairn_bytes linked);
	void *context;
};

/*
 * Arrange all functions. Must be called after the last function has been added and before the first
 * file is written. Returns NOT_FOUND if there are no functions.
 */
CAIRN_MUST_USE enum cairn_status symbfile_maker_arrange(struct symbfile_maker *maker,
                                                        const struct symbfile_names *names);
/* Set *summary to statistics about the input and the output. The file sizes are set to 0. */
void symbfile_maker_summary(const struct symbfile_maker *maker,
                            struct cairn_symbfile_summary *summary);

CAIRN_MUST_USE enum cairn_status symbfile_maker_ranges(struct symbfile_maker *maker,
                                                       struct sink *file);

/* Executable segments of the program. Each call in them gets a return pad. */
struct maker_code {
	enum cairn_machine machine;
	struct maker_code_piece {
		uint64_t va;
		struct cairn_bytes bytes;
	} * piece;
	size_t pieces;
};

/* Write the return pads file. Returns UNSUPPORTED if calls cannot be decoded on this machine. */
CAIRN_MUST_USE enum cairn_status symbfile_maker_pads(struct symbfile_maker *maker,
                                                     const struct maker_code *code,
                                                     struct sink *file);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Makes symbfiles of functions, from several threads if one likes:
 *
 *	struct symbfile_maker *maker = symbfile_maker_new();
 *	struct symbfile_shard *shard = symbfile_maker_shard(maker);     one for each thread
 *	struct function_sink sink = symbfile_shard_sink(shard);
 *	... the reader hands its functions to the sink
 *	status = symbfile_maker_arrange(maker, &names);
 *	status = symbfile_maker_ranges(maker, &file);
 *	status = symbfile_maker_pads(maker, &code, &pads);
 *	symbfile_maker_free(maker);
 *
 * The files depend on the functions alone, and not on who brought them when.
 *
 * Each function becomes a tree of records in pre-order; where its own lines come from another file,
 * a new piece of it begins, followed by the inlined calls in that piece.  Where functions overlap,
 * an address belongs to the one that begins last, of equal starts to the first that came, and trees
 * are cut to what is theirs, so that no reader mixes two of them.  Symbols fill only what debugging
 * information leaves, whole symbols at a time.  All is written: inlined calls without lines too.
 *
 * Texts are copied: readers may be closed before the files are made.
 */
#ifndef CAIRN_WRITERS_SYMBFILE_MAKER_H
#define CAIRN_WRITERS_SYMBFILE_MAKER_H

#include "base/sink.h"
#include "model/function.h"

#include <cairn/functions.h>

struct symbfile_maker;
struct symbfile_shard;

/* NULL when memory is short. */
struct symbfile_maker *symbfile_maker_new(void);
void symbfile_maker_free(struct symbfile_maker *maker);

/* One thread's part; to be called by one thread.  NULL when memory is short. */
struct symbfile_shard *symbfile_maker_shard(struct symbfile_maker *maker);
/* The one that was made as number `thread`. */
struct symbfile_shard *symbfile_maker_thread(struct symbfile_maker *maker, unsigned thread);
struct function_sink symbfile_shard_sink(struct symbfile_shard *shard);

/* The functions that follow are of this unit, which must go to one shard. */
void symbfile_shard_unit(struct symbfile_shard *shard, uint32_t unit);

/*
 * What a name becomes; asked once for each distinct one.  The result is copied before the next
 * question.  NULL: names stay as they are.
 */
struct symbfile_names {
	struct cairn_bytes (*name)(void *context, struct cairn_bytes linked);
	void *context;
};

/* After the last function, before the first file.  NOT_FOUND: there is none. */
CAIRN_MUST_USE enum cairn_status symbfile_maker_arrange(struct symbfile_maker *maker,
                                                        const struct symbfile_names *names);
/* What was given and what became of it.  The sizes of the files are 0: the caller has these. */
void symbfile_maker_summary(const struct symbfile_maker *maker,
                            struct cairn_symbfile_summary *summary);

/* free() gives back the bytes of a file, `file->data`. */
CAIRN_MUST_USE enum cairn_status symbfile_maker_ranges(struct symbfile_maker *maker,
                                                       struct sink *file);

/* The program's code, for return pads: what is loaded to be run. */
struct maker_code {
	enum cairn_machine machine;
	struct maker_code_piece {
		uint64_t va;
		struct cairn_bytes bytes;
	} * piece;
	size_t pieces;
};

/* UNSUPPORTED: calls of this machine are not known. */
CAIRN_MUST_USE enum cairn_status symbfile_maker_pads(struct symbfile_maker *maker,
                                                     const struct maker_code *code,
                                                     struct sink *file);

#endif

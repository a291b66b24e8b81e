/* SPDX-License-Identifier: MIT */
/*
 * Makes a GSYM file of functions, which come in any order, from several threads if one likes:
 *
 *	struct gsym_writer *writer = gsym_writer_new(&options);
 *	struct gsym_shard *shard = gsym_writer_shard(writer);     one for each thread
 *	struct function_sink sink = gsym_shard_sink(shard);
 *	... the reader hands its functions to the sink
 *	gsym_writer_order(writer);
 *	gsym_writer_image(writer, 0, UINT64_MAX, &image);         one file, or piece after piece
 *
 * The file depends on the functions alone, and not on who brought them when: they are sorted by
 * start and end, and strings and files are numbered by their first use in that order.  Of functions
 * with equal ranges one is the entry (see writer.c); the others are merged into it on
 * request, else they are counted.
 *
 * Each function is encoded as it comes, so that what is kept of it is about as large as what it
 * will be in the file.  Texts are not copied: readers must stay open until the file is made.
 */
#ifndef CAIRN_WRITERS_GSYM_WRITER_H
#define CAIRN_WRITERS_GSYM_WRITER_H

#include "model/function_order.h"

#include <cairn/functions.h>

struct gsym_writer;
struct gsym_shard;

struct gsym_writer_options {
	unsigned version; /* 1 or 2; what does not fit 1 becomes 2 */
	bool big;         /* byte order */
	bool merged, calls;
	bool columns;  /* in blocks that other readers pass over: for files of cairn's cache */
	uint64_t base; /* of addresses; lowered to the first function's when it is above */
	struct cairn_bytes uuid;
	struct function_order order; /* of those with one range */
	bool keep_order; /* of functions with equal ranges the first that came is the entry */
};

/* NULL when memory is short.  Texts of the options are borrowed. */
struct gsym_writer *gsym_writer_new(const struct gsym_writer_options *options);
void gsym_writer_free(struct gsym_writer *writer);

/* One thread's part; to be called by one thread.  NULL when memory is short. */
struct gsym_shard *gsym_writer_shard(struct gsym_writer *writer);
/* The one that was made as number `thread`. */
struct gsym_shard *gsym_writer_thread(struct gsym_writer *writer, unsigned thread);
struct function_sink gsym_shard_sink(struct gsym_shard *shard);

/*
 * The functions that follow are of this unit.  Equal functions are ordered by unit and then as they
 * came, so that a unit must go to one shard.
 */
void gsym_shard_unit(struct gsym_shard *shard, uint32_t unit);

/* After the last function, before the first image.  NOT_FOUND: there is none. */
CAIRN_MUST_USE enum cairn_status gsym_writer_order(struct gsym_writer *writer);
/* What was given and what became of it: the members from `functions` to `cut`.  All others become 0. */
void gsym_writer_summary(const struct gsym_writer *writer, struct cairn_gsym_summary *summary);

/* How many entries there are, and where one begins. */
uint32_t gsym_writer_count(const struct gsym_writer *writer);
uint64_t gsym_writer_start(const struct gsym_writer *writer, uint32_t entry);

struct gsym_output {
	uint8_t *data; /* free() gives it back */
	size_t size;
	uint32_t count; /* entries in it */
	unsigned version;
	const char *why; /* why it is version 2 although 1 was asked for; else NULL */
	size_t strings, files;
};

/*
 * A file of the entries from `first` on: all of them, or as many as stay below `limit` bytes, but
 * at least one.
 */
struct gsym_outline;

/* Lays it out, so that it can be written piece by piece, until another one is laid out.  NULL: memory is short. */
struct gsym_outline *gsym_writer_outline(struct gsym_writer *writer, uint32_t first,
                                         uint64_t limit);
void gsym_outline_free(struct gsym_outline *file);

/* What it will be, without the data. */
struct gsym_output gsym_outline_facts(const struct gsym_outline *file);

struct gsym_piece {
	uint64_t at;
	size_t size;
};

/* The pieces, one behind the other.  They may be put anywhere in any order, also by several threads. */
size_t gsym_outline_pieces(const struct gsym_outline *file);
struct gsym_piece gsym_outline_piece(const struct gsym_outline *file, size_t number);
void gsym_outline_put(const struct gsym_outline *file, size_t number, uint8_t *bytes);

/* The whole file. */
CAIRN_MUST_USE enum cairn_status gsym_writer_image(struct gsym_writer *writer, uint32_t first,
                                                   uint64_t limit, struct gsym_output *output);

#endif

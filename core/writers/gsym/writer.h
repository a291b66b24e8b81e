/* SPDX-License-Identifier: MIT */
/*
 * Converts functions, which may be added in any order and by several threads, to a GSYM file:
 *
 *	struct gsym_writer *writer = gsym_writer_new(&options);
 *	struct gsym_shard *shard = gsym_writer_shard(writer);     one for each thread
 *	struct function_sink sink = gsym_shard_sink(shard);
 *	... the reader hands its functions to the sink
 *	gsym_writer_order(writer);
 *	gsym_writer_image(writer, 0, UINT64_MAX, &image);         one file, or piece after piece
 *
 * The file only depends on the functions, not on the thread or the time at which they were added:
 * functions are sorted by start and end, and strings and files are numbered by their first use in
 * that order. Of several functions with the same range one becomes the entry (see writer.c). The
 * others are merged into it if requested, and otherwise only counted.
 *
 * Each function is encoded when it is added, so it takes about as much memory as in the file.
 * Strings are not copied: the readers must stay open until the file is written.
 */
#ifndef CAIRN_WRITERS_GSYM_WRITER_H
#define CAIRN_WRITERS_GSYM_WRITER_H

#include "model/function.h"

#include <cairn/functions.h>

struct gsym_writer;
struct gsym_shard;

struct gsym_writer_options {
	unsigned version; /* 1 or 2; 2 is used if the data does not fit in version 1 */
	bool big;
	bool merged, calls;
	/* Write columns in blocks that other readers skip; for files in cairn's cache. */
	bool columns;
	uint64_t base; /* base address; lowered to the start of the first function if necessary */
	struct cairn_bytes uuid;
	struct function_order order;
	/* The first of several functions with the same range becomes the entry. */
	bool keep_order;
};

/* Return a new writer, or NULL if memory is short. Strings in the options are borrowed. */
struct gsym_writer *gsym_writer_new(const struct gsym_writer_options *options);
void gsym_writer_free(struct gsym_writer *writer);

/* Return a new shard, to be used by one thread only, or NULL if memory is short. */
struct gsym_shard *gsym_writer_shard(struct gsym_writer *writer);
struct gsym_shard *gsym_writer_thread(struct gsym_writer *writer, unsigned thread);
struct function_sink gsym_shard_sink(struct gsym_shard *shard);

/*
 * Declare that the following functions belong to `unit`. Equal functions are ordered by unit and
 * then by time of arrival, so all functions of a unit must go to the same shard.
 */
void gsym_shard_unit(struct gsym_shard *shard, uint32_t unit);

/*
 * Sort all functions. Must be called after the last function and before the first image. Return
 * NOT_FOUND if there are no functions.
 */
CAIRN_MUST_USE enum cairn_status gsym_writer_order(struct gsym_writer *writer);
/*
 * Get statistics about the input: the members from `functions` to `cut`. The others are set to 0.
 */
void gsym_writer_summary(const struct gsym_writer *writer, struct cairn_gsym_summary *summary);

uint32_t gsym_writer_count(const struct gsym_writer *writer);
uint64_t gsym_writer_start(const struct gsym_writer *writer, uint32_t entry);

struct gsym_output {
	uint8_t *data; /* freed by the caller */
	size_t size;
	uint32_t count;
	unsigned version;
	const char *why; /* reason for using version 2 although 1 was requested, or NULL */
	size_t strings, files;
};

/*
 * Layout of a file with the entries from `first` on: all entries, or as many as fit in `limit`
 * bytes, but at least one.
 */
struct gsym_outline;

/*
 * Compute the layout of a file, which can then be written in pieces until the next layout is
 * computed. Return NULL if memory is short.
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
 * Access the pieces, which cover the file without gaps. They may be written in any order and by
 * several threads.
 */
size_t gsym_outline_pieces(const struct gsym_outline *file);
struct gsym_piece gsym_outline_piece(const struct gsym_outline *file, size_t number);
void gsym_outline_put(const struct gsym_outline *file, size_t number, uint8_t *bytes);

CAIRN_MUST_USE enum cairn_status gsym_writer_image(struct gsym_writer *writer, uint32_t first,
                                                   uint64_t limit, struct gsym_output *output);

#endif

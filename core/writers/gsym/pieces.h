/* SPDX-License-Identifier: MIT */
/* A GSYM file that is laid out: where its tables and records will be, and the pieces that it is written in. */
#ifndef CAIRN_WRITERS_GSYM_PIECES_H
#define CAIRN_WRITERS_GSYM_PIECES_H

#include "shard.h"
#include "string_table.h"

/* What a piece has: texts or records from `first` to before `last`; the first one has all that is before the texts. */
struct gsym_outline_part {
	struct gsym_piece bytes;
	enum gsym_part_kind { GSYM_PART_TABLES, GSYM_PART_TEXTS, GSYM_PART_RECORDS } kind;
	size_t first, last;
};

struct gsym_outline {
	struct gsym_writer *writer;
	struct gsym_string_table texts;
	struct gsym_layout layout;
	uint32_t first;      /* entry */
	uint64_t *record_at; /* of each entry, from the first record */
	const char *why;     /* of struct gsym_output */
	struct gsym_outline_part *piece;
	size_t pieces, piece_room;
};

enum {
	GSYM_RECORD_ALIGN = 4,
	GSYM_SIZE_FIELD = 4, /* a size or a count */
	GSYM_BLOCK_HEAD = 8, /* type and length */
};

static inline uint64_t gsym_outline_align(uint64_t size)
{
	return (size + GSYM_RECORD_ALIGN - 1) & ~(uint64_t)(GSYM_RECORD_ALIGN - 1);
}

static inline unsigned gsym_outline_strp_size(const struct gsym_outline *file)
{
	return file->layout.version == 1 ? 4 : 8;
}

/* Cuts it into pieces; false when memory is short. */
bool gsym_outline_cut(struct gsym_outline *file);

#endif

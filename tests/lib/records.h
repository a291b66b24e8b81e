/* SPDX-License-Identifier: MIT */
/*
 * Compares two symbfiles for equal content. Records are taken from each with their texts, so that
 * it does not matter how the texts are stored.
 */
#ifndef CAIRN_TESTS_RECORDS_H
#define CAIRN_TESTS_RECORDS_H

#include "symbols/index.h"

#include <string.h>

/* A reader of one file, with its table. */
struct records {
	struct symbfile file;
	struct symbfile_string_table texts;
};

static inline struct records records_open(struct cairn_bytes bytes)
{
	return (struct records){ .file = symbfile_open(bytes) };
}

/* The next range or pad; false at the end. */
static inline bool records_next(struct records *r, struct symbfile_record *record)
{
	while (symbfile_next(&r->file, record)) {
		if (record->kind != SYMBFILE_TABLE)
			return true;
		if (symbfile_string_table_load(&r->texts, record) != CAIRN_OK)
			return false;
	}
	return false;
}

static inline bool records_same_bytes(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool records_same_text(const struct records *a, const struct symbfile_text *x,
                                     const struct records *b, const struct symbfile_text *y)
{
	return (x->kind == SYMBFILE_ABSENT) == (y->kind == SYMBFILE_ABSENT) &&
	       records_same_bytes(symbfile_string_table_of(&a->texts, x),
	                          symbfile_string_table_of(&b->texts, y));
}

static inline bool records_same_rows(const struct symbfile_record *x,
                                     const struct symbfile_record *y)
{
	struct symbfile_rows rows = symbfile_rows(x), others = symbfile_rows(y);
	struct symbfile_row row, other;
	bool more = true, same = true;

	while (more && same) {
		more = symbfile_next_row(&rows, &row);
		same = symbfile_next_row(&others, &other) == more;
		if (more && same)
			same = row.offset == other.offset && row.line == other.line;
	}
	return same;
}

static inline bool records_same_range(const struct records *a, const struct symbfile_record *x,
                                      const struct records *b, const struct symbfile_record *y)
{
	const struct symbfile_range *r = &x->range, *s = &y->range;

	return r->start == s->start && r->length == s->length && r->depth == s->depth &&
	       r->call_line == s->call_line &&
	       records_same_text(a, &r->function, b, &s->function) &&
	       records_same_text(a, &r->file, b, &s->file) &&
	       records_same_text(a, &r->call_file, b, &s->call_file) && records_same_rows(x, y);
}

static inline bool records_same_frame(const struct records *a, const struct symbfile_frame *f,
                                      const struct records *b, const struct symbfile_frame *g)
{
	return f->line == g->line &&
	       records_same_bytes(symbfile_string_table_at(&a->texts, f->function),
	                          symbfile_string_table_at(&b->texts, g->function)) &&
	       records_same_bytes(symbfile_string_table_at(&a->texts, f->file),
	                          symbfile_string_table_at(&b->texts, g->file));
}

static inline bool records_same_pad(const struct records *a, const struct symbfile_record *x,
                                    const struct records *b, const struct symbfile_record *y)
{
	struct symbfile_frames frames = symbfile_frames(x), others = symbfile_frames(y);
	struct symbfile_frame frame, other;
	bool more = true, same = x->pad.address == y->pad.address;

	while (more && same) {
		more = symbfile_next_frame(&frames, &frame);
		same = symbfile_next_frame(&others, &other) == more;
		if (more && same)
			same = records_same_frame(a, &frame, b, &other);
	}
	return same;
}

/* One record of each. */
static inline bool records_same(const struct records *a, const struct symbfile_record *x,
                                const struct records *b, const struct symbfile_record *y)
{
	if (x->kind != y->kind)
		return false;
	return x->kind == SYMBFILE_RANGE ? records_same_range(a, x, b, y)
	                                 : records_same_pad(a, x, b, y);
}

/* All records up to the end of both, or to the same fault. */
static inline bool records_same_files(struct cairn_bytes one, struct cairn_bytes other)
{
	struct records a = records_open(one), b = records_open(other);
	struct symbfile_record x, y;
	bool more = true, same = true;

	while (more && same) {
		more = records_next(&a, &x);
		same = records_next(&b, &y) == more;
		if (more && same)
			same = records_same(&a, &x, &b, &y);
	}
	same = same && a.file.code == b.file.code;
	symbfile_string_table_finish(&a.texts);
	symbfile_string_table_finish(&b.texts);
	return same;
}

#endif

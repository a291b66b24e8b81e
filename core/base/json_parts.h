/* SPDX-License-Identifier: MIT */
/* Helpers shared by the JSON walker and the reader of values. */
#ifndef CAIRN_BASE_JSON_PARTS_H
#define CAIRN_BASE_JSON_PARTS_H

#include "json_walk.h"

static inline int json_peek_byte(const struct reader *r)
{
	return reader_ok(r) && reader_left(r) > 0 ? r->in.data[r->at] : -1;
}

static inline void json_fail(struct reader *r, const char *what)
{
	bool end = reader_left(r) == 0;

	reader_fail_at(r, r->at, end ? CAIRN_TRUNCATED : CAIRN_MALFORMED,
	               end ? "the text ends inside a JSON value" : what);
}

static inline void json_skip_white(struct reader *r)
{
	int c = json_peek_byte(r);

	while (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
		reader_skip(r, 1);
		c = json_peek_byte(r);
	}
}

static inline enum json_reader_kind json_peek_kind(const struct reader *r)
{
	switch (json_peek_byte(r)) {
	case '{':
		return JSON_READER_OBJECT;
	case '[':
		return JSON_READER_ARRAY;
	case '"':
		return JSON_READER_STRING;
	case 't':
		return JSON_READER_TRUE;
	case 'f':
		return JSON_READER_FALSE;
	case 'n':
		return JSON_READER_NULL;
	default:
		return JSON_READER_NUMBER;
	}
}

#endif

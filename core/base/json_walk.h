/* SPDX-License-Identifier: MIT */
/*
 * Walks a JSON document (RFC 8259) in one pass, with one step per value and one for the end of each
 * object and array.
 *
 *	struct json_walk walk = json_walk_open(bytes);
 *	struct json_step step;
 *	while (json_walk_next(&walk, &step))
 *		use(&step);
 *	if (!reader_ok(&walk.in))
 *		... walk.in.fault describes the error and its location
 */
#ifndef CAIRN_BASE_JSON_WALK_H
#define CAIRN_BASE_JSON_WALK_H

#include "reader.h"

/* nesting depth; the responses that cairn reads have three levels */
enum { JSON_READER_DEPTH_MAX = 64 };

enum json_reader_kind {
	JSON_READER_OBJECT,
	JSON_READER_ARRAY,
	JSON_READER_STRING,
	JSON_READER_NUMBER,
	JSON_READER_TRUE,
	JSON_READER_FALSE,
	JSON_READER_NULL,
};

struct json_walk {
	struct reader in;
	uint64_t objects; /* bit n: open bracket n belongs to an object */
	unsigned depth;
	bool follows; /* a value precedes at this level, so a comma or closing bracket comes next */
};

struct json_step {
	enum json_reader_kind kind;
	bool ends;
	struct cairn_bytes name;
	struct cairn_bytes text; /* raw text of a scalar, as in json_reader_value */
	size_t at;
};

struct json_walk json_walk_open(struct cairn_bytes text);

/*
 * Take the next step. Return false at the end, or if the document is invalid; the reader has then
 * failed, as described for json_reader_open().
 */
bool json_walk_next(struct json_walk *walk, struct json_step *step);

/* Return true at the start of an object or array. Its members follow, one level deeper. */
static inline bool json_step_opens(const struct json_step *step)
{
	return !step->ends && (step->kind == JSON_READER_OBJECT || step->kind == JSON_READER_ARRAY);
}

/* Skip the contents and the end of an object or array that this step opened. */
void json_walk_skip(struct json_walk *walk, const struct json_step *step);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One document of JSON (RFC 8259) from its beginning to its end, once: a step for each value, and one for the end of each object and array.
 *
 *	struct json_walk walk = json_walk_open(bytes);
 *	struct json_step step;
 *	while (json_walk_next(&walk, &step))
 *		use(&step);
 *	if (!reader_ok(&walk.in))
 *		... walk.in.fault tells what is wrong, and where
 */
#ifndef CAIRN_BASE_JSON_JSON_WALK_H
#define CAIRN_BASE_JSON_JSON_WALK_H

#include "base/reader.h"

enum { JSON_READER_DEPTH_MAX = 64 }; /* of arrays and objects; the answers we read have three */

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
	uint64_t objects; /* bit n: bracket number n that is open is that of an object */
	unsigned depth;   /* brackets that are open */
	bool follows;     /* a value has ended here */
};

struct json_step {
	enum json_reader_kind kind;
	bool ends;               /* it is the end of the object or array that was opened last */
	struct cairn_bytes name; /* of a member, with its escapes */
	struct cairn_bytes
		text; /* of a value that is neither an object nor an array, as in json_reader_value */
	size_t at;    /* where it begins, in the document */
};

struct json_walk json_walk_open(struct cairn_bytes text);

/* False at the end, and where the document is none: the reader has failed then, as json_reader_open() says. */
bool json_walk_next(struct json_walk *walk, struct json_step *step);

/* Is it the beginning of an object or array?  Its members come next, one bracket deeper. */
static inline bool json_step_opens(const struct json_step *step)
{
	return !step->ends && (step->kind == JSON_READER_OBJECT || step->kind == JSON_READER_ARRAY);
}

/* Passes over what is in an object or array that this step has opened, and over its end. */
void json_walk_skip(struct json_walk *walk, const struct json_step *step);

#endif

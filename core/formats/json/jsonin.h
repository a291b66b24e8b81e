/* SPDX-License-Identifier: MIT */
/*
 * JSON in (RFC 8259): one small document, checked whole, then asked for its members by name.
 *
 *	struct jsonin_value top, error, text;
 *	if (jsonin_open(bytes, &top, &fault) != CAIRN_OK)
 *		...
 *	if (jsonin_member(&top, "error", &error) && jsonin_member(&error, "Text", &text))
 *		jsonin_text(&text, buffer, sizeof(buffer));
 *
 * Values are lent parts of the document.  Nothing is allocated, no tree is built and nothing
 * recurses: each question reads the object again, which suits answers of servers, not large data.
 * Numbers are not converted; whoever wants one reads its text.
 */
#ifndef CAIRN_FORMATS_JSON_JSONIN_H
#define CAIRN_FORMATS_JSON_JSONIN_H

#include <cairn.h>

enum { JSONIN_DEPTH_MAX = 64 }; /* of arrays and objects; the answers we read have three */

enum jsonin_kind {
	JSONIN_OBJECT,
	JSONIN_ARRAY,
	JSONIN_STRING,
	JSONIN_NUMBER,
	JSONIN_TRUE,
	JSONIN_FALSE,
	JSONIN_NULL,
};

struct jsonin_value {
	enum jsonin_kind kind;
	struct cairn_bytes
		text; /* as it stands, with brackets; of a string what is inside the quotes */
};

/* The only value of a document.  MALFORMED, TRUNCATED, or UNSUPPORTED when it is too deep. */
CAIRN_MUST_USE enum cairn_status jsonin_open(struct cairn_bytes text, struct jsonin_value *value,
                                             struct cairn_fault *fault);

/*
 * A member of an object that jsonin_open() or this function gave; false when there is none, or when
 * it is no object.  Of several with one name the last counts.  Names are compared as they stand,
 * without their escapes undone.
 */
bool jsonin_member(const struct jsonin_value *object, const char *name, struct jsonin_value *value);

/*
 * The text of a string with its escapes undone, or of a number, in UTF-8 with a NUL behind it; what
 * does not fit is cut between two characters.  Half surrogates become U+FFFD, and so does NUL.
 * False, and "", for other kinds.  `room` is at least 1.
 */
bool jsonin_text(const struct jsonin_value *value, char *out, size_t room);

#endif

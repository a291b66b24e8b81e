/* SPDX-License-Identifier: MIT */
/*
 * Finds backtraces written by Swift's JSON encoder anywhere in a text: alone, in arrays, one per
 * line, or as values inside larger records. The surrounding text need not be JSON.
 * docs/formats/cbf.md describes the objects.
 *
 *	struct codable in;
 *	codable_open(&in, text);
 *	struct codable_object object;
 *	while (codable_next(&in, &object))
 *		result = base64_decode(object.backtrace.text, buffer);
 *	if (in.fault.status != CAIRN_OK)
 *		... the text ends inside an object; earlier objects are good
 *
 * Nothing here allocates.
 */
#ifndef CAIRN_FORMATS_CODABLE_H
#define CAIRN_FORMATS_CODABLE_H

#include <cairn.h>

enum { CODABLE_DEPTH_MAX = 64 }; /* maximum nesting depth; deeper objects are skipped */

/* The value of a string member. JSON escapes in `text` are not decoded. */
struct codable_member {
	bool there; /* the member is present and not null */
	struct cairn_bytes text;
};

struct codable_object {
	size_t offset;
	struct codable_member architecture, backtrace, image_map;
};

struct codable_level {
	bool relevant;                  /* this level is an object, not an array */
	struct codable_member *pending; /* member that the next value belongs to */
	struct codable_object object;
};

struct codable {
	struct cairn_bytes text;
	size_t at;
	size_t depth;
	struct cairn_fault fault;
	struct codable_level levels[CODABLE_DEPTH_MAX];
};

void codable_open(struct codable *codable, struct cairn_bytes text);

/*
 * Find the next object that contains a backtrace or an image map. An object is returned at its end,
 * so nested objects come first.
 */
bool codable_next(struct codable *codable, struct codable_object *object);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Swift's backtraces as its JSON encoder writes them, wherever such objects are in a text: alone,
 * in arrays, one a line, or as values inside larger records.  What is between them does not have
 * to be JSON.  The form is described in docs/formats/cbf.md.
 *
 *	struct codable in;
 *	codable_open(&in, text);
 *	struct codable_object object;
 *	while (codable_next(&in, &object))
 *		result = base64_decode(object.backtrace.text, buffer);
 *	if (in.fault.status != CAIRN_OK)
 *		... the text ends inside an object; the ones before it are good
 *
 * Nothing here allocates.
 */
#ifndef CAIRN_FORMATS_CODABLE_H
#define CAIRN_FORMATS_CODABLE_H

#include <cairn.h>

enum { CODABLE_DEPTH_MAX = 64 }; /* objects that stand deeper are passed over */

/* A member; its text is as it is in the file, with JSON's escapes. */
struct codable_member {
	bool there; /* and a string; null is not */
	struct cairn_bytes text;
};

/* An object with a backtrace or an image map. */
struct codable_object {
	size_t offset; /* of its opening brace */
	struct codable_member architecture, backtrace, image_map;
};

/* An array or object that is open. */
struct codable_level {
	bool relevant;                  /* an object, and not too deep */
	struct codable_member *pending; /* where the next value goes */
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

/* The next such object, in the order of their ends. */
bool codable_next(struct codable *codable, struct codable_object *object);

#endif

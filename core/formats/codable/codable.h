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
 *		result = codable_base64(object.backtrace.text, buffer);
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

/* What was wrong with base64.  A set of bits. */
enum codable_problem {
	CODABLE_PROBLEM_BASE64 = 1,     /* a wrong character, one too many, or more after '=' */
	CODABLE_PROBLEM_WHITESPACE = 2, /* blanks or line ends inside */
};

struct codable_result {
	size_t size;
	unsigned problems;
	size_t offset; /* in the text, of what was wrong with base64 */
};

/* Room for the bytes of so much text. */
size_t codable_base64_size(struct cairn_bytes text);

/*
 * The bytes that base64 text stands for: both alphabets, also mixed, padded or not, JSON's escapes
 * undone.  At a wrong character it stops, as Swift does, and the group that was begun is lost.
 */
struct codable_result codable_base64(struct cairn_bytes text, uint8_t *bytes);

#endif

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
#ifndef CAIRN_BASE_JSON_READER_H
#define CAIRN_BASE_JSON_READER_H

#include "reader.h"

/* maximum nesting depth; server responses have three levels */
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
	uint64_t objects; /* bit n is set if open bracket n belongs to an object */
	unsigned depth;
	/* the current level already contains a value, so a comma or closing bracket must follow */
	bool follows;
};

struct json_step {
	enum json_reader_kind kind;
	bool ends;
	struct cairn_bytes name;
	/* raw text of a scalar, as in json_reader_value */
	struct cairn_bytes text;
	size_t at;
};

struct json_walk json_walk_open(struct cairn_bytes text);

/*
 * Take the next step. Return false at the end, or if the document is invalid. An invalid document
 * sets walk.in.fault, with the same status codes as json_reader_open().
 */
bool json_walk_next(struct json_walk *walk, struct json_step *step);

/*
 * Return true for the start of an object or array. The steps for its members follow, one level
 * deeper.
 */
static inline bool json_step_opens(const struct json_step *step)
{
	return !step->ends && (step->kind == JSON_READER_OBJECT || step->kind == JSON_READER_ARRAY);
}

/* Skip the rest of the object or array that `step` has opened, including its end. */
void json_walk_skip(struct json_walk *walk, const struct json_step *step);

/*
 * Reads small JSON documents (RFC 8259). A document is checked completely and then queried by
 * member name.
 *
 *	struct json_reader_value top, error, text;
 *	if (json_reader_open(bytes, &top, &fault) != CAIRN_OK)
 *		...
 *	if (json_reader_member(&top, "error", &error) && json_reader_member(&error, "Text", &text))
 *		json_reader_text(&text, buffer, sizeof(buffer));
 *
 * Values are slices of the document. Nothing is allocated, no tree is built and nothing recurses.
 * Each query reads the object again, which is fast enough for server responses; struct json_walk
 * reads large data in one pass. Only whole numbers are converted; other numbers are available as
 * strings.
 */

struct json_reader_value {
	enum json_reader_kind kind;
	/* raw text including brackets; for a string, the characters between the quotes */
	struct cairn_bytes text;
};

/*
 * Check a document and store its value in *value. Return CAIRN_MALFORMED or CAIRN_TRUNCATED if the
 * document is invalid, and CAIRN_UNSUPPORTED if it is nested too deeply.
 */
CAIRN_MUST_USE enum cairn_status json_reader_open(struct cairn_bytes text,
                                                  struct json_reader_value *value,
                                                  struct cairn_fault *fault);

/*
 * Find a member of `object`. Escapes in names are decoded. If several members have the same name,
 * the last one counts. Return false if there is no such member, or if `object` is not an object.
 */
bool json_reader_member(const struct json_reader_value *object, const char *name,
                        struct json_reader_value *value);

static inline bool json_reader_flag(const struct json_reader_value *object, const char *name)
{
	struct json_reader_value value;

	return json_reader_member(object, name, &value) && value.kind == JSON_READER_TRUE;
}

/*
 * Find several members in one pass. Sets value[i] to the member name[i] like json_reader_member(),
 * or value[i].text.data to NULL if there is no such member.
 */
void json_reader_members(const struct json_reader_value *object, const char *const *name,
                         size_t count, struct json_reader_value *value);

/*
 * Open a document and, if its value is an object, find members in the same pass. The members are
 * valid only if the call succeeds.
 */
CAIRN_MUST_USE enum cairn_status json_reader_open_members(struct cairn_bytes text,
                                                          struct json_reader_value *top,
                                                          const char *const *name, size_t count,
                                                          struct json_reader_value *value,
                                                          struct cairn_fault *fault);

/*
 * Read the next element of an array. Initialize *at to 0. Return false at the end, or if `array` is
 * not an array.
 */
bool json_reader_element(const struct json_reader_value *array, size_t *at,
                         struct json_reader_value *value);

bool json_reader_element_members(const struct json_reader_value *array, size_t *at,
                                 struct json_reader_value *element, const char *const *name,
                                 size_t count, struct json_reader_value *value);

/*
 * Write a string with escapes decoded, or the digits of a number, as NUL-terminated UTF-8. If the
 * output does not fit, it is truncated between characters. Unpaired surrogates, NUL and bytes that
 * are not UTF-8 become U+FFFD. For other kinds of values, return false and write "". `capacity` is at
 * least 1.
 */
bool json_reader_text(const struct json_reader_value *value, char *out, size_t capacity);

/* Return a string without decoding its escapes, or an empty string if the value is not a string. */
static inline struct cairn_bytes json_reader_string(const struct json_reader_value *value)
{
	return value->kind == JSON_READER_STRING ? value->text
	                                         : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

/*
 * Read an unsigned 64-bit number without fraction and exponent. For anything else, return false and
 * leave *number unchanged.
 */
bool json_reader_whole(const struct json_reader_value *value, uint64_t *number);

/*
 * Read the next character of a string as UTF-8, decode an escape, and advance *at. Return the size
 * of the character. Invalid input becomes U+FFFD, as in json_reader_text().
 */
size_t json_reader_character(struct cairn_bytes text, size_t *at, uint8_t out[4]);

#endif

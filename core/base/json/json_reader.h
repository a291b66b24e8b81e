/* SPDX-License-Identifier: MIT */
/*
 * JSON in (RFC 8259): one small document, checked whole, then asked for its members by name.
 *
 *	struct json_reader_value top, error, text;
 *	if (json_reader_open(bytes, &top, &fault) != CAIRN_OK)
 *		...
 *	if (json_reader_member(&top, "error", &error) && json_reader_member(&error, "Text", &text))
 *		json_reader_text(&text, buffer, sizeof(buffer));
 *
 * Values are lent parts of the document.  Nothing is allocated, no tree is built and nothing
 * recurses: each question reads the object again, which suits answers of servers; json_walk.h reads large data once.
 * Whole numbers are converted; whoever wants another one reads its text.
 */
#ifndef CAIRN_BASE_JSON_JSON_READER_H
#define CAIRN_BASE_JSON_JSON_READER_H

#include "json_walk.h"

struct json_reader_value {
	enum json_reader_kind kind;
	struct cairn_bytes
		text; /* as it is, with brackets; of a string what is inside the quotes */
};

/* The only value of a document.  MALFORMED, TRUNCATED, or UNSUPPORTED when it is too deep. */
CAIRN_MUST_USE enum cairn_status json_reader_open(struct cairn_bytes text,
                                                  struct json_reader_value *value,
                                                  struct cairn_fault *fault);

/*
 * A member of an object that json_reader_open() or this function gave; false when there is none, or when
 * it is not an object.  Of several with one name the last counts.  Escapes in names are undone.
 */
bool json_reader_member(const struct json_reader_value *object, const char *name,
                        struct json_reader_value *value);

/* Is there a member of that name, which is true? */
static inline bool json_reader_flag(const struct json_reader_value *object, const char *name)
{
	struct json_reader_value value;

	return json_reader_member(object, name, &value) && value.kind == JSON_READER_TRUE;
}

/*
 * Several members in one pass: value[i] gets the one called name[i], as by json_reader_member(); `text.data` is NULL where there is
 * none.
 */
void json_reader_members(const struct json_reader_value *object, const char *const *name,
                         size_t count, struct json_reader_value *value);

/* Both in one pass: the document's value and, if it is an object, its members. They are whole where the document is. */
CAIRN_MUST_USE enum cairn_status json_reader_open_members(struct cairn_bytes text,
                                                          struct json_reader_value *top,
                                                          const char *const *name, size_t count,
                                                          struct json_reader_value *value,
                                                          struct cairn_fault *fault);

/*
 * The next element of such an array: *at is 0 at first, and moves over it.  False at the end, or when it is not an array.
 */
bool json_reader_element(const struct json_reader_value *array, size_t *at,
                         struct json_reader_value *value);

/* The same with members of the element, if it is an object, in one pass. */
bool json_reader_element_members(const struct json_reader_value *array, size_t *at,
                                 struct json_reader_value *element, const char *const *name,
                                 size_t count, struct json_reader_value *value);

/*
 * The text of a string with its escapes undone, or of a number, in UTF-8 with a NUL after it; what
 * does not fit is cut between two characters.  Half surrogates become U+FFFD, and so do
 * NUL and bytes that are not UTF-8.
 * False, and "", for other kinds.  `room` is at least 1.
 */
bool json_reader_text(const struct json_reader_value *value, char *out, size_t room);

/* Return a string with its escapes; an empty one for other kinds. */
static inline struct cairn_bytes json_reader_string(const struct json_reader_value *value)
{
	return value->kind == JSON_READER_STRING ? value->text
	                                         : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

/* A number of 64 bits without sign, fraction and exponent.  False, and *number stays, for all else. */
bool json_reader_whole(const struct json_reader_value *value, uint64_t *number);

/*
 * The next character of a string that was read, with its escape undone, in UTF-8; *at moves over it.  Returns its bytes.
 * What json_reader_text() replaces is U+FFFD.
 */
size_t json_reader_character(struct cairn_bytes text, size_t *at, uint8_t out[4]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Finds backtraces in JSON:
 *
 *	object = "{" member ("," member)* "}"
 *	member = "architecture" ":" string | "backtrace" ":" string | "imageMap" ":" (string | null)
 *	       | string ":" value
 *
 * The members come in any order. Only strings and brackets are examined: a string followed by a
 * colon is a key, and everything else is skipped.
 */
#include "codable.h"

#include "base/bytes.h"

#include <string.h>

void codable_open(struct codable *c, struct cairn_bytes text)
{
	c->text = text;
	c->at = 0;
	c->depth = 0;
	c->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
}

/*
 * Return the innermost level if it is an object. Return NULL if it is an array, nothing is open, or
 * the depth exceeds CODABLE_DEPTH_MAX.
 */
static struct codable_level *get_open_level(struct codable *c)
{
	if (c->depth == 0 || c->depth > CODABLE_DEPTH_MAX || !c->levels[c->depth - 1].relevant)
		return NULL;
	return &c->levels[c->depth - 1];
}

static void store_member_value(struct codable *c, struct cairn_bytes text)
{
	struct codable_level *level = get_open_level(c);

	if (level && level->pending)
		*level->pending = (struct codable_member){ true, text };
	if (level)
		level->pending = NULL;
}

/* Forget the preceding key, because its value has ended or is not a string. */
static void drop_key(struct codable *c)
{
	struct codable_level *level = get_open_level(c);

	if (level)
		level->pending = NULL;
}

static void match_member_key(struct codable *c, struct cairn_bytes text)
{
	struct codable_level *level = get_open_level(c);

	if (!level)
		return;
	level->pending = NULL;
	if (bytes_are(text, "architecture"))
		level->pending = &level->object.architecture;
	else if (bytes_are(text, "backtrace"))
		level->pending = &level->object.backtrace;
	else if (bytes_are(text, "imageMap"))
		level->pending = &level->object.image_map;
}

static void enter_codable_level(struct codable *c, bool is_object)
{
	drop_key(c);
	if (c->depth < CODABLE_DEPTH_MAX)
		c->levels[c->depth] = (struct codable_level){ .relevant = is_object,
			                                      .object = { .offset = c->at } };
	c->depth++;
}

/*
 * Leave an array or object. Return true and set *object if it contains a backtrace or an image map.
 */
static bool leave_codable_level(struct codable *c, struct codable_object *object)
{
	struct codable_level *level = get_open_level(c);
	bool found = level && (level->object.backtrace.there || level->object.image_map.there);

	if (found)
		*object = level->object;
	if (c->depth > 0)
		c->depth--;
	return found;
}

static uint8_t peek_past_white(struct cairn_bytes text, size_t at)
{
	while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t' ||
	                          text.data[at] == '\r' || text.data[at] == '\n'))
		at++;
	return at < text.size ? text.data[at] : 0;
}

/*
 * Read the string whose opening quote is at c->at. A line feed also ends the string, because JSON
 * strings cannot contain line feeds. A stray quotation mark in the surrounding text therefore does
 * not affect the following lines.
 */
static void read_member_string(struct codable *c)
{
	size_t start = c->at + 1, at = start;
	struct cairn_bytes text = c->text;

	while (at < text.size && text.data[at] != '"' && text.data[at] != '\n')
		at += text.data[at] == '\\' && at + 1 < text.size ? 2 : 1;
	c->at = at;
	if (at == text.size && c->depth > 0) {
		c->fault = (struct cairn_fault){ CAIRN_TRUNCATED, start - 1,
			                         "the text ends inside a JSON string" };
		return;
	}
	if (at == text.size || text.data[at] == '\n')
		return;
	struct cairn_bytes inside = { text.data + start, at - start };
	if (peek_past_white(text, at + 1) == ':')
		match_member_key(c, inside);
	else
		store_member_value(c, inside);
}

/*
 * Set the fault if the text ends inside an object in which a relevant key was found. Always returns
 * false.
 */
static bool report_cut_object(struct codable *c)
{
	for (size_t i = 0; i < c->depth && i < CODABLE_DEPTH_MAX; i++) {
		const struct codable_level *level = &c->levels[i];
		const struct codable_object *o = &level->object;
		if (c->fault.status == CAIRN_OK && (level->pending || o->architecture.there ||
		                                    o->backtrace.there || o->image_map.there))
			c->fault = (struct cairn_fault){ CAIRN_TRUNCATED, o->offset,
				                         "the text ends inside a JSON object" };
	}
	return false;
}

bool codable_next(struct codable *c, struct codable_object *object)
{
	for (; c->at < c->text.size; c->at++) {
		switch (c->text.data[c->at]) {
		case '{':
		case '[':
			enter_codable_level(c, c->text.data[c->at] == '{');
			break;
		case '}':
		case ']':
			if (leave_codable_level(c, object)) {
				c->at++;
				return true;
			}
			break;
		case '"':
			read_member_string(c);
			break;
		case ',':
			drop_key(c);
			break;
		}
	}
	return report_cut_object(c);
}

/* SPDX-License-Identifier: MIT */
/*
 * Moves the comments of OpenTelemetry 1.8, for which newer versions have no field, into the
 * attribute that newer versions define for pprof comments. The attribute is appended to the table.
 * Everything else keeps the field numbers of 1.8.
 */
#include "profile.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/wire.h"

enum { PROFILE_COMMENTS = 7, PROFILE_ATTRIBUTES_1_8 = 12 };

struct commented {
	struct byte_buffer item, values, added;
	struct byte_buffer profile, scope, resource;
	struct cairn_bytes *texts;
	size_t text_count, text_room;
	uint64_t attribute_count;
	uint64_t key; /* string index of the attribute's key; 0 until the key is added */
	bool no_memory, damaged;
};

static bool next_field(struct commented *c, struct cairn_bytes *body, struct wire_field *part)
{
	if (c->added.failed || c->values.failed)
		return false;
	if (wire_next(body, part))
		return true;
	c->damaged |= body->size > 0;
	return false;
}

static void count_tables(struct commented *c, struct cairn_bytes dictionary)
{
	struct wire_field part;

	while (!c->no_memory && next_field(c, &dictionary, &part)) {
		if (part.number == OTLP_TEXT && part.type == WIRE_BYTES)
			c->no_memory =
				!ARRAY_APPEND(c->texts, c->text_count, c->text_room, part.bytes);
		c->attribute_count += part.number == OTLP_ATTRIBUTE;
	}
}

/*
 * Add an attribute with the values in c->values. An empty table first gets an entry 0, because
 * index 0 is reserved for "none".
 */
static void put_attribute(struct commented *c)
{
	enum { KEY = 1, VALUE = 2, ARRAY = 5 };
	static const char name[] = "pprof.profile.comment";
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	if (c->key == 0) {
		if (c->text_count == 0)
			wire_buffer_bytes(&c->added, OTLP_TEXT, none);
		if (c->attribute_count == 0)
			wire_buffer_bytes(&c->added, OTLP_ATTRIBUTE, none);
		c->attribute_count += c->attribute_count == 0;
		c->key = c->text_count + (c->text_count == 0);
		wire_buffer_bytes(&c->added, OTLP_TEXT,
		                  (struct cairn_bytes){ (const uint8_t *)name, sizeof(name) - 1 });
	}
	c->item.size = 0;
	wire_buffer_bytes(&c->item, ARRAY, byte_buffer_view(&c->values));
	c->values.size = 0;
	wire_buffer_number(&c->values, KEY, c->key);
	wire_buffer_bytes(&c->values, VALUE, byte_buffer_view(&c->item));
	wire_buffer_bytes(&c->added, OTLP_ATTRIBUTE, byte_buffer_view(&c->values));
	wire_buffer_number(&c->profile, PROFILE_ATTRIBUTES_1_8, c->attribute_count++);
}

static void put_profile(struct commented *c, struct cairn_bytes body)
{
	struct wire_numbers numbers;
	struct wire_field part;
	uint64_t text;

	c->profile.size = c->values.size = 0;
	while (next_field(c, &body, &part)) {
		if (part.number != PROFILE_COMMENTS) {
			byte_buffer_bytes(&c->profile, part.whole.data, part.whole.size);
			continue;
		}
		if (!wire_numbers(&part, &numbers))
			continue;
		while (!c->values.failed && wire_number(&numbers, &text)) {
			if (text >= c->text_count)
				continue;
			c->item.size = 0;
			wire_buffer_bytes(&c->item, 1, c->texts[text]);
			wire_buffer_bytes(&c->values, 1, byte_buffer_view(&c->item));
		}
	}
	if (c->values.size > 0)
		put_attribute(c);
	wire_buffer_bytes(&c->scope, OTLP_PROFILES, byte_buffer_view(&c->profile));
}

static void put_resource(struct commented *c, struct cairn_bytes body)
{
	struct wire_field scope, part;

	c->resource.size = 0;
	while (next_field(c, &body, &scope)) {
		if (scope.number != OTLP_PROFILES || scope.type != WIRE_BYTES) {
			byte_buffer_bytes(&c->resource, scope.whole.data, scope.whole.size);
			continue;
		}
		c->scope.size = 0;
		while (next_field(c, &scope.bytes, &part))
			if (part.number == OTLP_PROFILES && part.type == WIRE_BYTES)
				put_profile(c, part.bytes);
			else
				byte_buffer_bytes(&c->scope, part.whole.data, part.whole.size);
		wire_buffer_bytes(&c->resource, OTLP_PROFILES, byte_buffer_view(&c->scope));
	}
}

/* Write the converted message. The dictionary goes last because converting profiles adds to it. */
static void put_message(struct commented *c, struct cairn_bytes bytes,
                        struct cairn_bytes dictionary, struct byte_buffer *out)
{
	struct wire_field part;

	count_tables(c, dictionary);
	while (next_field(c, &bytes, &part))
		if (part.number == OTLP_RESOURCE && part.type == WIRE_BYTES) {
			put_resource(c, part.bytes);
			wire_buffer_bytes(out, OTLP_RESOURCE, byte_buffer_view(&c->resource));
		} else if (part.number != OTLP_DICTIONARY) {
			byte_buffer_bytes(out, part.whole.data, part.whole.size);
		}
	byte_buffer_uleb(out, OTLP_DICTIONARY << 3 | (uint32_t)WIRE_BYTES);
	byte_buffer_uleb(out, dictionary.size + c->added.size);
	byte_buffer_bytes(out, dictionary.data, dictionary.size);
	byte_buffer_bytes(out, c->added.data, c->added.size);
}

enum cairn_status profile_move_comments(struct cairn_bytes bytes, struct byte_buffer *out,
                                        struct cairn_fault *fault)
{
	struct commented c = { .no_memory = false };
	struct cairn_bytes rest = bytes, dictionary = { bytes.data, 0 }, other;
	const size_t limit = bytes.size + PROFILE_COMMENTS_LEAST;

	if (otlp_next_part(&rest, OTLP_DICTIONARY, &dictionary) &&
	    otlp_next_part(&rest, OTLP_DICTIONARY, &other))
		return fault_set(fault, CAIRN_UNSUPPORTED, "there is a second dictionary");
	c.item.limit = c.values.limit = c.added.limit = c.profile.limit = c.scope.limit =
		c.resource.limit = limit;
	out->limit = limit + limit;
	put_message(&c, bytes, dictionary, out);
	out->failed |= c.added.failed || c.item.failed || c.values.failed || c.profile.failed ||
	               c.scope.failed || c.resource.failed;
	byte_buffer_finish(&c.item);
	byte_buffer_finish(&c.values);
	byte_buffer_finish(&c.added);
	byte_buffer_finish(&c.profile);
	byte_buffer_finish(&c.scope);
	byte_buffer_finish(&c.resource);
	free(c.texts);
	if (c.no_memory)
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	if (c.damaged)
		return fault_set(fault, CAIRN_UNSUPPORTED, "a message in the profile is damaged");
	if (out->failed)
		return fault_set(
			fault, CAIRN_UNSUPPORTED,
			"its comments repeat texts until they are larger than the message");
	return CAIRN_OK;
}

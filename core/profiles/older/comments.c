/* SPDX-License-Identifier: MIT */
/*
 * Comments of a profile of 1.8, which 1.9 has no field for: they become the attribute that stands for those of pprof, at the end of the table. All else
 * stays as it is, in the numbers of 1.8.
 */
#include "older.h"

#include "base/array_grow.h"

enum { COMMENTS = 7, ATTRIBUTES = 12 }; /* fields of a profile */

struct commented {
	struct older *o; /* its texts, their number, and how many attributes there are */
	struct byte_buffer profile, scope, resource;
	uint64_t key; /* the text that is the name of the attribute; 0: it is not there yet */
};

static void keep_commented_text(struct older *o, struct cairn_bytes text)
{
	o->no_memory =
		o->no_memory || !ARRAY_APPEND(o->texts, o->count[OTLP_TEXT], o->text_room, text);
}

static void count_tables(struct older *o, struct cairn_bytes dictionary)
{
	struct wire_field part;

	while (!o->no_memory && older_next(o, &dictionary, &part)) {
		if (part.number == OTLP_TEXT && part.type == WIRE_BYTES)
			keep_commented_text(o, part.bytes);
		o->count[OTLP_ATTRIBUTE] += part.number == OTLP_ATTRIBUTE;
	}
}

/* Adds the key of comments.  Place 0 of each table is an empty entry, which comes first where it is missing. */
static void add_key(struct commented *c)
{
	static const char name[] = "pprof.profile.comment";
	const struct cairn_bytes text = { (const uint8_t *)name, sizeof(name) - 1 },
				 none = { (const uint8_t *)"", 0 };
	struct older *o = c->o;

	if (o->count[OTLP_TEXT] == 0) {
		wire_buffer_bytes(&o->dictionary, OTLP_TEXT, none);
		keep_commented_text(o, none);
	}
	if (o->count[OTLP_ATTRIBUTE] == 0) {
		wire_buffer_bytes(&o->dictionary, OTLP_ATTRIBUTE, none);
		o->count[OTLP_ATTRIBUTE]++;
	}
	c->key = o->count[OTLP_TEXT];
	wire_buffer_bytes(&o->dictionary, OTLP_TEXT, text);
}

static void put_attribute(struct commented *c)
{
	struct older *o = c->o;

	if (c->key == 0)
		add_key(c);
	older_put_comments(o, c->key);
	wire_buffer_number(&c->profile, ATTRIBUTES, o->count[OTLP_ATTRIBUTE]++);
}

static void put_commented_profile(void *context, struct cairn_bytes body)
{
	struct commented *c = context;
	struct older *o = c->o;
	struct wire_field part;
	bool any = false;

	c->profile.size = o->part.size = 0;
	while (older_next(o, &body, &part))
		if (part.number == COMMENTS) {
			older_add_comment_texts(o, &part);
			any = true;
		} else {
			byte_buffer_bytes(&c->profile, part.whole.data, part.whole.size);
		}
	if (any)
		put_attribute(c);
	wire_buffer_bytes(&c->scope, OTLP_PROFILES, byte_buffer_view(&c->profile));
}

static void put_commented_scope(void *context, struct cairn_bytes body)
{
	struct commented *c = context;

	older_put_level(c->o, body, &c->scope, put_commented_profile, c);
	wire_buffer_bytes(&c->resource, OTLP_PROFILES, byte_buffer_view(&c->scope));
}

/* The dictionary goes last, with what was added to it. */
static void put_commented_message(struct commented *c, struct cairn_bytes bytes,
                                  struct byte_buffer *out)
{
	struct cairn_bytes rest = bytes, dictionary = { bytes.data, 0 };
	struct wire_field part;

	while (older_next(c->o, &rest, &part))
		if (part.number == OTLP_DICTIONARY && part.type == WIRE_BYTES) {
			if (dictionary.size > 0)
				c->o->why = "there is a second dictionary";
			dictionary = part.bytes;
		}
	count_tables(c->o, dictionary);
	while (older_next(c->o, &bytes, &part))
		if (part.number == OTLP_RESOURCE && part.type == WIRE_BYTES) {
			older_put_level(c->o, part.bytes, &c->resource, put_commented_scope, c);
			wire_buffer_bytes(out, OTLP_RESOURCE, byte_buffer_view(&c->resource));
		} else if (part.number != OTLP_DICTIONARY) {
			byte_buffer_bytes(out, part.whole.data, part.whole.size);
		}
	c->profile.size = 0;
	byte_buffer_bytes(&c->profile, dictionary.data, dictionary.size);
	if (c->o->dictionary.size > 0)
		byte_buffer_bytes(&c->profile, c->o->dictionary.data, c->o->dictionary.size);
	wire_buffer_bytes(out, OTLP_DICTIONARY, byte_buffer_view(&c->profile));
}

enum cairn_status older_move_comments(struct cairn_bytes bytes, struct byte_buffer *out,
                                      struct cairn_fault *fault)
{
	struct older o = { .no_memory = false };
	struct commented c = { .o = &o };

	out->limit = o.dictionary.limit = o.item.limit = o.part.limit = o.numbers.limit =
		c.profile.limit = c.scope.limit = c.resource.limit = OLDER_BYTES_MAX;
	put_commented_message(&c, bytes, out);
	out->failed |= c.profile.failed || c.scope.failed || c.resource.failed;
	const enum cairn_status status = older_conclude(&o, out, fault);
	byte_buffer_finish(&c.profile);
	byte_buffer_finish(&c.scope);
	byte_buffer_finish(&c.resource);
	older_finish(&o);
	return status;
}

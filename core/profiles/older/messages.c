/* SPDX-License-Identifier: MIT */
/* Makes samples and profiles of older versions those of 1.11, each profile as many as it has types of values. */
#include "older.h"

#include "base/array_grow.h"

#include <string.h>

/* The fields of a profile; those of 1.11 last. */
struct fields {
	uint32_t locations, time, duration, period_type, period, comments, id, dropped, format,
		payload, attributes;
};

static const struct fields fields_1_5 = { 5, 11, 12, 13, 14, 15, 17, 19, 20, 21, 22 },
			   fields_1_7 = { 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14 },
			   fields_new = { 0, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11 };

static const uint8_t tables_1_5
	[] = { [3] = OTLP_MAPPING, [4] = OTLP_LOCATION, [6] = OTLP_FUNCTION, [7] = OTLP_ATTRIBUTE,
	       [8] = OLDER_UNITS,  [9] = OTLP_LINK,     [10] = OTLP_TEXT },
	tables_1_7[] = {
		[1] = OTLP_MAPPING, [2] = OTLP_LOCATION,  [3] = OTLP_FUNCTION, [4] = OTLP_LINK,
		[5] = OTLP_TEXT,    [6] = OTLP_ATTRIBUTE, [7] = OLDER_UNITS
	};

/* A profile on its way. */
struct turn {
	struct older *o;
	enum otlp_version version;
	const struct fields *fields;
	struct byte_buffer sample, type, profile, scope, resource;
	uint64_t types;       /* of its values */
	uint64_t first_stack; /* the number of that of its first sample */
};

/* Values of one type alone, if there are several; else all of them. */
static void put_values(struct turn *t, const struct wire_field *part, uint64_t type, uint64_t *seen)
{
	enum { VALUES = 4 };
	struct wire_numbers numbers;
	uint64_t value;

	if (!wire_numbers(part, &numbers))
		return;
	t->o->numbers.size = 0;
	while (wire_number(&numbers, &value))
		if ((*seen)++ == type || t->types == 1)
			byte_buffer_uleb(&t->o->numbers, value);
	if (t->o->numbers.size > 0)
		wire_buffer_bytes(&t->sample, VALUES, byte_buffer_view(&t->o->numbers));
}

/* Times have eight bytes each now. */
static void put_times(struct turn *t, const struct wire_field *part)
{
	enum { TIMES = 5, TIME_SIZE = 8 };
	struct wire_numbers numbers;
	uint64_t value;

	if (!wire_numbers(part, &numbers))
		return;
	t->o->numbers.size = 0;
	while (wire_number(&numbers, &value))
		byte_buffer_number(&t->o->numbers, value, TIME_SIZE);
	wire_buffer_bytes(&t->sample, TIMES, byte_buffer_view(&t->o->numbers));
}

/* first count value* attribute* link? time* becomes stack attribute* link value* time* */
static void put_sample(struct turn *t, struct cairn_bytes body, uint64_t type, uint64_t number)
{
	enum { FIRST = 1, COUNT, VALUE, ATTRIBUTE, LINK, TIME };
	struct wire_field part;
	uint64_t first = 0, count = 0, values = 0;

	t->sample.size = 0;
	wire_buffer_number(&t->sample, 1, t->first_stack + number);
	while (older_next(t->o, &body, &part))
		switch (part.number) {
		case FIRST:
			first = part.value;
			break;
		case COUNT:
			count = part.value;
			break;
		case VALUE:
			put_values(t, &part, type, &values);
			break;
		case ATTRIBUTE:
			older_put_moved(t->o, &t->sample, 2, &part, OTLP_ATTRIBUTE);
			break;
		case LINK:
			wire_buffer_number(&t->sample, 3, older_move(t->o, OTLP_LINK, part.value));
			break;
		case TIME:
			put_times(t, &part);
			break;
		default:
			byte_buffer_bytes(&t->sample, part.whole.data, part.whole.size);
		}
	if (type == 0)
		older_add_stack(t->o, first, count);
	wire_buffer_bytes(&t->profile, 2, byte_buffer_view(&t->sample));
}

/* Two texts; what sums mean over time has no place in 1.11. */
static void put_type(struct turn *t, uint32_t field, struct cairn_bytes body)
{
	uint64_t value[2] = { 0 };

	(void)wire_read_numbers(body, value, 2);
	t->type.size = 0;
	wire_buffer_number(&t->type, 1, older_move(t->o, OTLP_TEXT, value[0]));
	wire_buffer_number(&t->type, 2, older_move(t->o, OTLP_TEXT, value[1]));
	wire_buffer_bytes(&t->profile, field, byte_buffer_view(&t->type));
}

static void put_time(struct byte_buffer *b, uint64_t time)
{
	byte_buffer_uleb(b, fields_new.time << 3 | (uint32_t)WIRE_64);
	byte_buffer_number(b, time, 8);
}

static void put_comments(struct turn *t, const struct wire_field *part)
{
	t->o->part.size = 0;
	older_add_comment_texts(t->o, part);
	if (t->o->part.size == 0)
		return;
	older_put_comments(t->o, OLDER_COMMENT);
	wire_buffer_number(&t->profile, fields_new.attributes, t->o->made[OTLP_ATTRIBUTE]++);
}

/* All of a profile but its samples and their types; the original payload once. */
static void put_field(struct turn *t, const struct wire_field *part, uint64_t type)
{
	const struct fields *old = t->fields;
	struct byte_buffer *to = &t->profile;

	if (part->number == old->time)
		put_time(to, part->value);
	else if (part->number == old->duration)
		wire_buffer_number(to, fields_new.duration, part->value);
	else if (part->number == old->period_type)
		put_type(t, fields_new.period_type, part->bytes);
	else if (part->number == old->period)
		wire_buffer_number(to, fields_new.period, part->value);
	else if (part->number == old->comments)
		put_comments(t, part);
	else if (part->number == old->id)
		wire_buffer_bytes(to, fields_new.id, part->bytes);
	else if (part->number == old->dropped)
		wire_buffer_number(to, fields_new.dropped, part->value);
	else if (part->number == old->format && type == 0)
		wire_buffer_bytes(to, fields_new.format, part->bytes);
	else if (part->number == old->payload && type == 0)
		wire_buffer_bytes(to, fields_new.payload, part->bytes);
	else if (part->number == old->attributes)
		older_put_moved(t->o, to, fields_new.attributes, part, OTLP_ATTRIBUTE);
}

static void put_profile_of_type(struct turn *t, struct cairn_bytes body, uint64_t type)
{
	enum { TYPE = 1, SAMPLE = 2 };
	struct wire_field part;
	uint64_t types = 0, samples = 0;

	t->profile.size = 0;
	while (!t->o->why && older_next(t->o, &body, &part))
		if (part.number == TYPE && part.type == WIRE_BYTES) {
			if (types++ == type)
				put_type(t, TYPE, part.bytes);
		} else if (part.number == SAMPLE && part.type == WIRE_BYTES) {
			put_sample(t, part.bytes, type, samples++);
		} else {
			put_field(t, &part, type);
		}
	wire_buffer_bytes(&t->scope, 2, byte_buffer_view(&t->profile));
}

static void keep_locations(struct older *o, const struct wire_field *part)
{
	struct wire_numbers numbers;
	uint64_t value;

	if (!wire_numbers(part, &numbers))
		return;
	while (!o->no_memory && wire_number(&numbers, &value))
		o->no_memory =
			!ARRAY_APPEND(o->locations, o->location_count, o->location_room, value);
}

/* Reads what is needed before the samples: the list of locations, and how many types there are. */
static void look_ahead(struct turn *t, struct cairn_bytes body)
{
	struct wire_field part;

	t->o->location_count = 0;
	t->types = 0;
	t->first_stack = t->o->made[OTLP_STACK];
	while (older_next(t->o, &body, &part)) {
		t->types += part.number == 1 && part.type == WIRE_BYTES;
		if (part.number == t->fields->locations)
			keep_locations(t->o, &part);
	}
}

static void put_profile(void *context, struct cairn_bytes body)
{
	struct turn *t = context;

	if (t->version == OTLP_1_5)
		older_add_tables(t->o, body, tables_1_5, sizeof(tables_1_5));
	look_ahead(t, body);
	if (t->types > OLDER_TYPES_MAX)
		t->o->why = "a profile has more than 64 types of values";
	for (uint64_t type = 0; type == 0 || (type < t->types && !t->o->why); type++)
		put_profile_of_type(t, body, type);
}

static void put_scope(void *context, struct cairn_bytes body)
{
	struct turn *t = context;

	older_put_level(t->o, body, &t->scope, put_profile, t);
	wire_buffer_bytes(&t->resource, OTLP_PROFILES, byte_buffer_view(&t->scope));
}

static void put_message(struct turn *t, struct cairn_bytes bytes, struct byte_buffer *out)
{
	struct cairn_bytes rest = bytes;
	struct wire_field part;

	while (t->version == OTLP_1_7 && older_next(t->o, &rest, &part))
		if (part.number == OTLP_DICTIONARY && part.type == WIRE_BYTES)
			older_add_tables(t->o, part.bytes, tables_1_7, sizeof(tables_1_7));
	while (!t->o->why && older_next(t->o, &bytes, &part))
		if (part.number == OTLP_RESOURCE && part.type == WIRE_BYTES) {
			older_put_level(t->o, part.bytes, &t->resource, put_scope, t);
			wire_buffer_bytes(out, OTLP_RESOURCE, byte_buffer_view(&t->resource));
		}
	wire_buffer_bytes(out, OTLP_DICTIONARY, byte_buffer_view(&t->o->dictionary));
}

enum cairn_status older_conclude(const struct older *o, const struct byte_buffer *out,
                                 struct cairn_fault *fault)
{
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	if (o->no_memory)
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0,
			                       cairn_status_text(CAIRN_NO_MEMORY) };
	else if (o->why)
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0, o->why };
	else if (out->failed || o->dictionary.failed || o->item.failed || o->part.failed ||
	         o->numbers.failed)
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0,
			                       "it would have more than a gigabyte as 1.11" };
	return fault->status;
}

enum cairn_status older_translate(struct cairn_bytes bytes, enum otlp_version version,
                                  struct byte_buffer *out, struct cairn_fault *fault)
{
	struct older o;
	struct turn t = { .o = &o,
		          .version = version,
		          .fields = version == OTLP_1_5 ? &fields_1_5 : &fields_1_7 };

	older_begin(&o);
	out->limit = t.sample.limit = t.type.limit = t.profile.limit = t.scope.limit =
		t.resource.limit = OLDER_BYTES_MAX;
	put_message(&t, bytes, out);
	out->failed |= t.sample.failed || t.profile.failed || t.scope.failed || t.resource.failed;
	const enum cairn_status status = older_conclude(&o, out, fault);
	byte_buffer_finish(&t.sample);
	byte_buffer_finish(&t.type);
	byte_buffer_finish(&t.profile);
	byte_buffer_finish(&t.scope);
	byte_buffer_finish(&t.resource);
	older_finish(&o);
	return status;
}

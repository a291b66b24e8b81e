/* SPDX-License-Identifier: MIT */
/*
 * Loads the tables of an OTLP profiles message. Numbers in the message are table indices. A
 * negative index, or an index past the end, is treated as 0 ("none"), because one damaged item must
 * not make the others unreadable.
 */
#include "profile.h"
#include "samples.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/wire.h"
#include "formats/otlp/json.h"

/*
 * Moves the comments of OTLP 1.8, for which newer versions have no field, to the attribute that
 * newer versions define for pprof comments. The attribute is appended to the attribute table. All
 * other fields keep the field numbers of 1.8.
 */
enum { PROFILE_COMMENTS = 7, PROFILE_ATTRIBUTES_1_8 = 12 };

struct commented {
	struct byte_buffer item, values, added;
	struct byte_buffer profile, scope, resource;
	struct cairn_bytes *texts;
	size_t text_count, text_capacity;
	uint64_t attribute_count;
	uint64_t key; /* string index of the attribute's key; 0 until the key has been added */
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
			c->no_memory = !ARRAY_APPEND(c->texts, c->text_count, c->text_capacity,
			                             part.bytes);
		c->attribute_count += part.number == OTLP_ATTRIBUTE;
	}
}

/*
 * Append an attribute with the values in c->values. If the table is empty, first append an item 0,
 * because index 0 is reserved for "none".
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

/* Write the converted message, with the dictionary last, because converting profiles adds to it. */
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
			"its comments repeat strings until they are larger than the message");
	return CAIRN_OK;
}

/*
 * Translates a JSON profile into the equivalent protobuf message. The first pass measures the
 * message and the second writes it.
 */

enum cairn_status profile_translate_json(struct cairn_bytes text, struct cairn_profile *p,
                                         struct cairn_fault *fault)
{
	struct sink out = sink_open(NULL, 0);
	const enum otlp_version version = otlp_json_version(text);
	enum cairn_status status = otlp_json_translate(text, version, &out, &p->left_out, fault);

	if (status != CAIRN_OK)
		return status;
	p->translated = malloc(out.size > 0 ? out.size : 1);
	if (!p->translated) {
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	}
	out = sink_open(p->translated, out.size);
	status = otlp_json_translate(text, version, &out, &p->left_out, fault);
	p->otlp = version;
	p->bytes = (struct cairn_bytes){ p->translated, out.size };
	return status;
}

struct meaning {
	enum { MEANS_NOTHING, MEANS_BUILD_ID, MEANS_KERNEL, MEANS_OTHER_CODE } kind;
	struct cairn_bytes text;
};

struct loading {
	struct cairn_profile *p;
	struct meaning *meanings;
	size_t count, capacity;
};

enum { MAPPING_ATTRIBUTES = 5, LOCATION_ATTRIBUTES = 4 };

static void note_past_end(struct profile_gap *gap, uint64_t number, uint64_t count)
{
	const uint64_t past = number - count;

	if (number < count)
		return;
	if (past < PROFILE_PADDING_MAX)
		gap->padding = past >= gap->padding ? past + 1 : gap->padding;
	else if (gap->barrier == 0 || past < gap->barrier)
		gap->barrier = past;
}

/* Return `number` if it is a valid string index, otherwise 0. */
static uint64_t limit_text(struct cairn_profile *p, uint64_t number)
{
	note_past_end(&p->text_gap, number, p->text_count);
	return number < p->text_count ? number : 0;
}

static enum cairn_status load_texts(struct cairn_profile *p)
{
	struct cairn_bytes rest = p->dictionary, text;

	while (otlp_next_part(&rest, OTLP_TEXT, &text))
		if (!ARRAY_APPEND(p->texts, p->text_count, p->text_capacity, text))
			return CAIRN_NO_MEMORY;
	p->has_texts = p->text_count > 0;
	if (p->has_texts)
		return CAIRN_OK;
	text = (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return ARRAY_APPEND(p->texts, p->text_count, p->text_capacity, text) ? CAIRN_OK
	                                                                     : CAIRN_NO_MEMORY;
}

static struct meaning judge_attribute(struct cairn_profile *p, struct cairn_bytes body)
{
	struct otlp_attribute attribute;
	struct cairn_bytes key, value;

	if (!otlp_read_attribute(body, &attribute))
		return (struct meaning){ MEANS_NOTHING, body };
	key = profile_text(p, limit_text(p, attribute.key));
	(void)limit_text(p, attribute.unit);
	value = attribute.has_text ? attribute.text
	                           : profile_text(p, limit_text(p, attribute.reference));
	if (bytes_are(key, "process.executable.build_id.gnu"))
		return (struct meaning){ MEANS_BUILD_ID, value };
	if (!bytes_are(key, "profile.frame.type") || bytes_are(value, "native") ||
	    bytes_are(value, "go") || bytes_are(value, "rust"))
		return (struct meaning){ MEANS_NOTHING, value };
	return (struct meaning){ bytes_are(value, "kernel") ? MEANS_KERNEL : MEANS_OTHER_CODE,
		                 value };
}

static enum cairn_status load_meanings(struct loading *l)
{
	struct cairn_bytes rest = l->p->dictionary, body;

	while (otlp_next_part(&rest, OTLP_ATTRIBUTE, &body)) {
		if (!ARRAY_APPEND(l->meanings, l->count, l->capacity, judge_attribute(l->p, body)))
			return CAIRN_NO_MEMORY;
		if (!ARRAY_APPEND(l->p->attributes, l->p->attribute_count, l->p->attribute_capacity,
		                  body))
			return CAIRN_NO_MEMORY;
	}
	return CAIRN_OK;
}

static const struct meaning *next_meaning(const struct loading *l, struct otlp_numbers *numbers)
{
	uint64_t number;

	while (otlp_next_number(numbers, &number))
		if (number != 0 && number < l->count && l->meanings[number].kind != MEANS_NOTHING)
			return &l->meanings[number];
	return NULL;
}

static enum cairn_status load_mapping(struct loading *l, struct cairn_bytes body)
{
	struct cairn_profile *p = l->p;
	struct otlp_mapping stored;
	struct otlp_numbers numbers = otlp_numbers(body, MAPPING_ATTRIBUTES);
	const struct meaning *meaning;

	if (!otlp_read_mapping(body, &stored))
		return CAIRN_MALFORMED;
	struct profile_mapping mapping = {
		.stored = { .start = stored.start, .limit = stored.limit, .offset = stored.offset },
		.path = profile_text(p, limit_text(p, stored.path)),
		.build_id = profile_text(p, 0),
	};
	while ((meaning = next_meaning(l, &numbers)))
		if (meaning->kind == MEANS_BUILD_ID)
			mapping.build_id = meaning->text;
	if (!ARRAY_APPEND(p->mappings, p->mapping_count, p->mapping_capacity, mapping))
		return CAIRN_NO_MEMORY;
	return p->mapping_count == 1 && mapping.path.size == 0 && mapping.build_id.size == 0
	               ? CAIRN_OK
	               : profile_add_module(p, &p->mappings[p->mapping_count - 1]);
}

static enum cairn_status load_function(struct cairn_profile *p, struct cairn_bytes body)
{
	struct otlp_function f;

	if (!otlp_read_function(body, &f))
		return CAIRN_MALFORMED;
	const struct pprof_function function = { p->function_count, limit_text(p, f.name),
		                                 limit_text(p, f.linked_name),
		                                 limit_text(p, f.file), f.line };
	if (!ARRAY_APPEND(p->functions, p->function_count, p->function_capacity, function))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

static enum cairn_status load_location(struct loading *l, struct cairn_bytes body)
{
	struct cairn_profile *p = l->p;
	struct otlp_numbers numbers = otlp_numbers(body, LOCATION_ATTRIBUTES);
	struct cairn_bytes lines = body;
	const struct meaning *meaning;
	struct otlp_location stored;
	struct otlp_line line;

	if (!otlp_read_location(body, &stored))
		return CAIRN_MALFORMED;
	if (!array_grow(&p->locations, &p->location_capacity, p->location_count + 1,
	                sizeof(*p->locations)))
		return CAIRN_NO_MEMORY;
	struct profile_location *location = &p->locations[p->location_count];
	*location = (struct profile_location){ .address = stored.address, .body = body };
	location->ignored = p->location_count++ == 0;
	while (otlp_next_line(&lines, &line))
		note_past_end(&p->function_gap, line.function,
		              p->function_count > 0 ? p->function_count : 1);
	location->mapping =
		location->ignored ? 0 : profile_place_number(p->mapping_count, stored.mapping);
	location->has = (uint8_t)profile_judge_calls(p, location);
	location->named = location->has & PPROF_HAS_FUNCTIONS;
	while ((meaning = next_meaning(l, &numbers)))
		if (meaning->kind != MEANS_BUILD_ID)
			location->frame = meaning->kind == MEANS_KERNEL ? PROFILE_FRAME_KERNEL
			                                                : PROFILE_FRAME_OTHER;
	return CAIRN_OK;
}

static enum cairn_status load_item(struct loading *l, uint32_t table, struct cairn_bytes body)
{
	struct cairn_profile *p = l->p;

	switch (table) {
	case OTLP_MAPPING:
		return load_mapping(l, body);
	case OTLP_FUNCTION:
		return load_function(p, body);
	case OTLP_LOCATION:
		return load_location(l, body);
	case OTLP_LINK:
		return ARRAY_APPEND(p->links, p->link_count, p->link_capacity, body)
		               ? CAIRN_OK
		               : CAIRN_NO_MEMORY;
	default:
		return ARRAY_APPEND(p->stacks, p->stack_count, p->stack_capacity, body)
		               ? CAIRN_OK
		               : CAIRN_NO_MEMORY;
	}
}

size_t profile_type_index(const struct cairn_profile *p, struct otlp_type type)
{
	const uint64_t name = type.type < p->text_count ? type.type : 0,
		       unit = type.unit < p->text_count ? type.unit : 0;
	size_t i = 0;

	while (i < p->type_count && !(p->types[i].type == name && p->types[i].unit == unit))
		i++;
	return i;
}

/*
 * Maximum number of value types; profiles usually have a few. It bounds the output, which has one
 * value per sample and type.
 */
enum { TYPES_MAX = 64 };

static enum cairn_status add_type(struct cairn_profile *p, struct otlp_type type)
{
	const struct pprof_type limited = { limit_text(p, type.type), limit_text(p, type.unit) };

	if (profile_type_index(p, type) < p->type_count || p->type_count >= TYPES_MAX)
		return CAIRN_OK;
	if (!ARRAY_APPEND(p->types, p->type_count, p->type_capacity, limited))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

/* Collect the distinct value types of all profiles, in the order of their first use. */
static enum cairn_status load_types(struct cairn_profile *p)
{
	struct cairn_bytes all = p->bytes, scopes, profiles, profile;
	enum cairn_status status = CAIRN_OK;

	if (p->made)
		status = add_type(
			p, (struct otlp_type){ PROFILE_RECORDED_TYPE, PROFILE_RECORDED_UNIT });
	while (otlp_next_part(&all, OTLP_RESOURCE, &scopes))
		while (otlp_next_part(&scopes, OTLP_PROFILES, &profiles))
			while (status == CAIRN_OK &&
			       otlp_next_part(&profiles, OTLP_PROFILES, &profile))
				status = add_type(p, otlp_profile_type(profile, OTLP_PROFILE_TYPE));
	return status;
}

/*
 * Load the tables in such an order that each table refers only to earlier ones. The fields of the
 * message may come in any order.
 */
static enum cairn_status load_tables(struct loading *l)
{
	static const uint32_t tables[] = { OTLP_MAPPING, OTLP_FUNCTION, OTLP_LOCATION, OTLP_STACK,
		                           OTLP_LINK };
	enum cairn_status status = load_texts(l->p);

	if (status == CAIRN_OK)
		status = load_meanings(l);
	for (size_t i = 0; status == CAIRN_OK && i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct cairn_bytes rest = l->p->dictionary, body;
		while (status == CAIRN_OK && otlp_next_part(&rest, tables[i], &body))
			status = load_item(l, tables[i], body);
	}
	return status;
}

enum cairn_status profile_load_otlp(struct cairn_profile *p, struct cairn_fault *fault)
{
	struct cairn_bytes rest = p->bytes, other;
	struct loading loading = { .p = p };
	enum cairn_status status = CAIRN_OK;

	*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0, "a table of the dictionary is damaged" };
	p->dictionary = (struct cairn_bytes){ p->bytes.data, 0 };
	if (otlp_next_part(&rest, OTLP_DICTIONARY, &p->dictionary) &&
	    otlp_next_part(&rest, OTLP_DICTIONARY, &other)) {
		return fault_set_at(fault, CAIRN_UNSUPPORTED,
		                    (uint64_t)(other.data - p->bytes.data),
		                    "there is a second dictionary");
	}
	fault->offset = (uint64_t)(p->dictionary.data - p->bytes.data);
	status = load_tables(&loading);
	if (status == CAIRN_OK)
		status = load_types(p);
	free(loading.meanings);
	if (status == CAIRN_NO_MEMORY)
		*fault = (struct cairn_fault){ status, 0, cairn_status_text(status) };
	return status;
}

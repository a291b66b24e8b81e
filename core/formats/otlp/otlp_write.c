/* SPDX-License-Identifier: MIT */
/* Writes what is new in a message of OpenTelemetry's profiles, and profiles of other versions as 1.11 has them. */
#include "otlp.h"

enum { LOCATION_LINE = 3, MESSAGE_MAX = 64, PROFILES = 2, PROFILE_SAMPLE = 2, PROFILE_MOVED = 8 };

/* A message of numbers, of which the first is field 1; those that are 0 are left out. */
static void put_numbers(struct sink *out, uint32_t field, const uint64_t *value, uint32_t count)
{
	uint8_t memory[MESSAGE_MAX];
	struct sink message = sink_open(memory, sizeof(memory));

	for (uint32_t i = 0; i < count; i++)
		if (value[i] != 0)
			wire_put_number(&message, i + 1, value[i]);
	wire_put_bytes(out, field, (struct cairn_bytes){ memory, message.size });
}

void otlp_put_function(struct sink *out, const struct otlp_function *f)
{
	const uint64_t value[] = { f->name, f->linked_name, f->file, f->line };

	put_numbers(out, OTLP_FUNCTION, value, 4);
}

static void put_location_body(struct sink *out, struct cairn_bytes body,
                              const struct otlp_line *lines, size_t count)
{
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	while (at < end && wire_field(&at, end, &part))
		if (part.number != LOCATION_LINE)
			sink_bytes(out, part.whole.data, part.whole.size);
	for (size_t i = 0; i < count; i++) {
		const uint64_t value[] = { lines[i].function, lines[i].line, lines[i].column };
		put_numbers(out, LOCATION_LINE, value, 3);
	}
}

void otlp_put_location_with(struct sink *out, struct cairn_bytes body,
                            const struct otlp_line *lines, size_t count)
{
	struct sink measured = sink_open(NULL, 0);

	put_location_body(&measured, body, lines, count);
	wire_put_head(out, OTLP_LOCATION, measured.size);
	put_location_body(out, body, lines, count);
}

/* A field with another number. */
static void put_moved(struct sink *out, const struct wire_field *field, uint32_t number)
{
	const uint8_t *at = field->whole.data, *end = at + field->whole.size;
	uint64_t key;

	if (!wire_varint(&at, end, &key))
		return;
	wire_put_key(out, number, field->type);
	sink_bytes(out, at, (size_t)(end - at));
}

/* How a message of some level becomes that of 1.11. */
typedef void put_body(struct sink *out, struct cairn_bytes body, enum otlp_version version);

static void put_message(struct sink *out, uint32_t field, struct cairn_bytes body,
                        enum otlp_version version, put_body *put)
{
	struct sink measured = sink_open(NULL, 0);

	put(&measured, body, version);
	wire_put_head(out, field, measured.size);
	put(out, body, version);
}

/* 2 values 3 attributes 4 link -> 4 values 2 attributes 3 link */
static void put_sample(struct sink *out, struct cairn_bytes body, enum otlp_version version)
{
	static const uint32_t moved[] = { 0, 1, 4, 2, 3 };
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	(void)version;
	while (at < end && wire_field(&at, end, &part))
		if (part.number < sizeof(moved) / sizeof(moved[0]) && part.type != WIRE_GROUP)
			put_moved(out, &part, moved[part.number]);
		else
			sink_bytes(out, part.whole.data, part.whole.size);
}

static void put_profile(struct sink *out, struct cairn_bytes body, enum otlp_version version)
{
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	while (at < end && wire_field(&at, end, &part))
		if (part.number == PROFILE_SAMPLE && part.type == WIRE_BYTES)
			put_message(out, PROFILE_SAMPLE, part.bytes, version, put_sample);
		else if (version == OTLP_1_8 && part.number >= PROFILE_MOVED &&
		         part.type != WIRE_GROUP)
			put_moved(out, &part, part.number - 1);
		else
			sink_bytes(out, part.whole.data, part.whole.size);
}

/* The messages in field 2, and all else as it is. */
static void put_level(struct sink *out, struct cairn_bytes body, enum otlp_version version,
                      put_body *put)
{
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	while (at < end && wire_field(&at, end, &part))
		if (part.number == PROFILES && part.type == WIRE_BYTES)
			put_message(out, PROFILES, part.bytes, version, put);
		else
			sink_bytes(out, part.whole.data, part.whole.size);
}

static void put_scope(struct sink *out, struct cairn_bytes body, enum otlp_version version)
{
	put_level(out, body, version, put_profile);
}

static void put_resource(struct sink *out, struct cairn_bytes body, enum otlp_version version)
{
	put_level(out, body, version, put_scope);
}

void otlp_put_resource(struct sink *out, struct cairn_bytes body, enum otlp_version version)
{
	if (version == OTLP_1_10)
		wire_put_bytes(out, OTLP_RESOURCE, body);
	else
		put_message(out, OTLP_RESOURCE, body, version, put_resource);
}

/* SPDX-License-Identifier: MIT */
/* Writes new parts of a profiles message, and converts profiles of other versions to 1.11. */
#include "otlp.h"

enum { LOCATION_LINE = 3, INNER = 2, PROFILE_MOVED = 8 };

void otlp_put_function(struct sink *out, const struct otlp_function *f)
{
	const uint64_t value[] = { f->name, f->linked_name, f->file, f->line };

	wire_put_numbers(out, OTLP_FUNCTION, value, 4);
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
		wire_put_numbers(out, LOCATION_LINE, value, 3);
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

/* Write a field with a different number. */
static void put_moved(struct sink *out, const struct wire_field *field, uint32_t number)
{
	const uint8_t *at = field->whole.data, *end = at + field->whole.size;
	uint64_t key;

	if (!wire_varint(&at, end, &key))
		return;
	wire_put_key(out, number, field->type);
	sink_bytes(out, at, (size_t)(end - at));
}

/* Nested messages. Each is field 2 of the previous one. */
enum level { LEVEL_RESOURCE, LEVEL_SCOPE, LEVEL_PROFILE, LEVEL_SAMPLE };

/*
 * Return the number of a field in 1.11. In samples, 2 values, 3 attributes and 4 link become 4
 * values, 2 attributes and 3 link.
 */
static uint32_t move_field(enum level level, enum otlp_version version, uint32_t number)
{
	static const uint32_t sample[] = { 0, 1, 4, 2, 3 };

	if (level == LEVEL_SAMPLE && number < sizeof(sample) / sizeof(sample[0]))
		return sample[number];
	return number - (level == LEVEL_PROFILE && version == OTLP_1_8 && number >= PROFILE_MOVED);
}

static void put_level(struct sink *out, struct cairn_bytes body, enum otlp_version version,
                      enum level level)
{
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	while (at < end && wire_field(&at, end, &part)) {
		const uint32_t number = move_field(level, version, part.number);
		if (level < LEVEL_SAMPLE && part.number == INNER && part.type == WIRE_BYTES) {
			struct sink measured = sink_open(NULL, 0);
			put_level(&measured, part.bytes, version, level + 1);
			wire_put_head(out, INNER, measured.size);
			put_level(out, part.bytes, version, level + 1);
		} else if (number != part.number && part.type != WIRE_GROUP) {
			put_moved(out, &part, number);
		} else {
			sink_bytes(out, part.whole.data, part.whole.size);
		}
	}
}

void otlp_put_resource(struct sink *out, struct cairn_bytes body, enum otlp_version version)
{
	struct sink measured = sink_open(NULL, 0);

	if (version == OTLP_1_10) {
		wire_put_bytes(out, OTLP_RESOURCE, body);
		return;
	}
	put_level(&measured, body, version, LEVEL_RESOURCE);
	wire_put_head(out, OTLP_RESOURCE, measured.size);
	put_level(out, body, version, LEVEL_RESOURCE);
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads the messages of OpenTelemetry profiles, version 1.8 and later:
 *
 *	ProfilesData     = 1 resource_profiles* 2 dictionary
 *	Dictionary       = 1 mapping* 2 location* 3 function* 4 link* 5 text* 6 attribute* 7 stack*
 *	ResourceProfiles = 1 resource 2 scope_profiles* 3 schema_url
 *	ScopeProfiles    = 1 scope 2 profile* 3 schema_url
 *	Profile          = 1 sample_type 2 sample* ...
 *	Mapping          = 1 memory_start 2 memory_limit 3 file_offset 4 filename 5 attribute*
 *	Location         = 1 mapping 2 address 3 line* 4 attribute*
 *	Line             = 1 function 2 line 3 column
 *	Function         = 1 name 2 system_name 3 filename 4 start_line
 *	Attribute        = 1 key 2 value 3 unit
 *	AnyValue         = 1 text ... 8 string index
 */
#include "otlp.h"

enum {
	LOCATION_LINE = 3,
	KEY = 1,
	VALUE = 2,
	VALUE_TEXT = 1,
	VALUE_FLAG = 2,
	VALUE_NUMBER = 3,
	VALUE_REFERENCE = 8
};

bool otlp_next_part(struct cairn_bytes *body, uint32_t field, struct cairn_bytes *part)
{
	struct wire_field f;

	while (wire_next(body, &f))
		if (f.number == field && f.type == WIRE_BYTES) {
			*part = f.bytes;
			return true;
		}
	return false;
}

static bool read_sound_numbers(struct cairn_bytes body, uint64_t *value, uint32_t count)
{
	return wire_read_numbers(body, value, count).size == 0;
}

bool otlp_read_mapping(struct cairn_bytes body, struct otlp_mapping *mapping)
{
	uint64_t v[4];
	const bool sound = read_sound_numbers(body, v, 4);

	*mapping = (struct otlp_mapping){ v[0], v[1], v[2], v[3] };
	return sound;
}

bool otlp_read_location(struct cairn_bytes body, struct otlp_location *location)
{
	struct cairn_bytes rest = body, part;
	uint64_t v[2];
	const bool sound = read_sound_numbers(body, v, 2);

	*location = (struct otlp_location){ v[0], v[1], 0 };
	while (otlp_next_part(&rest, LOCATION_LINE, &part))
		location->lines++;
	return sound;
}

bool otlp_next_line(struct cairn_bytes *body, struct otlp_line *line)
{
	struct cairn_bytes part;
	uint64_t v[3];

	if (!otlp_next_part(body, LOCATION_LINE, &part))
		return false;
	(void)read_sound_numbers(part, v, 3);
	*line = (struct otlp_line){ v[0], v[1], v[2] };
	return true;
}

bool otlp_read_function(struct cairn_bytes body, struct otlp_function *function)
{
	uint64_t v[4];
	const bool sound = read_sound_numbers(body, v, 4);

	*function = (struct otlp_function){ v[0], v[1], v[2], v[3] };
	return sound;
}

static void read_attribute_value(struct cairn_bytes body, struct otlp_attribute *attribute)
{
	struct wire_field part;

	while (wire_next(&body, &part)) {
		if (part.number == VALUE_TEXT && part.type == WIRE_BYTES) {
			attribute->has_text = true;
			attribute->text = part.bytes;
		} else if (part.number == VALUE_REFERENCE && part.type == WIRE_VARINT) {
			attribute->is_reference = true;
			attribute->reference = part.value;
		} else if ((part.number == VALUE_FLAG || part.number == VALUE_NUMBER) &&
		           part.type == WIRE_VARINT) {
			attribute->is_number = true;
			attribute->number = part.value;
		}
	}
}

bool otlp_read_attribute(struct cairn_bytes body, struct otlp_attribute *attribute)
{
	struct cairn_bytes value;
	uint64_t v[3];
	const bool sound = read_sound_numbers(body, v, 3);

	*attribute = (struct otlp_attribute){ .key = v[0], .unit = v[2] };
	while (otlp_next_part(&body, VALUE, &value))
		read_attribute_value(value, attribute);
	return sound;
}

/*
 * Read an attribute of a resource. The index of its key is in the field that contains the unit in
 * the attribute table.
 */
bool otlp_read_resource_attribute(struct cairn_bytes body, struct otlp_attribute *attribute)
{
	struct cairn_bytes rest = body, text = { body.data, 0 };
	const bool sound = otlp_read_attribute(body, attribute);

	(void)otlp_next_part(&rest, KEY, &text);
	attribute->key = attribute->unit;
	attribute->unit = 0;
	attribute->key_text = text;
	return sound;
}

struct otlp_numbers otlp_numbers(struct cairn_bytes body, uint32_t field)
{
	return (struct otlp_numbers){ body, { body.data, body.data }, field };
}

bool otlp_next_number(struct otlp_numbers *n, uint64_t *number)
{
	struct wire_field part;

	while (!wire_number(&n->numbers, number))
		do
			if (!wire_next(&n->body, &part))
				return false;
		while (part.number != n->field || !wire_numbers(&part, &n->numbers));
	return true;
}

enum {
	SAMPLE_VALUES_OLD = 2,
	SAMPLE_VALUES = 4,
	SAMPLE_TIMES = 5,
	TIME_SIZE = 8,
};

uint32_t otlp_sample_attributes(enum otlp_version version)
{
	return version == OTLP_1_10 ? 2 : 3;
}

bool otlp_read_sample(struct cairn_bytes body, enum otlp_version version,
                      struct otlp_sample *sample)
{
	struct otlp_numbers values =
		otlp_numbers(body, version == OTLP_1_10 ? SAMPLE_VALUES : SAMPLE_VALUES_OLD);
	uint64_t count = 0, sum = 0, value, v[4];
	struct wire_field part;

	for (; otlp_next_number(&values, &value); count++)
		sum += value;
	const bool sound = read_sound_numbers(body, v, 4);
	*sample = (struct otlp_sample){ .stack = v[0], .link = v[version == OTLP_1_10 ? 2 : 3] };
	while (wire_next(&body, &part))
		if (part.number == SAMPLE_TIMES)
			sample->times += part.type == WIRE_BYTES ? part.bytes.size / TIME_SIZE : 1;
	sample->value = (int64_t)(count > 0 ? sum : sample->times);
	return sound;
}

bool otlp_next_time(struct cairn_bytes *body, struct cairn_bytes *times, uint64_t *time)
{
	struct wire_field part;

	while (times->size < TIME_SIZE) {
		if (!wire_next(body, &part))
			return false;
		if (part.number == SAMPLE_TIMES && part.type == WIRE_64) {
			*time = part.value;
			return true;
		}
		if (part.number == SAMPLE_TIMES && part.type == WIRE_BYTES)
			*times = part.bytes;
	}
	*time = 0;
	for (unsigned i = TIME_SIZE; i > 0; i--)
		*time = *time << 8 | times->data[i - 1];
	times->data += TIME_SIZE;
	times->size -= TIME_SIZE;
	return true;
}

struct otlp_type otlp_profile_type(struct cairn_bytes profile, uint32_t field)
{
	struct cairn_bytes type;
	uint64_t v[2] = { 0, 0 };

	if (otlp_next_part(&profile, field, &type))
		(void)read_sound_numbers(type, v, 2);
	return (struct otlp_type){ v[0], v[1] };
}

uint64_t otlp_profile_number(struct cairn_bytes profile, uint32_t field)
{
	struct wire_field part;
	uint64_t number = 0;

	while (wire_next(&profile, &part))
		if (part.number == field && part.type != WIRE_BYTES && part.type != WIRE_GROUP)
			number = part.value;
	return number;
}

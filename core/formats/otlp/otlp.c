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
 * Read a resource attribute. Its field 3 is the index of the key, whereas field 3 of an element in
 * the attribute table is the unit.
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

/*
 * Replaces functions and locations in a profiles message, and converts profiles of older versions
 * to 1.11.
 */

enum { INNER = 2, PROFILE_MOVED = 8 };

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

static void put_moved(struct sink *out, const struct wire_field *field, uint32_t number)
{
	const uint8_t *at = field->whole.data, *end = at + field->whole.size;
	uint64_t key;

	if (!wire_varint(&at, end, &key))
		return;
	wire_put_key(out, number, field->type);
	sink_bytes(out, at, (size_t)(end - at));
}

/*
 * Levels of nesting. The messages of each level are in field 2 of a message of the previous level.
 */
enum level { LEVEL_RESOURCE, LEVEL_SCOPE, LEVEL_PROFILE, LEVEL_SAMPLE };

/*
 * Return the number of a field in version 1.11. In samples, the fields 2 (values), 3 (attributes)
 * and 4 (link) become 4, 2 and 3.
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

/*
 * Guesses the version of a profiles message. The following differences between versions are visible
 * in the types of fields:
 *
 *	1.5          no dictionary, because each profile has its own tables
 *	1.7          no dictionary stacks; profile field 3 is a list; attribute keys are strings
 *	1.8          profiles have comments in field 7; since 1.9 the later fields have moved down by one
 *	1.8 and 1.9  Sample = 1 stack 2 values 3 attributes 4 link 5 times
 *	1.10, 1.11   Sample = 1 stack 2 attributes 3 link 4 values 5 times
 */

enum {
	/* field number of the scopes in a resource, and of the profiles in a scope */
	PROFILES = 2,
	PROFILE_SAMPLE = 2,
	PROFILE_TIME = 3,
	PROFILE_COMMENT_OLD = 7,
	PROFILE_LAST_OLD = 12,
};

/* Evidence for the version, collected from samples and profiles. */
struct signs {
	uint64_t attributes; /* number of elements in the attribute table */
	uint64_t profiles, samples, stacks, locations;
	/* number of samples that are valid only in versions up to 1.9, or only from 1.10 on */
	uint64_t older, newer;
	uint64_t lists;  /* number of samples that have field 2 but neither field 3 nor field 4 */
	uint64_t values; /* number of samples whose field 2 cannot be attribute indices */
	/* number of samples whose field 2 has as many elements as there are timestamps */
	uint64_t matching;
	bool has_dictionary;
	bool is_1_7, is_1_8, has_comments, is_broken;
};

static bool next_field(struct cairn_bytes *body, struct wire_field *part, struct signs *signs)
{
	if (wire_next(body, part))
		return true;
	signs->is_broken |= body->size > 0;
	return false;
}

/*
 * Collect evidence on whether a sample's field 2 contains attribute indices or values. Field 2 must
 * contain values if one of its numbers is not a valid index, or if the sample has no timestamps.
 */
static void judge_list(struct cairn_bytes sample, uint64_t times, struct signs *signs)
{
	struct otlp_numbers numbers = otlp_numbers(sample, 2);
	bool beyond = false;
	uint64_t number, count = 0;

	for (; otlp_next_number(&numbers, &number); count++)
		beyond |= number >= signs->attributes;
	signs->lists++;
	signs->values += beyond || times == 0;
	signs->matching += count == times;
}

static void judge_sample(struct cairn_bytes sample, struct signs *signs)
{
	struct cairn_bytes rest = sample;
	struct wire_field part;
	bool older = false, newer = false, list = false;
	uint64_t times = 0;

	while (next_field(&rest, &part, signs)) {
		const bool is_list = part.type == WIRE_BYTES;
		older |= (part.number == 3 && is_list) || (part.number == 4 && !is_list);
		newer |= (part.number == 4 && is_list) || (part.number == 3 && !is_list);
		list |= part.number == 2;
		if (part.number == 5)
			times += is_list ? part.bytes.size / TIME_SIZE : 1;
	}
	signs->samples++;
	signs->older += older && !newer;
	signs->newer += newer && !older;
	if (list && !older && !newer)
		judge_list(sample, times, signs);
}

static void judge_profile(struct cairn_bytes profile, struct signs *signs)
{
	struct wire_field part;

	signs->profiles++;
	while (next_field(&profile, &part, signs)) {
		const bool is_list = part.type == WIRE_BYTES;
		if (part.number == PROFILE_SAMPLE && is_list)
			judge_sample(part.bytes, signs);
		signs->is_1_7 |= part.number == PROFILE_TIME && is_list;
		signs->is_1_8 |= part.number == PROFILE_LAST_OLD || (part.number == 8 && is_list) ||
		                 (part.number == 9 && !is_list);
		signs->has_comments |= part.number == PROFILE_COMMENT_OLD && part.bytes.size > 0;
	}
}

static void judge_resource(struct cairn_bytes resource, struct signs *signs)
{
	struct wire_field scope, profile;

	while (next_field(&resource, &scope, signs))
		if (scope.number == PROFILES && scope.type == WIRE_BYTES)
			while (next_field(&scope.bytes, &profile, signs))
				if (profile.number == PROFILES && profile.type == WIRE_BYTES)
					judge_profile(profile.bytes, signs);
}

static void judge_dictionary(struct cairn_bytes dictionary, struct signs *signs)
{
	struct wire_field part, key;

	while (next_field(&dictionary, &part, signs)) {
		if (part.type != WIRE_BYTES)
			continue;
		signs->stacks += part.number == OTLP_STACK;
		signs->locations += part.number == OTLP_LOCATION;
		if (part.number != OTLP_ATTRIBUTE)
			continue;
		signs->attributes++;
		while (next_field(&part.bytes, &key, signs))
			signs->is_1_7 |= key.number == 1 && key.type == WIRE_BYTES;
	}
}

static enum otlp_version conclude_version(const struct signs *signs)
{
	if (signs->is_1_7 || (signs->samples > 0 && signs->stacks == 0))
		return signs->has_dictionary ? OTLP_1_7 : OTLP_1_5;
	if (signs->is_1_8)
		return signs->has_comments ? OTLP_1_8_COMMENTED : OTLP_1_8;
	if (signs->older != signs->newer)
		return signs->older > signs->newer ? OTLP_1_9 : OTLP_1_10;
	if (signs->lists > 0 && (signs->values > 0 || signs->matching == signs->lists))
		return OTLP_1_9;
	return OTLP_1_10;
}

/* Read the dictionary first, because judge_list() needs the size of the attribute table. */
enum otlp_version otlp_guess(struct cairn_bytes bytes)
{
	struct signs signs = { .profiles = 0 };
	struct cairn_bytes rest = bytes;
	struct wire_field part;

	while (next_field(&rest, &part, &signs)) {
		if (part.number > OTLP_DICTIONARY || part.type != WIRE_BYTES)
			return OTLP_UNKNOWN;
		if (part.number == OTLP_DICTIONARY) {
			signs.has_dictionary = true;
			judge_dictionary(part.bytes, &signs);
		}
	}
	for (rest = bytes; next_field(&rest, &part, &signs);)
		if (part.number == OTLP_RESOURCE)
			judge_resource(part.bytes, &signs);
	if (signs.is_broken || (signs.profiles == 0 && signs.locations == 0))
		return OTLP_UNKNOWN;
	return conclude_version(&signs);
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads pprof profiles:
 *
 *	Profile  = 1 sample_type* 2 sample* 3 mapping* 4 location* 5 function* 6 text* ...
 *	Sample   = 1 location_id* 2 value* 3 label*
 *	Label    = 1 key 2 str 3 num 4 num_unit
 *	Mapping  = 1 id 2 memory_start 3 memory_limit 4 file_offset 5 filename 6 build_id 7..10 has_*
 *	Location = 1 id 2 mapping_id 3 address 4 line* 5 is_folded
 *	Line     = 1 function_id 2 line 3 column
 *	Function = 1 id 2 name 3 system_name 4 filename 5 start_line
 *
 * Fields whose wire type differs from the schema are skipped, like unknown fields.
 */
#include "pprof.h"

#include <string.h>

enum {
	LOCATION_LINE = 4,
	LOCATION_FOLDED = 5,
	MAPPING_HAS = 7, /* number of the first of the four flag fields */
};

struct pprof pprof_open(struct cairn_bytes bytes)
{
	return (struct pprof){ .bytes = bytes, .at = bytes.data };
}

static void set_fault(struct pprof *profile, const uint8_t *at, const char *what)
{
	if (profile->fault.status == CAIRN_OK)
		profile->fault = (struct cairn_fault){ CAIRN_MALFORMED,
			                               (uint64_t)(at - profile->bytes.data), what };
}

void pprof_fail(struct pprof *profile, const struct wire_field *field, const char *what)
{
	set_fault(profile, field->whole.data, what);
}

bool pprof_next(struct pprof *profile, struct wire_field *field)
{
	const uint8_t *end = profile->bytes.data + profile->bytes.size;

	if (profile->at == end || profile->fault.status != CAIRN_OK)
		return false;
	if (wire_field(&profile->at, end, field))
		return true;
	set_fault(profile, profile->at, "a field of the profile is damaged or truncated");
	return false;
}

static bool end_message(struct pprof *profile, struct cairn_bytes rest, const char *what)
{
	if (rest.size > 0)
		set_fault(profile, rest.data, what);
	return rest.size == 0;
}

bool pprof_read_mapping(struct pprof *profile, const struct wire_field *field,
                        struct pprof_mapping *mapping)
{
	uint64_t v[10];
	const struct cairn_bytes rest = wire_read_numbers(field->bytes, v, 10);

	*mapping = (struct pprof_mapping){ .id = v[0],
		                           .start = v[1],
		                           .limit = v[2],
		                           .offset = v[3],
		                           .path = v[4],
		                           .build_id = v[5] };
	for (unsigned i = 0; i < 4; i++)
		mapping->has |= v[MAPPING_HAS - 1 + i] ? 1u << i : 0;
	return end_message(profile, rest, "a mapping is damaged");
}

bool pprof_read_location(struct pprof *profile, const struct wire_field *field,
                         struct pprof_location *location)
{
	struct cairn_bytes rest = field->bytes;
	struct wire_field part;

	*location = (struct pprof_location){ .body = field->bytes };
	while (wire_next(&rest, &part)) {
		if (part.number == LOCATION_LINE && part.type == WIRE_BYTES)
			location->lines++;
		if (part.type != WIRE_VARINT)
			continue;
		if (part.number == 1)
			location->id = part.value;
		else if (part.number == 2)
			location->mapping = part.value;
		else if (part.number == 3)
			location->address = part.value;
		else if (part.number == LOCATION_FOLDED)
			location->folded = part.value != 0;
	}
	return end_message(profile, rest, "a location is damaged");
}

bool pprof_next_line(struct cairn_bytes *body, struct pprof_line *line)
{
	struct wire_field part;
	uint64_t v[3];

	while (wire_next(body, &part))
		if (part.number == LOCATION_LINE && part.type == WIRE_BYTES) {
			(void)wire_read_numbers(part.bytes, v, 3);
			*line = (struct pprof_line){ v[0], v[1], v[2] };
			return true;
		}
	return false;
}

bool pprof_read_function(struct pprof *profile, const struct wire_field *field,
                         struct pprof_function *function)
{
	uint64_t v[5];
	const struct cairn_bytes rest = wire_read_numbers(field->bytes, v, 5);

	*function = (struct pprof_function){ v[0], v[1], v[2], v[3], v[4] };
	return end_message(profile, rest, "a function is damaged");
}

bool pprof_read_type(struct pprof *profile, const struct wire_field *field, struct pprof_type *type)
{
	uint64_t v[2];
	const struct cairn_bytes rest = wire_read_numbers(field->bytes, v, 2);

	*type = (struct pprof_type){ v[0], v[1] };
	return end_message(profile, rest, "a value type is damaged");
}

/*
 * Increment *count by the number of values in a field, packed or single. Return false if the field
 * is damaged.
 */
static bool count_numbers(const struct wire_field *part, uint32_t *count)
{
	uint32_t more = 1;

	if (part->type == WIRE_BYTES &&
	    !wire_count(part->bytes.data, part->bytes.data + part->bytes.size, &more))
		return false;
	*count += more;
	return true;
}

bool pprof_read_sample(struct pprof *profile, const struct wire_field *field,
                       struct pprof_sample *sample)
{
	struct cairn_bytes rest = field->bytes;
	struct wire_field part;
	bool sound = true;

	*sample = (struct pprof_sample){ .body = field->bytes };
	while (sound && wire_next(&rest, &part)) {
		if (part.type != WIRE_VARINT && part.type != WIRE_BYTES)
			continue;
		if (part.number == PPROF_SAMPLE_LOCATION)
			sound = count_numbers(&part, &sample->locations);
		else if (part.number == PPROF_SAMPLE_VALUE)
			sound = count_numbers(&part, &sample->values);
		else if (part.number == PPROF_SAMPLE_LABEL && part.type == WIRE_BYTES)
			sample->labels++;
	}
	if (!sound)
		pprof_fail(profile, field, "the numbers of a sample are damaged");
	return sound && end_message(profile, rest, "a sample is damaged");
}

struct pprof_numbers pprof_numbers(const struct pprof_sample *sample, uint32_t field)
{
	return (struct pprof_numbers){ .body = sample->body,
		                       .numbers = { sample->body.data, sample->body.data },
		                       .field = field };
}

bool pprof_next_number(struct pprof_numbers *n, uint64_t *number)
{
	struct wire_field part;

	while (!wire_number(&n->numbers, number)) {
		do
			if (!wire_next(&n->body, &part))
				return false;
		while (part.number != n->field || !wire_numbers(&part, &n->numbers));
	}
	return true;
}

bool pprof_next_label(struct cairn_bytes *body, struct pprof_label *label)
{
	struct wire_field part;
	uint64_t v[4];

	while (wire_next(body, &part))
		if (part.number == PPROF_SAMPLE_LABEL && part.type == WIRE_BYTES) {
			(void)wire_read_numbers(part.bytes, v, 4);
			*label = (struct pprof_label){ v[0], v[1], v[2], v[3], v[1] == 0 };
			return true;
		}
	return false;
}

static bool is_legacy(struct cairn_bytes bytes)
{
	static const char *const starts[] = { "\0\0\0\0\0\0\0\0", "heap profile:", "--- heapz",
		                              "--- contention",   "--- growth",    "--- threadz",
		                              "--- profile",      "--- symbol" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const size_t size = i == 0 ? 8 : strlen(starts[i]);
		if (bytes.size >= size && memcmp(bytes.data, starts[i], size) == 0)
			return true;
	}
	return false;
}

/*
 * Return true if the wire type of a field matches the schema. Messages and strings are bytes, other
 * fields are numbers, and lists of numbers may be packed.
 */
static bool fits_schema(const struct wire_field *field)
{
	const uint32_t n = field->number;

	if (n <= PPROF_TEXT || n == PPROF_PERIOD_TYPE)
		return field->type == WIRE_BYTES;
	return n > PPROF_LAST || field->type == WIRE_VARINT ||
	       (n == PPROF_COMMENT && field->type == WIRE_BYTES);
}

enum pprof_kind pprof_recognize(struct cairn_bytes bytes)
{
	struct pprof profile = pprof_open(bytes);
	struct wire_field field;
	bool known = false;

	if (is_legacy(bytes))
		return PPROF_LEGACY;
	while (!known && pprof_next(&profile, &field)) {
		if (!fits_schema(&field))
			return PPROF_NONE;
		/*
		 * field 3 and above distinguish pprof from OpenTelemetry, which has only fields 1
		 * and 2
		 */
		known = field.number >= PPROF_MAPPING && field.number <= PPROF_LAST;
	}
	return known ? PPROF_PROFILE : PPROF_NONE;
}

/* Writes pprof messages. Zeros are omitted, as in the format's other writers. */

static void put_number(struct sink *out, uint32_t field, uint64_t value)
{
	if (value != 0)
		wire_put_number(out, field, value);
}

void pprof_put_mapping(struct sink *out, const struct pprof_mapping *m)
{
	uint64_t value[10] = { m->id, m->start, m->limit, m->offset, m->path, m->build_id };

	for (unsigned i = 0; i < 4; i++)
		value[MAPPING_HAS - 1 + i] = m->has >> i & 1;
	wire_put_numbers(out, PPROF_MAPPING, value, 10);
}

void pprof_put_function(struct sink *out, const struct pprof_function *f)
{
	const uint64_t value[] = { f->id, f->name, f->linked_name, f->file, f->line };

	wire_put_numbers(out, PPROF_FUNCTION, value, 5);
}

void pprof_put_type(struct sink *out, uint32_t field, const struct pprof_type *type)
{
	const uint64_t value[] = { type->type, type->unit };

	wire_put_numbers(out, field, value, 2);
}

void pprof_put_text(struct sink *out, struct cairn_bytes text)
{
	wire_put_bytes(out, PPROF_TEXT, text);
}

static void copy_fields(struct sink *out, struct cairn_bytes body, uint32_t first, uint32_t last)
{
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	while (at < end && wire_field(&at, end, &part))
		if (part.number < first || part.number > last)
			sink_bytes(out, part.whole.data, part.whole.size);
}

static void put_mapping_body(struct sink *out, struct cairn_bytes body, unsigned has)
{
	copy_fields(out, body, MAPPING_HAS, MAPPING_HAS + 3);
	for (unsigned i = 0; i < 4; i++)
		put_number(out, MAPPING_HAS + i, has >> i & 1);
}

void pprof_put_mapping_with(struct sink *out, struct cairn_bytes body, unsigned has)
{
	struct sink measured = sink_open(NULL, 0);

	put_mapping_body(&measured, body, has);
	wire_put_head(out, PPROF_MAPPING, measured.size);
	put_mapping_body(out, body, has);
}

static void put_location_body(struct sink *out, struct cairn_bytes body, bool folded,
                              const struct pprof_line *lines, size_t count)
{
	copy_fields(out, body, LOCATION_LINE, LOCATION_FOLDED);
	for (size_t i = 0; i < count; i++) {
		const uint64_t value[] = { lines[i].function, lines[i].line, lines[i].column };
		wire_put_numbers(out, LOCATION_LINE, value, 3);
	}
	put_number(out, LOCATION_FOLDED, folded);
}

void pprof_put_location_with(struct sink *out, struct cairn_bytes body, bool folded,
                             const struct pprof_line *lines, size_t count)
{
	struct sink measured = sink_open(NULL, 0);

	put_location_body(&measured, body, folded, lines, count);
	wire_put_head(out, PPROF_LOCATION, measured.size);
	put_location_body(out, body, folded, lines, count);
}

/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's profiles: one message of Protocol Buffers, described in docs/formats/otlp.md. Tables of the whole message
 * (its dictionary) come before or after the profiles that refer to them by place; place 0 of each is none.
 *
 * The wire has no version, and versions differ: otlp_guess() decides. Those from 1.8 on are read, and written as 1.11.
 *
 *	const uint8_t *at = bytes.data, *end = at + bytes.size;
 *	struct wire_field field;
 *	while (at < end && wire_field(&at, end, &field))
 *		... field.number is OTLP_RESOURCE or OTLP_DICTIONARY
 */
#ifndef CAIRN_FORMATS_OTLP_H
#define CAIRN_FORMATS_OTLP_H

#include <cairn.h>

#include "base/wire_write.h"

/* Fields of the outermost message. */
enum { OTLP_RESOURCE = 1, OTLP_DICTIONARY = 2 };

/* Fields of messages in it: scopes of a resource, and profiles of a scope; samples of a profile; locations of a stack. */
enum { OTLP_PROFILES = 2, OTLP_PROFILE_SAMPLE = 2, OTLP_STACK_LOCATION = 1 };

/* The resource of profiles, and its attributes. */
enum { OTLP_RESOURCE_ITSELF = 1, OTLP_RESOURCE_ATTRIBUTE = 1 };

/* Fields of a profile that are told of all of its samples. */
enum {
	OTLP_PROFILE_TYPE = 1,
	OTLP_PROFILE_TIME = 3,
	OTLP_PROFILE_DURATION = 4,
	OTLP_PROFILE_PERIOD_TYPE = 5,
	OTLP_PROFILE_PERIOD = 6,
};

/* Fields of the dictionary. */
enum {
	OTLP_MAPPING = 1,
	OTLP_LOCATION = 2,
	OTLP_FUNCTION = 3,
	OTLP_LINK = 4,
	OTLP_TEXT = 5,
	OTLP_ATTRIBUTE = 6,
	OTLP_STACK = 7,
};

enum otlp_version {
	OTLP_UNKNOWN,       /* no message of profiles, or not told */
	OTLP_1_8_COMMENTED, /* 1.8 with comments, which are made attributes before it is read */
	OTLP_1_5,           /* and 1.6, with tables in each profile; only recognized */
	OTLP_1_7,           /* a dictionary without stacks; only recognized */
	OTLP_1_8,
	OTLP_1_9,
	OTLP_1_10, /* and 1.11, which is the same */
};

struct otlp_mapping {
	uint64_t start, limit, offset, path; /* pc, pc, bytes in the file, a text */
};

struct otlp_location {
	uint64_t mapping, address;
	uint32_t lines;
};

struct otlp_line {
	uint64_t function, line, column;
};

struct otlp_function {
	uint64_t name, linked_name, file, line;
};

/*
 * An attribute of the table, or of a resource: its key and its value are texts, of the table or given; a value may also be a
 * number, or of another type.
 */
struct otlp_attribute {
	uint64_t key, unit;          /* texts of the table */
	struct cairn_bytes key_text; /* of a resource, if `key` is 0 */
	bool has_text, is_reference, is_number;
	uint64_t reference, number;
	struct cairn_bytes text;
};

/* A sample: a place in the table of stacks and of links, and the sum of its values, or without values the number of its times. */
struct otlp_sample {
	uint64_t stack, link, times;
	int64_t value;
};

/* What a sample's values count. */
struct otlp_type {
	uint64_t type, unit; /* texts */
};

/* Each returns false if the message is malformed. */
bool otlp_read_sample(struct cairn_bytes body, enum otlp_version version,
                      struct otlp_sample *sample);

/* The type of a profile's values, or of its period: `field` is the number of that field. */
struct otlp_type otlp_profile_type(struct cairn_bytes profile, uint32_t field);

/* A number of a profile, of eight bytes or fewer; 0: it has none. */
uint64_t otlp_profile_number(struct cairn_bytes profile, uint32_t field);

/* The field of a sample with the places of its attributes. */
uint32_t otlp_sample_attributes(enum otlp_version version);

/* The next time of a sample, in nanoseconds; `body` is what is left of it, and `times` of a list of them. */
bool otlp_next_time(struct cairn_bytes *body, struct cairn_bytes *times, uint64_t *time);

bool otlp_read_mapping(struct cairn_bytes body, struct otlp_mapping *mapping);
bool otlp_read_location(struct cairn_bytes body, struct otlp_location *location);
bool otlp_read_function(struct cairn_bytes body, struct otlp_function *function);
bool otlp_read_attribute(struct cairn_bytes body, struct otlp_attribute *attribute);

/* The same of an attribute of a resource. */
bool otlp_read_resource_attribute(struct cairn_bytes body, struct otlp_attribute *attribute);

/* The next line of a location that was read; `body` is what is left of it. */
bool otlp_next_line(struct cairn_bytes *body, struct otlp_line *line);

/* The numbers of a list in a message: see otlp_next_number(). */
struct otlp_numbers {
	struct cairn_bytes body;
	struct wire_numbers numbers;
	uint32_t field;
};

/* Attributes of a mapping are field 5, of a location field 4. */
struct otlp_numbers otlp_numbers(struct cairn_bytes body, uint32_t field);
bool otlp_next_number(struct otlp_numbers *numbers, uint64_t *number);

/* The next message with this number in a message; `body` is what is left of it. */
bool otlp_next_part(struct cairn_bytes *body, uint32_t field, struct cairn_bytes *part);

/*
 * The version of a message, by the types of the fields of its samples and by what their numbers refer to. UNKNOWN: it is no
 * message of profiles.
 */
enum otlp_version otlp_guess(struct cairn_bytes bytes);

/* Writers of messages of the dictionary. */
void otlp_put_location_with(struct sink *out, struct cairn_bytes body,
                            const struct otlp_line *lines, size_t count);
void otlp_put_function(struct sink *out, const struct otlp_function *function);

/* The profiles of a resource as 1.11 has them, from another version. */
void otlp_put_resource(struct sink *out, struct cairn_bytes body, enum otlp_version version);

#endif

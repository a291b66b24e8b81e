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
	OTLP_UNKNOWN, /* no message of profiles, or not told */
	OTLP_OLD,     /* before 1.8: not read */
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

/* An attribute of the table: its key is a text, and so is its value, of the table or given; else it has another type. */
struct otlp_attribute {
	uint64_t key;
	bool has_text, is_reference;
	uint64_t reference;
	struct cairn_bytes text;
};

/* A sample: a place in the table of stacks, and the sum of its values, or without values the number of its times. */
struct otlp_sample {
	uint64_t stack;
	int64_t value;
};

/* Each returns false if the message is malformed. */
bool otlp_read_sample(struct cairn_bytes body, enum otlp_version version,
                      struct otlp_sample *sample);

/* The text of a profile's type of values. */
uint64_t otlp_profile_type(struct cairn_bytes profile);

bool otlp_read_mapping(struct cairn_bytes body, struct otlp_mapping *mapping);
bool otlp_read_location(struct cairn_bytes body, struct otlp_location *location);
bool otlp_read_function(struct cairn_bytes body, struct otlp_function *function);
bool otlp_read_attribute(struct cairn_bytes body, struct otlp_attribute *attribute);

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
void otlp_put_text(struct sink *out, struct cairn_bytes text);

/* The profiles of a resource as 1.11 has them, from another version. */
void otlp_put_resource(struct sink *out, struct cairn_bytes body, enum otlp_version version);

#endif

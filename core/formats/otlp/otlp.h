/* SPDX-License-Identifier: MIT */
/*
 * Reads OpenTelemetry profiles, a single Protocol Buffers message described in
 * docs/formats/otlp.md. The message's tables (its dictionary) may come before or after the
 * profiles, which refer to table elements by index; index 0 means no element.
 *
 * The wire format differs between versions but does not contain the version, so otlp_guess() infers
 * it. Versions 1.8 and later can be read. Output always has version 1.11.
 *
 *	const uint8_t *at = bytes.data, *end = at + bytes.size;
 *	struct wire_field field;
 *	while (at < end && wire_field(&at, end, &field))
 *		... field.number is OTLP_RESOURCE or OTLP_DICTIONARY
 */
#ifndef CAIRN_FORMATS_OTLP_H
#define CAIRN_FORMATS_OTLP_H

#include <cairn.h>

#include "base/wire.h"

/* Field numbers in the outermost message. */
enum { OTLP_RESOURCE = 1, OTLP_DICTIONARY = 2 };

/*
 * Field numbers of nested messages: the profiles in a scope, the samples in a profile, and the
 * locations in a stack.
 */
enum { OTLP_PROFILES = 2, OTLP_PROFILE_SAMPLE = 2, OTLP_STACK_LOCATION = 1 };

/* Field numbers of the resource that profiles belong to, and of that resource's attributes. */
enum { OTLP_RESOURCE_ITSELF = 1, OTLP_RESOURCE_ATTRIBUTE = 1 };

/* Field numbers of profile fields that apply to all samples. */
enum {
	OTLP_PROFILE_TYPE = 1,
	OTLP_PROFILE_TIME = 3,
	OTLP_PROFILE_DURATION = 4,
	OTLP_PROFILE_PERIOD_TYPE = 5,
	OTLP_PROFILE_PERIOD = 6,
};

/* Field numbers of the tables in the dictionary. */
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
	OTLP_UNKNOWN, /* not a profiles message, or the version is ambiguous */
	/* 1.8 with comment lists, which the caller must convert to attributes before reading */
	OTLP_1_8_COMMENTED,
	OTLP_1_5, /* 1.5 or 1.6, recognized but not readable: each profile has its own tables */
	OTLP_1_7, /* recognized but not readable: the dictionary has no stacks */
	OTLP_1_8,
	OTLP_1_9,
	OTLP_1_10, /* 1.10 or 1.11, whose encodings are identical */
};

struct otlp_mapping {
	/* `start` and `limit` are addresses, `offset` is a file offset, `path` a string index */
	uint64_t start, limit, offset, path;
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
 * An attribute from the attribute table or from a resource. The value is a string, a number, or of
 * a type that cairn ignores. Strings are stored inline or as an index.
 */
struct otlp_attribute {
	uint64_t key, unit;
	struct cairn_bytes key_text; /* inline key of a resource attribute, used if `key` is 0 */
	bool has_text, is_reference, is_number;
	uint64_t reference, number;
	struct cairn_bytes text;
};

/*
 * Indices of a sample's stack and link, and its weight: the sum of its values or, if it has no
 * values, the number of its timestamps.
 */
struct otlp_sample {
	uint64_t stack, link, times;
	int64_t value;
};

/* String indices of the type and unit of sample values. */
struct otlp_type {
	uint64_t type, unit;
};

/* The functions that read a message return false if it is malformed. */
bool otlp_read_sample(struct cairn_bytes body, enum otlp_version version,
                      struct otlp_sample *sample);

/*
 * Return the type of a profile's values (OTLP_PROFILE_TYPE) or of its sampling period
 * (OTLP_PROFILE_PERIOD_TYPE).
 */
struct otlp_type otlp_profile_type(struct cairn_bytes profile, uint32_t field);

/* Return a numeric field of a profile, or 0 if it is absent. */
uint64_t otlp_profile_number(struct cairn_bytes profile, uint32_t field);

/*
 * Return the number of the sample field that contains attribute indices, which depends on the
 * version.
 */
uint32_t otlp_sample_attributes(enum otlp_version version);

/*
 * Read the next timestamp of a sample in nanoseconds. `body` is the unread rest of the sample,
 * `times` the unread rest of a packed list of timestamps.
 */
bool otlp_next_time(struct cairn_bytes *body, struct cairn_bytes *times, uint64_t *time);

bool otlp_read_mapping(struct cairn_bytes body, struct otlp_mapping *mapping);
bool otlp_read_location(struct cairn_bytes body, struct otlp_location *location);
bool otlp_read_function(struct cairn_bytes body, struct otlp_function *function);
bool otlp_read_attribute(struct cairn_bytes body, struct otlp_attribute *attribute);

bool otlp_read_resource_attribute(struct cairn_bytes body, struct otlp_attribute *attribute);

/* Read the next line of a location. `body` is the unread rest of the location. */
bool otlp_next_line(struct cairn_bytes *body, struct otlp_line *line);

struct otlp_numbers {
	struct cairn_bytes body;
	struct wire_numbers numbers;
	uint32_t field;
};

/*
 * Iterate over a repeated numeric field. Attribute indices are field 5 of a mapping and field 4 of
 * a location.
 */
struct otlp_numbers otlp_numbers(struct cairn_bytes body, uint32_t field);
bool otlp_next_number(struct otlp_numbers *numbers, uint64_t *number);

/* Read the next submessage with this field number. `body` is the unread rest of the message. */
bool otlp_next_part(struct cairn_bytes *body, uint32_t field, struct cairn_bytes *part);

/*
 * Infer the version of a message from the types of its fields. If these fit several versions,
 * decide by field 2 of the samples, which contains values up to version 1.9 and attribute indices
 * from 1.10 on. Return OTLP_UNKNOWN if the bytes are not a profiles message.
 */
enum otlp_version otlp_guess(struct cairn_bytes bytes);

void otlp_put_location_with(struct sink *out, struct cairn_bytes body,
                            const struct otlp_line *lines, size_t count);
void otlp_put_function(struct sink *out, const struct otlp_function *function);

/* Write the profiles of one resource, converted from `version` to the encoding of version 1.11. */
void otlp_put_resource(struct sink *out, struct cairn_bytes body, enum otlp_version version);

#endif

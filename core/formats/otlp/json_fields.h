/* SPDX-License-Identifier: MIT */
/*
 * Object members in OpenTelemetry's JSON, with their field numbers and types in Protocol Buffers.
 */
#ifndef CAIRN_FORMATS_OTLP_JSON_FIELDS_H
#define CAIRN_FORMATS_OTLP_JSON_FIELDS_H

#include <cairn.h>

enum otlp_json_message {
	OTLP_JSON_DATA,
	OTLP_JSON_RESOURCE_PROFILES,
	OTLP_JSON_SCOPE_PROFILES,
	OTLP_JSON_RESOURCE,
	OTLP_JSON_ENTITY,
	OTLP_JSON_SCOPE,
	OTLP_JSON_PROFILE,
	OTLP_JSON_SAMPLE,
	OTLP_JSON_TYPE,
	OTLP_JSON_DICTIONARY,
	OTLP_JSON_MAPPING,
	OTLP_JSON_LOCATION,
	OTLP_JSON_LINE,
	OTLP_JSON_FUNCTION,
	OTLP_JSON_LINK,
	OTLP_JSON_ATTRIBUTE,
	OTLP_JSON_STACK,
	OTLP_JSON_NAMED_VALUE,
	OTLP_JSON_VALUE,
	OTLP_JSON_VALUES,
	OTLP_JSON_NAMED_VALUES,
	/* messages whose field numbers differ in version 1.8 if the profiles have comments */
	OTLP_JSON_PROFILE_1_8,
	OTLP_JSON_SAMPLE_1_8,
	OTLP_JSON_OLDER, /* pseudo-message: members of samples and tables before 1.8 */
};

/*
 * Representation of a field's value in JSON, and range of valid values. The kinds from
 * OTLP_JSON_TEXT on are length-delimited in Protocol Buffers.
 */
enum otlp_json_kind {
	OTLP_JSON_INT32,
	OTLP_JSON_UINT32,
	OTLP_JSON_INT64,
	OTLP_JSON_UINT64,
	OTLP_JSON_FIXED64,
	OTLP_JSON_DOUBLE,
	OTLP_JSON_FLAG,
	OTLP_JSON_TEMPORALITY,
	OTLP_JSON_TEXT,
	OTLP_JSON_HEX,
	OTLP_JSON_BASE64,
	OTLP_JSON_MESSAGE,
};

struct otlp_json_field {
	const char *name; /* member name in lower camel case; NULL terminates a table */
	uint8_t number;
	uint8_t kind;
	uint8_t message; /* enum otlp_json_message of the value, for kind OTLP_JSON_MESSAGE */
	bool is_list;
};

/*
 * Find a member of a message by name, or return NULL. The name may be in lower camel case, as the
 * protocol specifies, or contain underscores, as in the .proto files.
 */
const struct otlp_json_field *otlp_json_field(enum otlp_json_message message,
                                              struct cairn_bytes name);

/*
 * Return all members of a message, terminated by a member without a name. If several members have
 * the same field number, the first one has the current name, which writers must use.
 */
const struct otlp_json_field *otlp_json_fields(enum otlp_json_message message);

enum { OTLP_JSON_DOUBLE_MAX = 400 }; /* maximum length of a floating-point number in JSON */

/*
 * Convert a JSON number, NaN, Infinity or -Infinity to the bits of a double. Return NULL on
 * success, otherwise a constant error message.
 */
const char *otlp_json_double(struct cairn_bytes text, uint64_t *bits);

#endif

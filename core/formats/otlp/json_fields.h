/* SPDX-License-Identifier: MIT */
/* The members of objects in OpenTelemetry's JSON: their names, and the fields that they are. */
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
	/* 1.8 with comments */
	OTLP_JSON_PROFILE_1_8,
	OTLP_JSON_SAMPLE_1_8,
	OTLP_JSON_OLDER, /* no message: members that samples and tables had before 1.8 alone */
};

/* How a value is written, and which numbers it may have. Those from TEXT on have their length before them. */
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
	const char *name; /* in lower camel case; NULL ends a table */
	uint8_t number;
	uint8_t kind;    /* enum otlp_json_kind */
	uint8_t message; /* enum otlp_json_message, of OTLP_JSON_MESSAGE */
	bool is_list;
};

/*
 * The member of a message with this name, in lower camel case as the protocol wants it, or with underscores as in its own
 * files; NULL: there is none.
 */
const struct otlp_json_field *otlp_json_field(enum otlp_json_message message,
                                              struct cairn_bytes name);

/* All members of a message, up to one without a name. Of several for one field the first is the one that is written. */
const struct otlp_json_field *otlp_json_fields(enum otlp_json_message message);

#endif

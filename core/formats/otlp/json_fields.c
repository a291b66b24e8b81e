/* SPDX-License-Identifier: MIT */
/*
 * Finds members of OpenTelemetry's JSON. Every version of the JSON is mapped to the field numbers
 * of 1.10 and 1.11: fields have been moved and renamed since 1.8, but each name has kept its
 * meaning. Only version 1.8 with comments has its own numbers.
 */
#include "json_fields.h"

#include <stddef.h>

#define ONE(name, number, kind)                          \
	{                                                \
		name, number, OTLP_JSON_##kind, 0, false \
	}
#define LIST(name, number, kind)                        \
	{                                               \
		name, number, OTLP_JSON_##kind, 0, true \
	}
#define PART(name, number, message)                                         \
	{                                                                   \
		name, number, OTLP_JSON_MESSAGE, OTLP_JSON_##message, false \
	}
#define PARTS(name, number, message)                                       \
	{                                                                  \
		name, number, OTLP_JSON_MESSAGE, OTLP_JSON_##message, true \
	}

enum { FIELDS_MAX = 14 };

static const struct otlp_json_field fields[][FIELDS_MAX + 1] = {
	[OTLP_JSON_DATA] = { PARTS("resourceProfiles", 1, RESOURCE_PROFILES),
	                     PART("dictionary", 2, DICTIONARY) },
	[OTLP_JSON_RESOURCE_PROFILES] = { PART("resource", 1, RESOURCE),
	                                  PARTS("scopeProfiles", 2, SCOPE_PROFILES),
	                                  ONE("schemaUrl", 3, TEXT) },
	[OTLP_JSON_SCOPE_PROFILES] = { PART("scope", 1, SCOPE), PARTS("profiles", 2, PROFILE),
	                               ONE("schemaUrl", 3, TEXT) },
	[OTLP_JSON_RESOURCE] = { PARTS("attributes", 1, NAMED_VALUE),
	                         ONE("droppedAttributesCount", 2, UINT32),
	                         PARTS("entityRefs", 3, ENTITY) },
	[OTLP_JSON_ENTITY] = { ONE("schemaUrl", 1, TEXT), ONE("type", 2, TEXT),
	                       LIST("idKeys", 3, TEXT), LIST("descriptionKeys", 4, TEXT) },
	[OTLP_JSON_SCOPE] = { ONE("name", 1, TEXT), ONE("version", 2, TEXT),
	                      PARTS("attributes", 3, NAMED_VALUE),
	                      ONE("droppedAttributesCount", 4, UINT32) },
	[OTLP_JSON_PROFILE] = { PART("sampleType", 1, TYPE), PARTS("samples", 2, SAMPLE),
	                        PARTS("sample", 2, SAMPLE), ONE("timeUnixNano", 3, FIXED64),
	                        ONE("timeNanos", 3, FIXED64), ONE("durationNano", 4, UINT64),
	                        ONE("durationNanos", 4, UINT64), PART("periodType", 5, TYPE),
	                        ONE("period", 6, INT64), ONE("profileId", 7, HEX),
	                        ONE("droppedAttributesCount", 8, UINT32),
	                        ONE("originalPayloadFormat", 9, TEXT),
	                        ONE("originalPayload", 10, BASE64),
	                        LIST("attributeIndices", 11, INT32) },
	[OTLP_JSON_SAMPLE] = { ONE("stackIndex", 1, INT32), LIST("attributeIndices", 2, INT32),
	                       ONE("linkIndex", 3, INT32), LIST("values", 4, INT64),
	                       LIST("timestampsUnixNano", 5, FIXED64) },
	[OTLP_JSON_TYPE] = { ONE("typeStrindex", 1, INT32), ONE("unitStrindex", 2, INT32),
	                     ONE("aggregationTemporality", 3, TEMPORALITY) },
	[OTLP_JSON_DICTIONARY] = { PARTS("mappingTable", 1, MAPPING),
	                           PARTS("locationTable", 2, LOCATION),
	                           PARTS("functionTable", 3, FUNCTION), PARTS("linkTable", 4, LINK),
	                           LIST("stringTable", 5, TEXT),
	                           PARTS("attributeTable", 6, ATTRIBUTE),
	                           PARTS("stackTable", 7, STACK) },
	[OTLP_JSON_MAPPING] = { ONE("memoryStart", 1, UINT64), ONE("memoryLimit", 2, UINT64),
	                        ONE("fileOffset", 3, UINT64), ONE("filenameStrindex", 4, INT32),
	                        LIST("attributeIndices", 5, INT32) },
	[OTLP_JSON_LOCATION] = { ONE("mappingIndex", 1, INT32), ONE("address", 2, UINT64),
	                         PARTS("lines", 3, LINE), PARTS("line", 3, LINE),
	                         LIST("attributeIndices", 4, INT32) },
	[OTLP_JSON_LINE] = { ONE("functionIndex", 1, INT32), ONE("line", 2, INT64),
	                     ONE("column", 3, INT64) },
	[OTLP_JSON_FUNCTION] = { ONE("nameStrindex", 1, INT32), ONE("systemNameStrindex", 2, INT32),
	                         ONE("filenameStrindex", 3, INT32), ONE("startLine", 4, INT64) },
	[OTLP_JSON_LINK] = { ONE("traceId", 1, HEX), ONE("spanId", 2, HEX) },
	[OTLP_JSON_ATTRIBUTE] = { ONE("keyStrindex", 1, INT32), PART("value", 2, VALUE),
	                          ONE("unitStrindex", 3, INT32) },
	[OTLP_JSON_STACK] = { LIST("locationIndices", 1, INT32) },
	[OTLP_JSON_NAMED_VALUE] = { ONE("key", 1, TEXT), PART("value", 2, VALUE),
	                            ONE("keyStrindex", 3, INT32) },
	[OTLP_JSON_VALUE] = { ONE("stringValue", 1, TEXT), ONE("boolValue", 2, FLAG),
	                      ONE("intValue", 3, INT64), ONE("doubleValue", 4, DOUBLE),
	                      PART("arrayValue", 5, VALUES), PART("kvlistValue", 6, NAMED_VALUES),
	                      ONE("bytesValue", 7, BASE64), ONE("stringValueStrindex", 8, INT32) },
	[OTLP_JSON_VALUES] = { PARTS("values", 1, VALUE) },
	[OTLP_JSON_NAMED_VALUES] = { PARTS("values", 1, NAMED_VALUE) },

	[OTLP_JSON_PROFILE_1_8] = { PART("sampleType", 1, TYPE), PARTS("sample", 2, SAMPLE_1_8),
	                            PARTS("samples", 2, SAMPLE_1_8),
	                            ONE("timeUnixNano", 3, FIXED64), ONE("timeNanos", 3, FIXED64),
	                            ONE("durationNano", 4, UINT64), ONE("durationNanos", 4, UINT64),
	                            PART("periodType", 5, TYPE), ONE("period", 6, INT64),
	                            LIST("commentStrindices", 7, INT32), ONE("profileId", 8, HEX),
	                            ONE("droppedAttributesCount", 9, UINT32),
	                            ONE("originalPayloadFormat", 10, TEXT),
	                            ONE("originalPayload", 11, BASE64),
	                            LIST("attributeIndices", 12, INT32) },
	[OTLP_JSON_SAMPLE_1_8] = { ONE("stackIndex", 1, INT32), LIST("values", 2, INT64),
	                           LIST("attributeIndices", 3, INT32), ONE("linkIndex", 4, INT32),
	                           LIST("timestampsUnixNano", 5, FIXED64) },
	[OTLP_JSON_OLDER] = { ONE("locationsStartIndex", 1, INT32),
	                      ONE("locationsLength", 2, INT32),
	                      ONE("attributeKeyStrindex", 1, INT32) },
};

static bool is_name(const char *wanted, struct cairn_bytes name)
{
	size_t at = 0;

	for (; *wanted && at < name.size; wanted++, at++) {
		uint8_t c = name.data[at];
		if (c == '_' && name.size - at > 1 && name.data[at + 1] >= 'a' &&
		    name.data[at + 1] <= 'z')
			c = (uint8_t)(name.data[++at] - 'a' + 'A');
		if (c != (uint8_t)*wanted)
			return false;
	}
	return !*wanted && at == name.size;
}

const struct otlp_json_field *otlp_json_field(enum otlp_json_message message,
                                              struct cairn_bytes name)
{
	const struct otlp_json_field *field = fields[message];

	while (field->name && !is_name(field->name, name))
		field++;
	return field->name ? field : NULL;
}

const struct otlp_json_field *otlp_json_fields(enum otlp_json_message message)
{
	return fields[message];
}

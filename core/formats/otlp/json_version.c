/* SPDX-License-Identifier: MIT */
/*
 * Tells the version of OpenTelemetry's JSON by the names of its members. Before 1.8 a sample has a piece of a list of locations, where later ones
 * have a stack; and before 1.7 there is no dictionary.
 */
#include "base/json_reader.h"
#include "json.h"
#include "json_fields.h"

/* Is it a member that samples, or lists of tables, have had before 1.8 alone? */
static bool is_older_member(struct cairn_bytes name)
{
	const struct otlp_json_field *piece = otlp_json_field(OTLP_JSON_SAMPLE_OLD, name);

	return (piece && piece->number <= 2) || (otlp_json_field(OTLP_JSON_UNIT_OLD, name) &&
	                                         !otlp_json_field(OTLP_JSON_ATTRIBUTE, name));
}

/* Where samples are: an object in an array, four times. Values of attributes may have any names. */
enum { SAMPLE_DEPTH = 9, UNIT_DEPTH = 4, TOP_DEPTH = 1 };

enum otlp_version otlp_json_version(struct cairn_bytes text)
{
	struct json_walk walk = json_walk_open(text);
	struct json_step step;
	bool older = false, has_dictionary = false;

	while (json_walk_next(&walk, &step)) {
		const unsigned depth = walk.depth - json_step_opens(&step);
		if (step.ends)
			continue;
		if (depth == SAMPLE_DEPTH || depth == UNIT_DEPTH)
			older |= is_older_member(step.name);
		if (depth == TOP_DEPTH) {
			const struct otlp_json_field *field =
				otlp_json_field(OTLP_JSON_DATA, step.name);
			has_dictionary |= field && field->number == OTLP_DICTIONARY;
		}
	}
	return !older ? OTLP_1_10 : has_dictionary ? OTLP_1_7 : OTLP_1_5;
}

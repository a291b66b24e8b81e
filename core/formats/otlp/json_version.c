/* SPDX-License-Identifier: MIT */
/*
 * Determines the version of OpenTelemetry's JSON from the names of members. Version 1.7 is the
 * first with a dictionary. Up to 1.7 a sample refers to a range of a list of locations, from 1.8 on
 * to a stack. Version 1.8 is the last with comments.
 */
#include "base/json_walk.h"
#include "json.h"
#include "json_fields.h"

/*
 * Depths at which the names are examined: a sample is inside four arrays of objects. Other depths
 * are ignored because attribute values may contain any names.
 */
enum { SAMPLE_DEPTH = 9, PROFILE_DEPTH = 7, COMMENTS = 7, UNIT_DEPTH = 4, TOP_DEPTH = 1 };

/* Return true for the member with comments, which profiles had up to 1.8. */
static bool is_comment_member(struct cairn_bytes name)
{
	const struct otlp_json_field *field = otlp_json_field(OTLP_JSON_PROFILE_1_8, name);

	return field && field->number == COMMENTS;
}

enum otlp_version otlp_json_version(struct cairn_bytes text)
{
	struct json_walk walk = json_walk_open(text);
	struct json_step step;
	bool older = false, has_dictionary = false, has_comments = false;

	while (json_walk_next(&walk, &step)) {
		const unsigned depth = walk.depth - json_step_opens(&step);
		if (step.ends)
			continue;
		if (depth == SAMPLE_DEPTH || depth == UNIT_DEPTH)
			older |= otlp_json_field(OTLP_JSON_OLDER, step.name) != NULL;
		if (depth == PROFILE_DEPTH)
			has_comments |= is_comment_member(step.name);
		if (depth == TOP_DEPTH) {
			const struct otlp_json_field *field =
				otlp_json_field(OTLP_JSON_DATA, step.name);
			has_dictionary |= field && field->number == OTLP_DICTIONARY;
		}
	}
	if (older)
		return has_dictionary ? OTLP_1_7 : OTLP_1_5;
	return has_comments ? OTLP_1_8_COMMENTED : OTLP_1_10;
}

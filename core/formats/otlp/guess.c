/* SPDX-License-Identifier: MIT */
/*
 * Guesses the version of a profiles message from changes that are visible in the types of fields:
 *
 *	1.5          tables in each profile: no dictionary
 *	1.7          no dictionary stacks; profile field 3 is a list; attribute keys are strings
 *	1.8          profiles have comments in field 7, which moves later fields by one from 1.9
 *	1.8 and 1.9  Sample = 1 stack 2 values 3 attributes 4 link 5 times
 *	1.10, 1.11   Sample = 1 stack 2 attributes 3 link 4 values 5 times
 */
#include "otlp.h"

enum {
	/* number of the field that contains a resource's scopes and a scope's profiles */
	PROFILES = 2,
	PROFILE_SAMPLE = 2,
	PROFILE_TIME = 3,
	PROFILE_COMMENT_OLD = 7,
	PROFILE_LAST_OLD = 12,
	TIME_SIZE = 8,
};

/* Evidence collected from samples and profiles. */
struct signs {
	uint64_t attributes; /* size of the attribute table */
	uint64_t profiles, samples, stacks, locations;
	/* number of samples that only older or only newer versions can have */
	uint64_t older, newer;
	uint64_t lists;    /* number of samples with field 2 but neither 3 nor 4 */
	uint64_t values;   /* number of fields 2 that can only be values */
	uint64_t matching; /* number of fields 2 with as many elements as timestamps */
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

/* Examine a list that may contain attributes or values. */
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

/* Read the dictionary first, because the size of its table is needed to judge lists. */
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

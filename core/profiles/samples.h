/* SPDX-License-Identifier: MIT */
/*
 * Reads a profile's samples and the calls at its locations, whatever format the profile has.
 *
 *	struct profile_samples samples;
 *	profile_samples_begin(&samples, profile);
 *	while (profile_next_sample(&samples))
 *		... samples.location, samples.value, samples.label
 *	status = profile_samples_end(&samples);
 */
#ifndef CAIRN_PROFILES_SAMPLES_H
#define CAIRN_PROFILES_SAMPLES_H

#include "profile.h"

/* A sample's label: a string, or a number with a unit. Strings are borrowed from the profile. */
struct profile_label {
	struct cairn_bytes key, text, unit;
	int64_t number;
	bool is_number;
};

struct profile_samples {
	const struct cairn_profile *profile;
	/* stack of the sample, leaf first, as one-based indices in profile->locations */
	uint32_t *location;
	size_t count;
	uint64_t *value; /* one value per value type of the profile */
	struct profile_label *label;
	size_t label_count;
	struct cairn_bytes whole;
	bool has_times; /* profile_sample_time() returns at least one timestamp */
	/* private */
	struct pprof in;
	struct cairn_bytes all, scopes, profiles, rest, body, times;
	size_t type, location_capacity, label_capacity, resource_labels;
	struct allowance steps;
	/* CAIRN_UNSUPPORTED if samples share more data than the profile's allowance covers */
	enum cairn_status status;
};

void profile_samples_begin(struct profile_samples *samples, const struct cairn_profile *profile);

/*
 * Advance to the next sample. Returns false at the end or on an error, which profile_samples_end()
 * returns.
 */
bool profile_next_sample(struct profile_samples *samples);

/*
 * Set *time to the sample's next timestamp, in nanoseconds since 1970. Returns false after the last
 * timestamp.
 */
bool profile_sample_time(struct profile_samples *samples, uint64_t *time);

enum cairn_status profile_samples_end(struct profile_samples *samples);

/*
 * Find the value type `name`, or the default type if `name` is NULL. Returns false if no type has
 * this name.
 */
bool profile_find_type(const struct cairn_profile *profile, const char *name, size_t *index);

struct profile_call {
	struct cairn_bytes name, linked_name, file;
	uint64_t function; /* function id in the output */
	uint64_t line, column;
};

/*
 * Iterator over the calls at a location: the looked-up calls if there are any, otherwise the calls
 * in the input.
 */
struct profile_calls {
	const struct cairn_profile *profile;
	const struct profile_location *location;
	struct cairn_bytes rest;
	uint32_t next;
};

struct profile_calls profile_calls(const struct cairn_profile *profile,
                                   const struct profile_location *location);

bool profile_next_call(struct profile_calls *calls, struct profile_call *call);

/*
 * Return the PPROF_HAS_* flags for a location's calls: FUNCTIONS if any call has a name, FILES and
 * LINES if all calls have them, INLINES if there are several calls.
 */
unsigned profile_judge_calls(const struct cairn_profile *profile,
                             const struct profile_location *location);

#endif

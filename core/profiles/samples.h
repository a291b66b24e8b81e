/* SPDX-License-Identifier: MIT */
/*
 * The samples of a profile, and the calls of a location, whatever format it was read from.
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

/* Something that is told of a sample: a text, or a number with a unit. Texts belong to the profile. */
struct profile_label {
	struct cairn_bytes key, text, unit;
	int64_t number;
	bool is_number;
};

struct profile_samples {
	const struct cairn_profile *profile;
	/* the sample */
	uint32_t *location; /* their numbers in `locations`, from 1 on, the leaf first */
	size_t count;
	uint64_t *value; /* one for each type of the profile */
	struct profile_label *label;
	size_t label_count;
	struct cairn_bytes whole; /* its message */
	bool has_times;           /* profile_sample_time() has some */
	/* private */
	struct pprof in;
	struct cairn_bytes all, scopes, profiles, rest, body, times;
	size_t type, location_room, label_room, resource_labels;
	struct allowance steps;
	enum cairn_status status; /* UNSUPPORTED: samples share more than the profile is worth */
};

void profile_samples_begin(struct profile_samples *samples, const struct cairn_profile *profile);

/* The next sample; false: there is none, or memory is short. */
bool profile_next_sample(struct profile_samples *samples);

/* The next time of the sample, in nanoseconds since 1970; false: there is none. */
bool profile_sample_time(struct profile_samples *samples, uint64_t *time);

enum cairn_status profile_samples_end(struct profile_samples *samples);

/* The type of values with a name, or for NULL the default one; false: no type has the name. */
bool profile_find_type(const struct cairn_profile *profile, const char *name, size_t *index);

/* A call of a location. */
struct profile_call {
	struct cairn_bytes name, linked_name, file;
	uint64_t function; /* the id that its function has in what is written */
	uint64_t line, column;
};

/* The calls of a location that has names: new ones, or those of the input. */
struct profile_calls {
	const struct cairn_profile *profile;
	const struct profile_location *location;
	struct cairn_bytes rest;
	uint32_t next;
};

struct profile_calls profile_calls(const struct cairn_profile *profile,
                                   const struct profile_location *location);

/* The next call, the innermost one first. */
bool profile_next_call(struct profile_calls *calls, struct profile_call *call);

/* What the calls of a location have in the input: PPROF_HAS_..., a name in one of them and the rest in all. */
unsigned profile_judge_calls(const struct cairn_profile *profile,
                             const struct profile_location *location);

#endif

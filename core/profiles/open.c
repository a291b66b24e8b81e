/* SPDX-License-Identifier: MIT */
/* Opens and closes profiles. */
#include "profile.h"

#include "base/bytes.h"
#include "base/error.h"
#include "formats/otlp/json.h"

#include <stdlib.h>
#include <string.h>

static struct cairn_profile *make_profile(struct cairn_bytes bytes)
{
	struct cairn_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->bytes = bytes;
	p->lines_left = allowance_of(PROFILE_LINES_LEAST, PROFILE_LINES_TIMES, bytes.size);
	p->text_left = allowance_of(PROFILE_TEXT_LEAST, PROFILE_TEXT_TIMES, bytes.size);
	p->scratch = malloc(PROFILE_SCRATCH);
	if (p->scratch &&
	    string_pool_add(&p->pool, (struct cairn_bytes){ (const uint8_t *)"", 0 }) == 0)
		return p;
	cairn_profile_close(p);
	return NULL;
}

static void take_reasons(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->location_count; i++)
		p->locations[i].reason = CAIRN_PROFILE_NOT_ASKED;
	profile_recount(p);
}

/*
 * Reject unknown formats, and versions without a table of stacks, which no current collector
 * writes.
 */
static enum cairn_status check_version(enum otlp_version version, struct cairn_fault *fault)
{
	if (version == OTLP_UNKNOWN)
		return fault_set(fault, CAIRN_UNSUPPORTED, "no profile that cairn reads");
	if (version == OTLP_1_5)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a profile of OpenTelemetry 1.5 or 1.6 (1.8 to 1.11 are read)");
	if (version == OTLP_1_7)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a profile of OpenTelemetry 1.7 (1.8 to 1.11 are read)");
	return CAIRN_OK;
}

/*
 * Return true if `bytes` looks like text. A protobuf message has a byte below 0x20 in its first
 * fields, so the absence of such bytes in the first TEXT_PEEK bytes means text.
 */
static bool is_text(struct cairn_bytes bytes)
{
	enum { TEXT_LEAST = 8, TEXT_PEEK = 256 };

	for (size_t i = 0; i < bytes.size && i < TEXT_PEEK; i++)
		if (bytes.data[i] < ' ' && !memchr("\t\n\r\033", bytes.data[i], 4))
			return false;
	return bytes.size >= TEXT_LEAST;
}

/* Set *version to OTLP_UNKNOWN for pprof, otherwise to the OpenTelemetry version. */
static enum cairn_status recognize_format(struct cairn_bytes bytes,
                                          enum cairn_profile_version wanted,
                                          enum otlp_version *version, struct cairn_fault *fault)
{
	/* OTLP_1_8_COMMENTED: messages without comments are not changed by the conversion */
	static const enum otlp_version versions[] = {
		[CAIRN_PROFILE_1_8] = OTLP_1_8_COMMENTED, [CAIRN_PROFILE_1_9] = OTLP_1_9,
		[CAIRN_PROFILE_1_10] = OTLP_1_10,         [CAIRN_PROFILE_1_5] = OTLP_1_5,
		[CAIRN_PROFILE_1_7] = OTLP_1_7,
	};

	*version = OTLP_UNKNOWN;
	if (bytes_begin_with(bytes, "PERFFILE") || bytes_begin_with(bytes, "ELIFFREP"))
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a recording in perf's first format, of 2009, which begins");
	if (is_text(bytes))
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "text, such as 'perf script' makes of a recording, which begins");
	switch (pprof_recognize(bytes)) {
	case PPROF_PROFILE:
		return CAIRN_OK;
	case PPROF_LEGACY:
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a profile in the legacy format of gperftools");
	case PPROF_NONE:
		break;
	}
	*version = otlp_guess(bytes);
	if (*version != OTLP_UNKNOWN && wanted != CAIRN_PROFILE_GUESSED)
		*version = versions[wanted];
	return check_version(*version, fault);
}

/* Load the tables and set *profile. Closes `p` on failure. */
static enum cairn_status fill_profile(struct cairn_profile *p, struct cairn_profile **profile,
                                      struct cairn_fault *fault)
{
	const enum cairn_status status =
		p->otlp == OTLP_UNKNOWN ? profile_load(p, fault) : profile_load_otlp(p, fault);

	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	take_reasons(p);
	*profile = p;
	return CAIRN_OK;
}

/* Like fill_profile(), but first convert the comments of 1.8 to attributes. */
static enum cairn_status fill_commented(struct cairn_profile *p, struct cairn_profile **profile,
                                        struct cairn_fault *fault)
{
	enum cairn_status status = profile_move_comments(p->bytes, &p->uncommented, fault);

	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	p->otlp = OTLP_1_8;
	p->bytes = byte_buffer_view(&p->uncommented);
	status = fill_profile(p, profile, fault);
	fault->offset = 0; /* an offset in the converted message is meaningless to the user */
	return status;
}

/* Return true for a request without profiles: all members are known, but none tells the version. */
static bool is_empty_json(const struct cairn_profile *p)
{
	return p->left_out == 0 && otlp_guess(p->bytes) == OTLP_UNKNOWN;
}

/*
 * Open a JSON profile. The version is recognized by member names. Samples without a table of stacks
 * are rejected, because no version with these names has them. The fault's offset is cleared if it
 * refers to the translated message instead of the JSON text.
 */
static enum cairn_status open_json(struct cairn_bytes text, struct cairn_profile **profile,
                                   struct cairn_fault *fault)
{
	struct cairn_profile *p = make_profile(text);
	enum cairn_status status;

	if (!p)
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	status = check_version(otlp_json_version(text), fault);
	if (status == CAIRN_OK)
		status = profile_translate_json(text, p, fault);
	if (status == CAIRN_OK && p->otlp == OTLP_1_10 && !is_empty_json(p)) {
		const enum otlp_version guess = otlp_guess(p->bytes);
		if (guess == OTLP_1_5 || guess == OTLP_1_7)
			status = fault_set(fault, CAIRN_UNSUPPORTED,
			                   "samples have stacks that are in no table");
		else
			status = check_version(guess, fault);
	}
	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	if (p->otlp == OTLP_1_8_COMMENTED)
		return fill_commented(p, profile, fault);
	status = fill_profile(p, profile, fault);
	if (status != CAIRN_OK)
		fault->offset = 0;
	return status;
}

enum cairn_status cairn_profile_open(struct cairn_bytes bytes, enum cairn_profile_version version,
                                     struct cairn_profile **profile, struct cairn_fault *fault)
{
	enum otlp_version otlp;
	enum cairn_status status;

	if (profile_is_json(bytes))
		return open_json(bytes, profile, fault);
	status = recognize_format(bytes, version, &otlp, fault);
	if (status != CAIRN_OK)
		return status;
	struct cairn_profile *p = make_profile(bytes);
	if (!p)
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	p->otlp = otlp;
	return otlp == OTLP_1_8_COMMENTED ? fill_commented(p, profile, fault)
	                                  : fill_profile(p, profile, fault);
}

enum cairn_status profile_open_recorded(uint8_t *message, size_t size,
                                        const struct cairn_recording_counts *counts,
                                        uint64_t without_user, struct cairn_profile **profile,
                                        struct cairn_fault *fault)
{
	struct cairn_profile *p = make_profile((struct cairn_bytes){ message, size });

	if (!p) {
		free(message);
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	}
	p->made = message;
	p->counts = *counts;
	p->without_user = without_user;
	p->otlp = OTLP_1_10;
	return fill_profile(p, profile, fault);
}

bool cairn_profile_recording(const struct cairn_profile *p, struct cairn_recording_counts *counts)
{
	const size_t size = counts->size < sizeof(*counts) ? counts->size : sizeof(*counts);

	if (p->made) {
		memcpy(counts, &p->counts, size);
		counts->size = size;
	}
	return p->made != NULL;
}

enum cairn_profile_format cairn_profile_format(const struct cairn_profile *profile)
{
	if (profile->translated)
		return CAIRN_PROFILE_OTLP_JSON;
	return profile->otlp == OTLP_UNKNOWN ? CAIRN_PROFILE_PPROF : CAIRN_PROFILE_OTLP;
}

const char *cairn_profile_format_text(const struct cairn_profile *profile)
{
	if (profile->made)
		return "perf";
	if (profile->translated)
		return "JSON of OpenTelemetry";
	switch (profile->otlp) {
	case OTLP_UNKNOWN:
		return "pprof";
	case OTLP_1_5:
	case OTLP_1_7:
		break; /* rejected by cairn_profile_open() */
	case OTLP_1_8:
	case OTLP_1_8_COMMENTED:
		return "OpenTelemetry 1.8";
	case OTLP_1_9:
		return "OpenTelemetry 1.9";
	case OTLP_1_10:
		return "OpenTelemetry 1.10 or 1.11";
	}
	return "";
}

uint64_t cairn_profile_left_out(const struct cairn_profile *profile)
{
	return profile->left_out;
}

void cairn_profile_close(struct cairn_profile *p)
{
	if (!p)
		return;
	free(p->made);
	free(p->translated);
	byte_buffer_finish(&p->uncommented);
	free(p->stacks);
	free(p->attributes);
	free(p->links);
	free(p->texts);
	free(p->mappings);
	free(p->locations);
	free(p->functions);
	free(p->types);
	free(p->mapping_ids.slot);
	free(p->location_ids.slot);
	free(p->function_ids.slot);
	free(p->modules);
	string_pool_finish(&p->pool);
	free(p->new_functions);
	free(p->new_lines);
	free(p->known_functions.slot);
	free(p->scratch);
	free(p);
}

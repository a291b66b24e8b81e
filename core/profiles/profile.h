/* SPDX-License-Identifier: MIT */
/*
 * A profile in memory. Only the tables needed to symbolize locations are loaded. All other data
 * stays in the input, from which the writer copies it while it adds the new names.
 */
#ifndef CAIRN_PROFILES_PROFILE_H
#define CAIRN_PROFILES_PROFILE_H

#include "base/allowance.h"
#include "base/byte_buffer.h"
#include "base/table.h"
#include "formats/otlp/otlp.h"
#include "formats/pprof.h"

#include <stdlib.h>

/*
 * Limits on the data that symbolizing may add to a profile. Without them, a small symbol file could
 * expand to any number of names. Each limit is LEAST plus TIMES per byte of the profile.
 */
enum {
	PROFILE_LINES_LEAST = 1 << 16,
	/*
	 * maximum number of lines to add per byte of the profile; a location takes at least four
	 * bytes, so 32 lines per location are always allowed
	 */
	PROFILE_LINES_TIMES = 8,
	PROFILE_TEXT_LEAST = 1 << 26,
	PROFILE_TEXT_TIMES = 64,
	/* maximum number of bytes by which repeated comments may enlarge a message */
	PROFILE_COMMENTS_LEAST = 1 << 16,
	/*
	 * Maximum number of locations, labels and string bytes visited while samples are read,
	 * because samples can share stacks and attributes.
	 */
	PROFILE_STEPS_LEAST = 1 << 26,
	PROFILE_STEPS_TIMES = 128,
	/* size of the buffer for a demangled name or a path; longer paths are truncated */
	PROFILE_SCRATCH = CAIRN_DEMANGLE_MAX,
};

struct profile_mapping {
	struct pprof_mapping stored;
	struct cairn_bytes path, build_id;
	uint32_t module;
	bool changed;
	bool used;
	unsigned has; /* PPROF_HAS_* flags that apply to all locations in the module */
};

/* kind of code at a location, for formats that distinguish it */
enum profile_frame {
	PROFILE_FRAME_CODE, /* compiled code from a file */
	PROFILE_FRAME_KERNEL,
	PROFILE_FRAME_OTHER, /* interpreted or JIT code */
};

struct profile_location {
	uint64_t address;
	struct cairn_bytes body;
	uint32_t mapping; /* index in `mappings` plus 1; 0 if no mapping contains the location */
	uint32_t first_line, line_count; /* range of the location's calls in new_lines */
	uint8_t has;
	bool named;   /* the location has function names in the input */
	bool ignored; /* item 0 of an OTLP table, a placeholder for "none" */
	bool folded;
	uint8_t reason; /* reason for a missing name (enum cairn_profile_reason) */
	uint8_t frame;
};

/* A function found by a lookup. Its strings are indices in the string pool. */
struct profile_function {
	uint64_t id; /* unique among all functions in the output */
	uint32_t name, linked_name, file;
};

/* A call found by a lookup. The calls at a location are stored innermost first. */
struct profile_line {
	uint32_t function, line, column; /* `function` is an index in new_functions */
};

/*
 * An index past the end of an OTLP table refers to nothing, and must not refer to an item that is
 * added later. Therefore `padding` empty items are inserted before the new items, and no item may
 * get the index `barrier`. Both count from the end of the table.
 */
enum { PROFILE_PADDING_MAX = 1 << 16 };

struct profile_gap {
	uint64_t padding, barrier; /* `barrier` is 0 if unset */
};

struct cairn_profile {
	struct cairn_bytes bytes;
	enum otlp_version otlp; /* OTLP_UNKNOWN for pprof */
	/* owned message that has been converted from a perf recording, or NULL */
	void *made;
	struct cairn_recording_counts counts;
	/* number of samples in the recording whose deferred user stack is lost */
	uint64_t without_user;
	void *translated; /* owned message that has been converted from JSON, or NULL */
	/* message of version 1.8 whose comments have been converted to attributes */
	struct byte_buffer uncommented;
	uint64_t left_out; /* number of unknown JSON members */
	struct cairn_bytes dictionary;
	struct cairn_bytes *stacks; /* the stack messages in the dictionary */
	struct cairn_bytes *attributes, *links;
	size_t stack_count, stack_capacity, attribute_count, attribute_capacity, link_count,
		link_capacity;
	bool has_texts; /* false if string 0 has been added because the input lacks it */
	struct cairn_bytes *texts;
	struct profile_mapping *mappings;
	struct profile_location *locations;
	struct pprof_function *functions;
	struct pprof_type *types;
	size_t text_count, text_capacity, mapping_count, mapping_capacity, location_count,
		location_capacity, function_count, function_capacity, type_count, type_capacity;
	struct number_map mapping_ids, location_ids,
		function_ids;   /* map pprof ids to table indices plus 1 */
	uint64_t default_type;  /* string index */
	uint64_t next_function; /* function id that was assigned last, for pprof */
	struct profile_gap function_gap, text_gap;

	struct cairn_profiled_module *modules;
	size_t module_count, module_capacity;
	/* pseudo-module for all locations without a mapping */
	struct cairn_profiled_module unmapped;

	struct string_pool pool;
	struct profile_function *new_functions;
	struct profile_line *new_lines;
	size_t new_function_count, new_function_capacity, new_line_count, new_line_capacity;
	/* maps a linkage name and a file to an index in new_functions plus 1 */
	struct number_map known_functions;
	struct allowance lines_left, text_left;
	char *scratch;
};

/* Load a pprof profile's tables and check all references between them. */
CAIRN_MUST_USE enum cairn_status profile_load(struct cairn_profile *profile,
                                              struct cairn_fault *fault);

/* Load an OTLP message's tables. Dangling references are not errors but count as 0 ("none"). */
CAIRN_MUST_USE enum cairn_status profile_load_otlp(struct cairn_profile *profile,
                                                   struct cairn_fault *fault);

static inline bool profile_is_json(struct cairn_bytes bytes)
{
	return bytes.size > 0 && bytes.data[0] == '{';
}

/*
 * Translate one JSON object into a protobuf message that the profile owns. Offsets in *fault refer
 * to `text`.
 */
CAIRN_MUST_USE enum cairn_status profile_translate_json(struct cairn_bytes text,
                                                        struct cairn_profile *profile,
                                                        struct cairn_fault *fault);

/*
 * Convert the comments in a 1.8 message to attributes and write the result to *out, which the
 * caller frees. Fails if allocation fails, if the message is damaged, or if comments repeat large
 * strings too often.
 */
CAIRN_MUST_USE enum cairn_status profile_move_comments(struct cairn_bytes bytes,
                                                       struct byte_buffer *out,
                                                       struct cairn_fault *fault);

/* Return the index of a value type, or type_count if no profile in the message uses it. */
size_t profile_type_index(const struct cairn_profile *profile, struct otlp_type type);

/* Return the string with this index, which must have been checked. */
static inline struct cairn_bytes profile_text(const struct cairn_profile *profile, uint64_t number)
{
	return profile->texts[number];
}

/*
 * String indices of the type and unit of the first value type, which counts samples, in messages
 * that have been converted from a recording.
 */
enum { PROFILE_RECORDED_TYPE = 1, PROFILE_RECORDED_UNIT = 2 };

/*
 * Open a message that has been converted from a recording. Takes ownership of `message`, even on
 * failure.
 */
CAIRN_MUST_USE enum cairn_status profile_open_recorded(uint8_t *message, size_t size,
                                                       const struct cairn_recording_counts *counts,
                                                       uint64_t without_user,
                                                       struct cairn_profile **profile,
                                                       struct cairn_fault *fault);

/* Return 1 plus the table index of `id`, or 0 if `id` is unknown. */
static inline uint32_t profile_number(const struct number_map *ids, uint64_t id)
{
	uint32_t number;

	return id != 0 && number_map_find(ids, id, &number) ? number : 0;
}

/*
 * Do the same as profile_number() for OTLP, where the id itself is an index in a table with `count`
 * items.
 */
static inline uint32_t profile_place_number(size_t count, uint64_t id)
{
	return id != 0 && id < count && id < UINT32_MAX ? (uint32_t)id + 1 : 0;
}

/* Return a pool string's index in the output, where new strings follow the input's strings. */
static inline uint64_t profile_new_text(const struct cairn_profile *profile, uint32_t number)
{
	return number == 0 ? 0 : profile->text_count + profile->text_gap.padding + number - 1;
}

size_t profile_most_lines(const struct cairn_profile *profile);

/*
 * Store the names that have been found for a location. `inlines` is false if inlined calls have not
 * been looked up.
 */
CAIRN_MUST_USE enum cairn_status profile_add_names(struct cairn_profile *profile,
                                                   struct profile_location *location,
                                                   const struct cairn_symbol_answer *answer,
                                                   bool inlines);

CAIRN_MUST_USE enum cairn_status profile_add_module(struct cairn_profile *profile,
                                                    struct profile_mapping *mapping);

void profile_recount(struct cairn_profile *profile);

#endif

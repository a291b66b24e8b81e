/* SPDX-License-Identifier: MIT */
/*
 * A profile as tables: what cairn needs of the messages of its file to name its locations. The messages themselves
 * stay where they are, and are written from there with what is new.
 */
#ifndef CAIRN_PROFILES_PROFILE_H
#define CAIRN_PROFILES_PROFILE_H

#include "base/allowance.h"
#include "base/byte_buffer.h"
#include "base/table/number_map.h"
#include "base/table/string_pool.h"
#include "formats/otlp/otlp.h"
#include "formats/pprof/pprof.h"

#include <stdlib.h>

/*
 * What the names of one profile may take: calls that are written for its locations, and bytes of text. A small file
 * of symbols can stand for any number of both.
 */
enum {
	PROFILE_LINES_LEAST = 1 << 16,
	PROFILE_LINES_TIMES = 8, /* for each byte of the profile; a location has four at least */
	PROFILE_TEXT_LEAST = 1 << 26,
	PROFILE_TEXT_TIMES = 64,
	PROFILE_COMMENTS_LEAST = 1 << 16, /* bytes that comments repeat beyond the message's own */
	/* Locations and labels of samples that are looked at, and bytes of texts that are looked up: samples share stacks and attributes. */
	PROFILE_STEPS_LEAST = 1 << 26,
	PROFILE_STEPS_TIMES = 128,
	PROFILE_SCRATCH =
		CAIRN_DEMANGLE_MAX, /* bytes of a readable name or of a path; longer paths are cut */
};

struct profile_mapping {
	struct pprof_mapping stored;
	struct cairn_bytes path, build_id; /* texts */
	uint32_t module;
	bool changed; /* a location got a name */
	bool used;    /* it has a location */
	unsigned has; /* what all of its locations have now: PPROF_HAS_... */
};

/* What a location is said to be, in formats that tell. */
enum profile_frame {
	PROFILE_FRAME_CODE, /* of a file, as compilers write it */
	PROFILE_FRAME_KERNEL,
	PROFILE_FRAME_OTHER, /* of an interpreter, or code that a run-time made */
};

struct profile_location {
	uint64_t address;
	struct cairn_bytes body;
	uint32_t mapping;                /* its number in `mappings`, from 1 on; 0: none */
	uint32_t first_line, line_count; /* new ones */
	uint8_t has;                     /* PPROF_HAS_... */
	bool named;                      /* in the input */
	bool ignored;                    /* it stands for none */
	bool folded;
	uint8_t reason; /* enum cairn_profile_reason, if it has no name */
	uint8_t frame;  /* enum profile_frame */
};

/* A new function, by texts of the pool. */
struct profile_function {
	uint64_t id; /* which no other one has */
	uint32_t name, linked_name, file;
};

/* A new call of a location, the innermost one first. */
struct profile_line {
	uint32_t function, line, column; /* a number in new_functions */
};

/*
 * A number past the end of a table of OpenTelemetry's refers to nothing, and must not refer to an item that is added later. So `padding`
 * empty items are added before the new ones, and no item gets the number `barrier`. Both count from the end of the table.
 */
enum { PROFILE_PADDING_MAX = 1 << 16 };

struct profile_gap {
	uint64_t padding, barrier; /* barrier 0: there is none */
};

struct cairn_profile {
	struct cairn_bytes bytes;
	enum otlp_version otlp; /* UNKNOWN: it is a profile of pprof */
	void *made;             /* the memory of the message, if it was made from a recording */
	struct cairn_recording_counts counts; /* of it */
	uint64_t without_user;          /* its samples whose user stack was deferred, and lost */
	void *translated;               /* the memory of the message, if it was JSON */
	struct byte_buffer uncommented; /* the message of 1.8 whose comments became attributes */
	uint64_t left_out;              /* members of it */
	struct cairn_bytes dictionary;  /* of OpenTelemetry's message */
	struct cairn_bytes *stacks;     /* of it */
	struct cairn_bytes *attributes, *links; /* of it */
	size_t stack_count, stack_room, attribute_count, attribute_room, link_count, link_room;
	bool has_texts; /* else text number 0 is none of the input */
	struct cairn_bytes *texts;
	struct profile_mapping *mappings;
	struct profile_location *locations;
	struct pprof_function *functions;
	struct pprof_type *types; /* of the values of a sample */
	size_t text_count, text_room, mapping_count, mapping_room, location_count, location_room,
		function_count, function_room, type_count, type_room;
	struct number_map mapping_ids, location_ids,
		function_ids;   /* of pprof, to numbers from 1 on */
	uint64_t default_type;  /* a text */
	uint64_t next_function; /* the id before that of the next new one */
	struct profile_gap function_gap, text_gap;

	struct cairn_profiled_module *modules;
	size_t module_count, module_room;
	struct cairn_profiled_module unmapped; /* what belongs to no mapping */

	struct string_pool pool; /* new texts */
	struct profile_function *new_functions;
	struct profile_line *new_lines;
	size_t new_function_count, new_function_room, new_line_count, new_line_room;
	struct number_map
		known_functions; /* from a name and a file to a number in new_functions, from 1 on */
	struct allowance lines_left, text_left;
	char *scratch; /* PROFILE_SCRATCH bytes */
};

/* Reads the tables, and checks all numbers in them. */
CAIRN_MUST_USE enum cairn_status profile_load(struct cairn_profile *profile,
                                              struct cairn_fault *fault);

/* The same of a message of OpenTelemetry's, whose numbers are not refused but count as 0 where nothing is. */
CAIRN_MUST_USE enum cairn_status profile_load_otlp(struct cairn_profile *profile,
                                                   struct cairn_fault *fault);

/* Is it text, of one object or several? */
static inline bool profile_is_json(struct cairn_bytes bytes)
{
	return bytes.size > 0 && bytes.data[0] == '{';
}

/* Makes one object the message of the profile, which owns it. What is wrong has its place in the text. */
CAIRN_MUST_USE enum cairn_status profile_translate_json(struct cairn_bytes text,
                                                        struct cairn_profile *profile,
                                                        struct cairn_fault *fault);

/*
 * Make a message of 1.8 one whose comments are attributes, in *out, which the caller frees. Fails if memory is short, if the message is
 * damaged, or if many comments repeat large texts.
 */
CAIRN_MUST_USE enum cairn_status profile_move_comments(struct cairn_bytes bytes,
                                                       struct byte_buffer *out,
                                                       struct cairn_fault *fault);

/* The number of a type of values; type_count: no profile of the message has it. */
size_t profile_type_index(const struct cairn_profile *profile, struct otlp_type type);

/* A text of the profile; its number has been checked. */
static inline struct cairn_bytes profile_text(const struct cairn_profile *profile, uint64_t number)
{
	return profile->texts[number];
}

/* Texts of a message that was made of a recording: its first type of values counts samples. */
enum { PROFILE_RECORDED_TYPE = 1, PROFILE_RECORDED_UNIT = 2 };

/* Opens a message that was made of a recording: its memory belongs to the profile, or is freed. */
CAIRN_MUST_USE enum cairn_status profile_open_recorded(uint8_t *message, size_t size,
                                                       const struct cairn_recording_counts *counts,
                                                       uint64_t without_user,
                                                       struct cairn_profile **profile,
                                                       struct cairn_fault *fault);

/* The number from 1 on that a table of ids has for an id; 0: none. */
static inline uint32_t profile_number(const struct number_map *ids, uint64_t id)
{
	uint32_t number;

	return id != 0 && number_map_find(ids, id, &number) ? number : 0;
}

/* Return the same of an item of OpenTelemetry, whose id is its place in a table of `count` items. */
static inline uint32_t profile_place_number(size_t count, uint64_t id)
{
	return id != 0 && id < count && id < UINT32_MAX ? (uint32_t)id + 1 : 0;
}

/* The number of a new text in what is written: new ones follow those of the input. */
static inline uint64_t profile_new_text(const struct cairn_profile *profile, uint32_t number)
{
	return number == 0 ? 0 : profile->text_count + profile->text_gap.padding + number - 1;
}

/* The most new lines that a location has. */
size_t profile_most_lines(const struct cairn_profile *profile);

/* Keeps the names that were found for a location; without `inlines` nobody looked for inlined calls. */
CAIRN_MUST_USE enum cairn_status profile_add_names(struct cairn_profile *profile,
                                                   struct profile_location *location,
                                                   const struct cairn_symbol_answer *answer,
                                                   bool inlines);

/* Finds or adds the module of a mapping, whose texts are known. */
CAIRN_MUST_USE enum cairn_status profile_add_module(struct cairn_profile *profile,
                                                    struct profile_mapping *mapping);

/* Counts anew what became of the locations of each module. */
void profile_recount(struct cairn_profile *profile);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes pprof profiles: stack samples in a single Protocol Buffers message
 * (docs/formats/pprof.md). Files are usually compressed with gzip; the caller decompresses them.
 *
 *	struct pprof profile = pprof_open(bytes);
 *	struct wire_field field;
 *	while (pprof_next(&profile, &field))
 *		switch (field.number) {
 *		case PPROF_MAPPING: ... pprof_read_mapping(&profile, &field, &mapping)
 *		}
 *	if (profile.fault.status != CAIRN_OK)
 *		...
 *
 * Fields may occur in any order, and strings are often last. To copy a field that is not
 * interpreted here, use field.whole. String indices are not validated.
 */
#ifndef CAIRN_FORMATS_PPROF_H
#define CAIRN_FORMATS_PPROF_H

#include "base/wire.h"

#include <cairn.h>

/* Field numbers in the outermost message. */
enum {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_TEXT = 6,
	PPROF_TIME = 9,
	PPROF_DURATION = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_TYPE = 14,
	PPROF_LAST = 15,
};

struct pprof {
	struct cairn_bytes bytes;
	const uint8_t *at;
	struct cairn_fault fault;
};

/* Kinds of symbol information. A mapping states which kinds its locations have. */
enum pprof_has {
	PPROF_HAS_FUNCTIONS = 1,
	PPROF_HAS_FILES = 2,
	PPROF_HAS_LINES = 4,
	PPROF_HAS_INLINES = 8,
	PPROF_HAS_ALL = 15,
};

struct pprof_mapping {
	/* `start` and `limit` are addresses, `offset` is a file offset */
	uint64_t id, start, limit, offset;
	uint64_t path, build_id;
	unsigned has; /* bit mask of enum pprof_has */
};

struct pprof_location {
	/* `mapping` is the ID of the mapping, 0 if the location is not in a mapping */
	uint64_t id, mapping, address;
	bool folded; /* identical code folding: several functions share the code */
	uint32_t lines;
	struct cairn_bytes body; /* encoded lines, for pprof_next_line() */
};

/* A line of a location. The first line of a location is the innermost inlined call. */
struct pprof_line {
	uint64_t function, line, column;
};

struct pprof_function {
	/* `name` is demangled, `linked_name` is the linkage name */
	uint64_t id, name, linked_name, file, line;
};

struct pprof_type {
	uint64_t type, unit;
};

/* A sample. Read its stack and values with pprof_next_number(), repeatedly if needed. */
struct pprof_sample {
	struct cairn_bytes body;
	uint32_t locations, values, labels;
};

/* Field numbers in a sample. Locations start with the leaf function. */
enum { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE = 2, PPROF_SAMPLE_LABEL = 3 };

struct pprof_label {
	uint64_t key, text, number, unit;
	bool is_number; /* the value is `number`, not `text` */
};

struct pprof pprof_open(struct cairn_bytes bytes);

bool pprof_next(struct pprof *profile, struct wire_field *field);

/* The functions that read a message return false and set the fault if it is malformed. */
bool pprof_read_mapping(struct pprof *profile, const struct wire_field *field,
                        struct pprof_mapping *mapping);
bool pprof_read_location(struct pprof *profile, const struct wire_field *field,
                         struct pprof_location *location);
bool pprof_read_function(struct pprof *profile, const struct wire_field *field,
                         struct pprof_function *function);
bool pprof_read_type(struct pprof *profile, const struct wire_field *field,
                     struct pprof_type *type);
bool pprof_read_sample(struct pprof *profile, const struct wire_field *field,
                       struct pprof_sample *sample);

/* Set the profile's fault to an error in `field`. `what` must be a constant string. */
void pprof_fail(struct pprof *profile, const struct wire_field *field, const char *what);

/*
 * Read the next line of a location or the next label of a sample. `body` is the unread rest of the
 * location or sample.
 */
bool pprof_next_line(struct cairn_bytes *body, struct pprof_line *line);
bool pprof_next_label(struct cairn_bytes *body, struct pprof_label *label);

struct pprof_numbers {
	struct cairn_bytes body;
	struct wire_numbers numbers;
	uint32_t field;
};

struct pprof_numbers pprof_numbers(const struct pprof_sample *sample, uint32_t field);
bool pprof_next_number(struct pprof_numbers *numbers, uint64_t *number);

/*
 * Recognize the format by its first fields: a pprof profile, or one of the older gperftools
 * formats, which cairn does not read.
 */
enum pprof_kind { PPROF_NONE, PPROF_PROFILE, PPROF_LEGACY };
enum pprof_kind pprof_recognize(struct cairn_bytes bytes);

/* Each of the following functions appends one field of the outermost message. */
void pprof_put_mapping(struct sink *out, const struct pprof_mapping *mapping);
void pprof_put_function(struct sink *out, const struct pprof_function *function);
void pprof_put_type(struct sink *out, uint32_t field, const struct pprof_type *type);
void pprof_put_text(struct sink *out, struct cairn_bytes text);

/* Write a copy of the mapping message `body` with its PPROF_HAS_ flags replaced with `has`. */
void pprof_put_mapping_with(struct sink *out, struct cairn_bytes body, unsigned has);

/* Write a copy of the location message `body` with its lines and its `folded` flag replaced. */
void pprof_put_location_with(struct sink *out, struct cairn_bytes body, bool folded,
                             const struct pprof_line *lines, size_t count);

#endif

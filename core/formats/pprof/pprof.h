/* SPDX-License-Identifier: MIT */
/*
 * pprof's profiles: samples of stacks as one message of Protocol Buffers, described in docs/formats/pprof.md.
 * The message is not packed here: files usually are, by gzip.
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
 * Fields come in any order, and texts are often last.  Whatever is not read here is in field.whole, and
 * can be written as it is.  Numbers of texts are not checked.
 */
#ifndef CAIRN_FORMATS_PPROF_H
#define CAIRN_FORMATS_PPROF_H

#include <cairn.h>

#include "base/wire_write.h"

/* Fields of the outermost message. */
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

/* What a mapping's locations are said to have. */
enum pprof_has {
	PPROF_HAS_FUNCTIONS = 1,
	PPROF_HAS_FILES = 2,
	PPROF_HAS_LINES = 4,
	PPROF_HAS_INLINES = 8,
	PPROF_HAS_ALL = 15,
};

struct pprof_mapping {
	uint64_t id, start, limit, offset; /* pc, pc, bytes in the file */
	uint64_t path, build_id;           /* numbers of texts, as all texts are */
	unsigned has;                      /* PPROF_HAS_... */
};

struct pprof_location {
	uint64_t id, mapping, address; /* numbers of a location and a mapping; 0: no mapping */
	bool folded;                   /* several functions share the code */
	uint32_t lines;
	struct cairn_bytes body; /* with the lines, for pprof_next_line() */
};

/* A call, the innermost one first. */
struct pprof_line {
	uint64_t function, line, column;
};

struct pprof_function {
	uint64_t id, name, linked_name, file,
		line; /* `name` is readable, `linked_name` as the linker knows it */
};

struct pprof_type {
	uint64_t type, unit;
};

/* A sample: its stack and values are read by pprof_next_number(), as often as one likes. */
struct pprof_sample {
	struct cairn_bytes body;
	uint32_t locations, values, labels;
};

/* Fields of a sample with numbers; locations begin with the leaf. */
enum { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE = 2, PPROF_SAMPLE_LABEL = 3 };

struct pprof_label {
	uint64_t key, text, number, unit;
	bool is_number; /* no text */
};

struct pprof pprof_open(struct cairn_bytes bytes);

/* The next field of the outermost message; false at the end, or at a fault. */
bool pprof_next(struct pprof *profile, struct wire_field *field);

/* These return false, with a fault, if the message of the field is malformed. */
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

/* Sets the fault at a field, with a constant text. */
void pprof_fail(struct pprof *profile, const struct wire_field *field, const char *what);

/* The next line of a location that was read; `body` is what is left of it. */
bool pprof_next_line(struct cairn_bytes *body, struct pprof_line *line);

/* The next label of a sample that was read; `body` is what is left of it. */
bool pprof_next_label(struct cairn_bytes *body, struct pprof_label *label);

/* The numbers of a sample that was read. */
struct pprof_numbers {
	struct cairn_bytes body;
	struct wire_numbers numbers;
	uint32_t field;
};

struct pprof_numbers pprof_numbers(const struct pprof_sample *sample, uint32_t field);
bool pprof_next_number(struct pprof_numbers *numbers, uint64_t *number);

/*
 * What the bytes are, by their first fields: a profile of pprof, or "legacy", one of gperftools' older forms,
 * which are not read.
 */
enum pprof_kind { PPROF_NONE, PPROF_PROFILE, PPROF_LEGACY };
enum pprof_kind pprof_recognize(struct cairn_bytes bytes);

/* Writers; each message is a field of the outermost one, or of the one named. */
void pprof_put_mapping(struct sink *out, const struct pprof_mapping *mapping);
void pprof_put_function(struct sink *out, const struct pprof_function *function);
void pprof_put_type(struct sink *out, uint32_t field, const struct pprof_type *type);
void pprof_put_text(struct sink *out, struct cairn_bytes text);

/* A mapping as it was read, with other PPROF_HAS_ in place of its own. */
void pprof_put_mapping_with(struct sink *out, struct cairn_bytes body, unsigned has);

/* A location as it was read, with other lines in place of its own. */
void pprof_put_location_with(struct sink *out, struct cairn_bytes body, bool folded,
                             const struct pprof_line *lines, size_t count);

#endif

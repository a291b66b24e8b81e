/* SPDX-License-Identifier: MIT */
/*
 * Writes SFrame, version 3 or 2: rows and functions in the smallest encoding that they have.  The
 * format is described in docs/formats/sframe.md.
 *
 * The data of functions comes first, one function after the other, then the records of all of them in
 * ascending order of start, then the header, for which all sizes must be known:
 *
 *	const struct sframe_written_function f = { .start = 0x1000, .size = 16, .row = rows, .rows = 2 };
 *	struct sframe_record record = { .rows_at = data_so_far };
 *	sframe_write_function(&data, &format, &f, &record);
 *	...
 *	sframe_write_header(&head, &format, &totals);
 *	sframe_write_record(&head, &format, address_of_the_record, &record);
 *
 * The section consists of the header, the records and the data, in this order.  It does not allocate.
 */
#ifndef CAIRN_FORMATS_SFRAME_WRITE_H
#define CAIRN_FORMATS_SFRAME_WRITE_H

#include "base/sink.h"

#include <cairn.h>

enum {
	SFRAME_WRITE_ROWS_MAX = 65535, /* of one function: version 3 counts them in 16 bits */
	SFRAME_WRITE_ROW_MAX = 4 + 1 + 6 * 4, /* bytes */
	SFRAME_WRITE_ATTRIBUTE = 5,           /* bytes in front of a function's rows, version 3 */
};

struct sframe_format {
	uint8_t version; /* 2 or 3 */
	bool by_section; /* version 2: starts count from the section, for readers before binutils 2.45 */
	bool big;
	enum cairn_machine machine; /* amd64, aarch64 or s390x */
};

/* A rule, and where in its function it begins to hold. */
struct sframe_written_row {
	uint32_t start;
	bool outermost; /* nobody called the function, and the places are ignored */
	bool mangled;
	struct cairn_register_rule cfa, ra, fp;
};

/* Why a rule cannot be written. */
enum sframe_refusal {
	SFRAME_REFUSAL_NONE,
	SFRAME_REFUSAL_CFA,    /* it counts from what the version cannot name */
	SFRAME_REFUSAL_RA,     /* likewise, */
	SFRAME_REFUSAL_FP,     /* likewise */
	SFRAME_REFUSAL_OFFSET, /* an offset is too large, or no multiple of what it is stored in */
	SFRAME_REFUSAL_OUTERMOST, /* version 2 has no row for it that its readers know */
};

struct sframe_written_function {
	uint64_t start; /* va */
	uint32_t size;
	uint8_t repeat; /* bytes of the block that repeats; 0: none does */
	bool signal;    /* version 3 alone */
	bool key_b;
	const struct sframe_written_row *row; /* strictly ascending, the first at 0 */
	uint32_t
		rows; /* up to SFRAME_WRITE_ROWS_MAX; none in version 3 alone, where that has a meaning */
};

/* What the record of a function is made of. */
struct sframe_record {
	uint64_t start;
	uint32_t size;
	uint32_t rows_at; /* of its data, in bytes from the first function's */
	uint32_t rows;
	uint8_t info, repeat;
};

struct sframe_totals {
	uint32_t functions;
	uint32_t rows;
	uint32_t data; /* bytes */
};

static inline bool sframe_format_is_writable(const struct sframe_format *format)
{
	return (format->version == 2 || format->version == 3) &&
	       (format->machine == CAIRN_MACHINE_AMD64 ||
	        format->machine == CAIRN_MACHINE_AARCH64 || format->machine == CAIRN_MACHINE_S390X);
}

/* Can this row be written?  Each row of a function must be asked about before the function is. */
enum sframe_refusal sframe_write_refusal(const struct sframe_format *format,
                                         const struct sframe_written_row *row);

/* Do two rows record the same rule, wherever they begin? */
bool sframe_write_is_same_rule(const struct sframe_written_row *a,
                               const struct sframe_written_row *b);

/* Has it a row without a default form, so that all of them take more bytes? */
bool sframe_write_needs_flexible(const struct sframe_format *format,
                                 const struct sframe_written_function *function);

/* The data of one function, and its record but for record->rows_at, which the caller knows. */
void sframe_write_function(struct sink *out, const struct sframe_format *format,
                           const struct sframe_written_function *function,
                           struct sframe_record *record);

void sframe_write_header(struct sink *out, const struct sframe_format *format,
                         const struct sframe_totals *totals);

/*
 * `from` is the va that the start counts from: that of the record's first byte, or with by_section that
 * of the section.  False: in version 2 the function is too far away; nothing is written then.
 */
bool sframe_write_record(struct sink *out, const struct sframe_format *format, uint64_t from,
                         const struct sframe_record *record);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Writes SFrame, version 3 or 2, with the smallest possible encoding of rows and functions.
 * docs/formats/sframe.md describes the format.
 *
 * Write the data of all functions first, then the header, which contains the sizes, and then the
 * records in ascending order of start:
 *
 *	const struct sframe_written_function f = { .start = 0x1000, .size = 16, .row = rows, .rows = 2 };
 *	struct sframe_record record = { .rows_at = data_so_far };
 *	sframe_write_function(&data, &format, &f, &record);
 *	...
 *	sframe_write_header(&head, &format, &totals);
 *	sframe_write_record(&head, &format, address_of_the_record, &record);
 *
 * The section consists of the header, the records and the data, in this order. The writer does not
 * allocate.
 */
#ifndef CAIRN_FORMATS_SFRAME_WRITE_H
#define CAIRN_FORMATS_SFRAME_WRITE_H

#include "sframe.h"

#include "base/byte_buffer.h"

#include <cairn.h>

enum {
	/* maximum number of rows in a function; version 3 has a 16-bit count */
	SFRAME_WRITE_ROWS_MAX = 65535,
	SFRAME_WRITE_ROW_MAX = 4 + 1 + 6 * 4,
	/* size of the attributes before a function's rows in version 3 */
	SFRAME_WRITE_ATTRIBUTE = 5,
};

struct sframe_format {
	uint8_t version;
	/* version 2 only: write starts relative to the section, for readers before binutils 2.45 */
	bool by_section;
	bool big;
	enum cairn_machine machine;
};

/* A rule, and the offset from the function's start where it begins to apply. */
struct sframe_written_row {
	uint32_t start;
	bool outermost; /* the function has no caller; cfa, ra and fp are not used */
	bool mangled;
	struct cairn_register_rule cfa, ra, fp;
};

enum sframe_refusal {
	SFRAME_REFUSAL_NONE,
	SFRAME_REFUSAL_CFA,
	SFRAME_REFUSAL_RA,
	SFRAME_REFUSAL_FP,
	SFRAME_REFUSAL_OFFSET, /* an offset is too large or not a multiple of its scale */
	/*
	 * the frame is outermost, which version 2 cannot express in a form that its readers
	 * understand
	 */
	SFRAME_REFUSAL_OUTERMOST,
};

struct sframe_written_function {
	uint64_t start;
	uint32_t size;
	/* size of the repeated block in bytes; 0 if the function is not repetitive */
	uint8_t repeat;
	bool signal; /* signal frame; version 3 only */
	bool key_b;
	/* rows in strictly ascending order; the first starts at 0 */
	const struct sframe_written_row *row;
	/* at most SFRAME_WRITE_ROWS_MAX; in version 3, 0 marks an outermost function */
	uint32_t rows;
};

struct sframe_record {
	uint64_t start;
	uint32_t size;
	/* offset of the function's data, relative to the data of the first function */
	uint32_t rows_at;
	uint32_t rows;
	uint8_t info, repeat;
};

struct sframe_totals {
	uint32_t functions;
	uint32_t rows;
	uint32_t data; /* total size of all functions' data in bytes */
};

static inline bool sframe_format_is_writable(const struct sframe_format *format)
{
	const struct sframe_layout *layout = sframe_layout(format->version);

	return layout && layout->writable &&
	       (format->machine == CAIRN_MACHINE_AMD64 ||
	        format->machine == CAIRN_MACHINE_AARCH64 || format->machine == CAIRN_MACHINE_S390X);
}

/*
 * Return the reason why the row cannot be written, or SFRAME_REFUSAL_NONE. Check each row before
 * calling sframe_write_function().
 */
enum sframe_refusal sframe_write_refusal(const struct sframe_format *format,
                                         const struct sframe_written_row *row);

/* Return true if two rows have the same rule. Their starts may differ. */
bool sframe_write_is_same_rule(const struct sframe_written_row *a,
                               const struct sframe_written_row *b);

/*
 * Return true if the default form cannot express some row, so that all rows need the larger
 * flexible form.
 */
bool sframe_write_needs_flexible(const struct sframe_format *format,
                                 const struct sframe_written_function *function);

/*
 * Write a function's data (attributes and rows), and fill in its record, except record->rows_at,
 * which the caller sets.
 */
void sframe_write_function(struct sink *out, const struct sframe_format *format,
                           const struct sframe_written_function *function,
                           struct sframe_record *record);

void sframe_write_header(struct sink *out, const struct sframe_format *format,
                         const struct sframe_totals *totals);

/*
 * Write one function record. The record stores the distance from `from` to the function's start.
 * `from` is the address of the record or, with by_section, of the section. In version 2, the
 * distance has 32 bits; return false and write nothing if it does not fit.
 */
bool sframe_write_record(struct sink *out, const struct sframe_format *format, uint64_t from,
                         const struct sframe_record *record);

#endif

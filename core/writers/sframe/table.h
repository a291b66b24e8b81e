/* SPDX-License-Identifier: MIT */
/*
 * Builds an SFrame table from rules that are added in address order.
 *
 *	struct sframe_draft draft = { .format = format, .address = address };
 *	sframe_draft_begin(&draft, signal, key_b);        ... begin a function of the program
 *	sframe_draft_add(&draft, low, high, &places);     ... add its rules in order
 *	sframe_draft_end(&draft);
 *	sframe_draft_write(&draft, out);
 *	sframe_draft_finish(&draft);
 *
 * Adjacent equal rules become one row. A function of the program becomes several SFrame functions
 * if there are gaps between its rules, if a block of code repeats, or if it has too many rows.
 *
 * Call frame information is converted to SFrame rows first. Three forms of DWARF expressions are
 * supported: a register plus an offset, the memory at that address, and the expression that linkers
 * write to describe all entries of a PLT by the pc.
 */
#ifndef CAIRN_WRITERS_SFRAME_TABLE_H
#define CAIRN_WRITERS_SFRAME_TABLE_H

#include "base/byte_buffer.h"
#include "base/table.h"
#include "formats/ehframe/cfi.h"
#include "formats/sframe/write.h"

enum { PLACES_BLOCK = 16 };

struct places {
	/* row[1] is used only for a repeating block; starts are then relative to the block */
	struct sframe_written_row row[2];
	unsigned rows; /* number of rows; 0 if SFrame cannot express the CFI row */
	enum cairn_sframe_loss loss;
};

/* Return the reason to report if the SFrame encoder refused a row. */
enum cairn_sframe_loss places_name_refusal(enum sframe_refusal refusal);

struct places places_find(const struct sframe_format *format, const struct ehframe_cie *cie,
                          const struct cfi_row *row);

struct sframe_draft {
	struct sframe_format format;
	uint64_t address;
	bool share; /* store the data of equal functions once */
	/* merge adjacent functions if that saves bytes; cannot be combined with `share` */
	bool join;
	/*
	 * the table is in a relocatable file, so the linker relocates the starts and sorts the
	 * table
	 */
	bool relocatable;
	bool failed; /* allocation failed, or a limit was reached */
	struct byte_buffer data;
	struct sframe_record *record;
	size_t records, record_capacity;
	uint64_t rows;
	bool open;
	struct sframe_written_function function;
	uint64_t end;
	/* rows of the function being added; with `join`, preceded by the rows of `before` */
	struct sframe_written_row *row;
	size_t row_capacity;
	/* with `join`, the last complete function, to which the next function may be joined */
	struct sframe_written_function before;
	size_t kept; /* number of rows of `before`; 0 if the next function cannot be joined to it */
	struct sframe_shared {
		uint32_t at, size;
	} * shared;
	size_t shared_count, shared_capacity;
	struct slot_table slots;
};

void sframe_draft_begin(struct sframe_draft *draft, bool signal, bool key_b);

/*
 * Add the rule for [low, high), which must follow everything added before. Returns false and skips
 * the rule if the code is out of reach of the format's offsets.
 */
bool sframe_draft_add(struct sframe_draft *draft, uint64_t low, uint64_t high,
                      const struct places *places);
void sframe_draft_end(struct sframe_draft *draft);

/*
 * Add a function that repeats a block of `repeat` bytes with `count` rows, or a function without
 * rows, which version 3 uses for signal trampolines and outermost functions. Return false if the
 * code is out of reach of the format's offsets.
 */
bool sframe_draft_add_block(struct sframe_draft *draft, uint64_t low, uint64_t high, uint8_t repeat,
                            const struct sframe_written_row *row, uint32_t count);
bool sframe_draft_add_rowless(struct sframe_draft *draft, uint64_t low, uint64_t high);

void sframe_draft_write(struct sframe_draft *draft, struct byte_buffer *out);
void sframe_draft_finish(struct sframe_draft *draft);

#endif

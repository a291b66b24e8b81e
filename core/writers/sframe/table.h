/* SPDX-License-Identifier: MIT */
/*
 * An SFrame table in the making: rules in ascending order of the code, gathered into functions.
 *
 *	struct sframe_draft draft = { .format = format, .address = address };
 *	sframe_draft_begin(&draft, signal, key_b);        ... a function of the program
 *	sframe_draft_add(&draft, low, high, &places);     ... its rules, one after the other
 *	sframe_draft_end(&draft);
 *	sframe_draft_write(&draft, out);
 *	sframe_draft_finish(&draft);
 *
 * Neighbouring rules that are equal become one row.  A function becomes several where rules do not follow each other
 * directly, where a block repeats, and where there are too many rows for one.
 */
#ifndef CAIRN_WRITERS_SFRAME_TABLE_H
#define CAIRN_WRITERS_SFRAME_TABLE_H

#include "base/byte_buffer.h"
#include "base/table/slot_table.h"

#include "places.h"

struct sframe_draft {
	struct sframe_format format;
	uint64_t address; /* va of the table */
	bool share;       /* functions with equal data share it */
	bool join; /* functions without a gap between them become one, while that saves bytes; not with share */
	bool relocatable; /* a linker puts starts in, and sorts */
	bool failed;      /* memory is short, or a limit is reached */
	struct byte_buffer data;
	struct sframe_record *record; /* ascending by start */
	size_t records, record_room;
	uint64_t rows; /* of all functions */
	/* the function that is gathered */
	bool open;
	struct sframe_written_function function;
	uint64_t end;                   /* va, where its last rule ends */
	struct sframe_written_row *row; /* with join those of the function before it come first */
	size_t row_room;
	/* with join: the function that was written last, if another one may follow it */
	struct sframe_written_function before;
	size_t kept; /* its rows; 0: there is none */
	/* data that can be shared: where each begins and how long it is */
	struct sframe_shared {
		uint32_t at, size;
	} * shared;
	size_t shared_count, shared_room;
	struct slot_table slots;
};

void sframe_draft_begin(struct sframe_draft *draft, bool signal, bool key_b);

/* Adds the rule of [low, high), which is past everything before. False: it is too far away for the version, and is left out. */
bool sframe_draft_add(struct sframe_draft *draft, uint64_t low, uint64_t high,
                      const struct places *places);
void sframe_draft_end(struct sframe_draft *draft);

/*
 * A function that repeats one block of `repeat` bytes, with the `count` rows of a block; and one without rows, which version 3
 * has for signal trampolines and for functions that nobody called.  False as above.
 */
bool sframe_draft_add_block(struct sframe_draft *draft, uint64_t low, uint64_t high, uint8_t repeat,
                            const struct sframe_written_row *row, uint32_t count);
bool sframe_draft_add_rowless(struct sframe_draft *draft, uint64_t low, uint64_t high);

/* The whole table: header, records, data. */
void sframe_draft_write(struct sframe_draft *draft, struct byte_buffer *out);
void sframe_draft_finish(struct sframe_draft *draft);

#endif

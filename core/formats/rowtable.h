/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes row tables: unwind rules as a flat, sorted array that profilers, for example in
 * eBPF, can map and search directly. docs/formats/rowtable.md describes the format.
 *
 *	struct rowtable table;
 *	if (rowtable_open(bytes, &table, &fault) == CAIRN_OK &&
 *	    rowtable_find(&table, va, &rule) == CAIRN_OK)
 *		... rule.cfa, rule.ra, rule.fp
 *
 * Opening checks every row. The bytes are borrowed, and nothing is allocated.
 */
#ifndef CAIRN_FORMATS_ROWTABLE_H
#define CAIRN_FORMATS_ROWTABLE_H

#include "base/byte_buffer.h"

#include <cairn.h>

enum {
	ROWTABLE_HEADER = 64,
	ROWTABLE_ROW = 16,
	ROWTABLE_ID_MAX = 64,
};

struct rowtable {
	struct cairn_bytes bytes;
	bool big;
	enum cairn_machine machine;
	uint64_t base; /* address to which the start of each row is relative */
	uint64_t rows;
	size_t rows_at;
	/* build ID of the program that the rows describe, possibly empty */
	struct cairn_bytes build_id;
};

/*
 * Open a table. Return CAIRN_MALFORMED, CAIRN_TRUNCATED or CAIRN_UNSUPPORTED if the bytes are not a
 * valid table; *fault has the offset.
 */
enum cairn_status rowtable_open(struct cairn_bytes bytes, struct rowtable *table,
                                struct cairn_fault *fault);

/*
 * Find the rule at `va` and the address range to which it applies. Return CAIRN_NOT_FOUND if no row
 * covers `va`.
 */
enum cairn_status rowtable_find(const struct rowtable *table, uint64_t va, struct cairn_rule *rule);

/* Return true if a row can express the rule. Otherwise set *loss to the reason. */
bool rowtable_can_say(const struct cairn_rule *rule, enum cairn_sframe_loss *loss);

/* Write the header and the build ID, with padding to a multiple of 16 bytes. */
void rowtable_write_head(struct sink *out, const struct rowtable *table);

/*
 * Write one row. `start` is relative to the base. Pass NULL as `rule` for a range without a known
 * rule.
 */
void rowtable_write_row(struct sink *out, bool big, uint32_t start, const struct cairn_rule *rule);

#endif
